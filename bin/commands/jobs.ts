import type { Command } from 'commander';
import { isScaleOut } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { OperatorServices } from '../../shared/engines/open-operator-services.ts';
import {
  type FailedJob,
  type FailureGroup,
  groupFailures,
  type JobCount,
  type RetriedJob,
} from '../../shared/jobs/job-reports.ts';
import { withTimeout } from '../../shared/util/promises.ts';
import { shownJson } from '../../shared/util/shown-text.ts';
import { serverHosts } from '../environment.ts';
import { addCommand, printBlocks, printLine, readDataConfig, withServices } from '../operator.ts';
import type { ProcessIo } from '../process-io.ts';
import { countOf, formatDuration, formatTime, labelLines } from '../text.ts';

/** How long Redis may take to count the jobs. */
const countTimeoutMs = 5_000;

/** Jobs that failed for one cause are many: this many are grouped. Redis keeps no more failed ones. */
const readFailedJobs = 2_000;

export function addJobs(program: Command, io: ProcessIo): void {
  addCommand(program, 'jobs', {
    summary: 'count jobs by name, say why jobs failed, retry them',
    description:
      'Counts the waiting, active and failed jobs of each name; "oldest" is how long the oldest one has been due, and "~" ' +
      'marks an estimate. Then lists why jobs failed: by name and error, with one as an example. A job has failed when its ' +
      'last attempt has; until then it counts as waiting, and is listed as retried. Failed jobs are kept for 7 days.',
    examples: ['bin/dropleaf.js jobs --retry edge.purge'],
  })
    .option('-r, --retry [name]', 'queue failed jobs again: all, those of a name, or the one with an id')
    .option('--json', 'print JSON')
    .action((options: JobsOptions) => jobs(options, io));
}

interface JobsOptions {
  /** true: all failed jobs; else those of a name, or the one of an id. */
  readonly retry?: true | string;
  readonly json?: boolean;
}

/**
 * Prints numbers of jobs by name, and failures; `retry` queues those again. @throws Error if no failed job matches `retry`
 */
async function jobs({ retry, json = false }: JobsOptions, io: ProcessIo): Promise<void> {
  await withServices(readDataConfig(io.env), io, async (services) => {
    const counts = await countJobs(services);
    if (retry !== undefined) return retryJobs(retry === true ? null : retry, services, json, io);
    const failed = counts.reduce((sum, count) => sum + count.failed, 0);
    const listed = failed === 0 ? [] : await services.jobs.listFailed(readFailedJobs);
    const failures = groupFailures(listed);
    const retries = groupFailures(await services.jobs.listRetried(readFailedJobs));
    if (json)
      printJson(io, {
        jobs: counts.map(presentCount),
        failures: failures.map(presentFailure),
        retries: retries.map(presentRetry),
      });
    else printReport(counts, [...retries.map(describeRetry), ...failures.map(describeFailure)], io);
    if (failed > listed.length && listed.length === readFailedJobs)
      io.stderr.write(`Of the failed jobs, only the newest ${readFailedJobs} are grouped by their errors.\n`);
  });
}

async function retryJobs(
  nameOrId: string | null,
  { jobs }: OperatorServices,
  json: boolean,
  io: ProcessIo,
): Promise<void> {
  const count = await jobs.retryFailed(nameOrId);
  if (count === 0 && nameOrId !== null) throw new Error(`no failed job has the name or id "${nameOrId}"`);
  if (json) printJson(io, { retried: count });
  else io.stdout.write(`${countOf(count, 'failed job')} queued again.\n`);
}

/** @throws Error naming Redis if it does not answer, at once or in time: the service itself works without Redis for a while */
export async function countJobs({
  config,
  jobs,
}: Pick<OperatorServices, 'config' | 'jobs'>): Promise<readonly JobCount[]> {
  const { redis } = serverHosts(config);
  const counts = jobs.countByName().catch((cause: unknown) => {
    if (!(cause instanceof DropError && isScaleOut(config))) throw cause;
    throw new Error(`Redis at ${redis} cannot be reached`, { cause });
  });
  return withTimeout(
    countTimeoutMs,
    counts,
    () => new Error(`Redis at ${redis} did not answer within ${countTimeoutMs / 1_000} s`),
  );
}

function printReport(counts: readonly JobCount[], failures: readonly string[][], io: ProcessIo): void {
  for (const line of describeCounts(counts, Date.now())) printLine(io, line);
  if (failures.length > 0) io.stdout.write('\n');
  printBlocks(io, failures);
}

function describeCounts(counts: readonly JobCount[], now: number): string[] {
  const rows = counts.map(({ name, waiting, active, failed, oldestDueAt, isEstimate }) => {
    const about = (count: number) => (isEstimate && count > 0 ? `~${count}` : String(count));
    const oldest = oldestDueAt === null ? '-' : formatDuration(now - oldestDueAt);
    return [name, about(waiting), about(active), about(failed), oldest] as const;
  });
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  return [['name', 'waiting', 'active', 'failed', 'oldest'] as const, ...rows].map(
    ([name, waiting, active, failed, oldest]) =>
      `${name.padEnd(nameWidth)}  ${waiting.padStart(8)}  ${active.padStart(7)}  ${failed.padStart(7)}  ${oldest.padStart(7)}`,
  );
}

function describeFailure({ name, count, first: newest }: FailureGroup<FailedJob>): string[] {
  return [
    `failed    ${name} ${count === 1 ? 'once' : `${count} times`}`,
    ...labelLines('error', firstLine(newest.error)),
    ...labelLines('newest', `${formatTime(newest.failedAt)}, after ${countOf(newest.attempts, 'attempt')}`),
    ...labelLines('id', newest.id),
    ...labelLines('payload', JSON.stringify(newest.payload)),
  ];
}

function describeRetry({ name, count, first }: FailureGroup<RetriedJob>): string[] {
  return [
    `retried   ${name}: ${countOf(count, 'job')} will run again`,
    ...labelLines('error', firstLine(first.error)),
    ...labelLines('id', first.id),
    ...labelLines('payload', JSON.stringify(first.payload)),
  ];
}

function presentCount({ name, waiting, active, failed, oldestDueAt, isEstimate }: JobCount): object {
  return { name, waiting, active, failed, oldest_due_at: oldestDueAt, is_estimate: isEstimate };
}

function presentFailure({ name, count, first }: FailureGroup<FailedJob>): object {
  const { id, payload, attempts, error, failedAt } = first;
  return { name, count, error: firstLine(error), newest: { id, payload, attempts, failed_at: failedAt } };
}

function presentRetry({ name, count, first }: FailureGroup<RetriedJob>): object {
  const { id, payload, error } = first;
  return { name, count, error: firstLine(error), next: { id, payload } };
}

function printJson({ stdout }: ProcessIo, value: object): void {
  stdout.write(`${shownJson(value, 2)}\n`);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
