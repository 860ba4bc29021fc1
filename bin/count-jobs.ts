import { setTimeout as sleep } from 'node:timers/promises';
import { isScaleOut } from '../shared/config/config.ts';
import { DropError } from '../shared/domain/errors.ts';
import type { OperatorServices } from '../shared/open-operator-services.ts';
import { nameServers } from './server-names.ts';

/** How long the line of jobs may take to say how it stands. */
const answerMs = 5_000;

export type JobCounts = Awaited<ReturnType<OperatorServices['jobs']['count']>>;

/**
 * How many jobs there are.
 * @throws Error that names Redis where it is away or silent, which the service itself would bear
 */
export async function countJobs({
  config,
  jobs,
}: Pick<OperatorServices, 'config' | 'jobs'>): Promise<JobCounts> {
  const away = (cause?: unknown) =>
    new Error(`Redis at ${nameServers(config).redis} cannot be reached`, { cause });
  const counted = jobs.count().catch((error: unknown) => {
    throw error instanceof DropError && isScaleOut(config) ? away(error) : error;
  });
  const late = sleep(answerMs, undefined, { ref: false }).then(() => Promise.reject(away()));
  return Promise.race([counted, late]);
}
