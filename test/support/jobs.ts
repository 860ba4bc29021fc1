import { schedules } from '../../shared/jobs/job-catalogue.ts';
import type { JobMonitor } from '../../shared/jobs/job-queue.ts';

const periodic = new Set<string>(schedules.map(({ name }) => name));

/** The jobs of all names, but no waiting ones of schedules: whether their next runs are due, the clock decides. */
export async function countJobs(
  monitor: Pick<JobMonitor, 'countByName'>,
): Promise<{ waiting: number; active: number; failed: number }> {
  const sums = { waiting: 0, active: 0, failed: 0 };
  for (const { name, waiting, active, failed } of await monitor.countByName()) {
    sums.waiting += periodic.has(name) ? 0 : waiting;
    sums.active += active;
    sums.failed += failed;
  }
  return sums;
}
