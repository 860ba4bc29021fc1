import type { FailedJob, JobReport } from '../../shared/ports/job-report.ts';
import { countJobs, type JobCounts } from '../count-jobs.ts';
import type { Env } from '../env.ts';
import { harmless } from '../harmless.ts';
import { readDataConfig, withServices } from '../with-services.ts';

/** More than anybody reads; the count above tells of the others. */
const shownAtMost = 100;

/**
 * Prints how many jobs there are, and the failed ones with their reasons.
 * @param options `retry`: puts the failed ones back in line instead, and says how many there were
 */
export async function jobs({ retry = false }: { retry?: boolean }, env: Env): Promise<void> {
  await withServices(readDataConfig(env), async (services) => {
    const counts = await countJobs(services);
    process.stdout.write(retry ? await retryAll(services.jobs) : await describeAll(counts, services.jobs));
  });
}

async function retryAll(report: JobReport): Promise<string> {
  const count = await report.retryFailed();
  return `${count} failed ${count === 1 ? 'job is' : 'jobs are'} back in line\n`;
}

async function describeAll({ waiting, active, failed }: JobCounts, report: JobReport): Promise<string> {
  const shown = failed === 0 ? [] : await report.listFailed(shownAtMost);
  const rest = failed - shown.length;
  return [
    `waiting  ${waiting}`,
    `active   ${active}`,
    `failed   ${failed}`,
    ...shown.flatMap((job) => ['', ...describe(job)]),
    ...(rest > 0 ? ['', `and ${rest} more`] : []),
    '',
  ].join('\n');
}

function describe({ name, payload, attempts, error }: FailedJob): string[] {
  const ids = JSON.stringify(payload);
  const times = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const [reason = ''] = error.split('\n', 1);
  return [`${name} ${ids} after ${times}`, `  ${reason}`].map(harmless);
}
