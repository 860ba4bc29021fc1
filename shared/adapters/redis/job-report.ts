import type { Job } from 'bullmq';
import type { FailedJob, JobReport } from '../../ports/job-report.ts';
import { toDropError } from './errors.ts';
import type { Ask } from './job-asking.ts';
import { isJobName, type JobLines } from './job-lines.ts';

/** Read from Redis at a time. */
const pageSize = 100;

/** Counts and failed jobs of both lines. Of schedules only what is due counts as waiting. */
export function createJobReport(lines: JobLines, ask: Ask): JobReport {
  async function count() {
    const counts = await Promise.all(
      lines.all.map((line) => line.getJobCounts('wait', 'prioritized', 'delayed', 'active', 'failed')),
    );
    const sum = (state: string) => counts.reduce((total, of) => total + (of[state] ?? 0), 0);
    const waiting = sum('wait') + sum('prioritized') + sum('delayed');
    const later = await lines.periodic.getDelayed();
    const scheduled = later.filter(({ repeatJobKey }) => repeatJobKey !== undefined).length;
    return {
      waiting: Math.max(waiting - scheduled, 0), // not read at one moment
      active: sum('active'),
      failed: sum('failed'),
    };
  }

  async function listFailed(limit: number): Promise<FailedJob[]> {
    if (limit < 1) return [];
    const pages = await Promise.all(lines.all.map((line) => line.getJobs(['failed'], 0, limit - 1)));
    return pages
      .flat()
      .sort((a, b) => (b.finishedOn ?? 0) - (a.finishedOn ?? 0))
      .slice(0, limit)
      .map(toFailedJob);
  }

  async function retryFailed(): Promise<number> {
    const counts = await Promise.all(lines.all.map(retryLine));
    return counts.reduce((total, of) => total + of, 0);
  }

  /** Those that there are now: one that fails again meanwhile is not among them. */
  async function retryLine(line: JobLines['asked']): Promise<number> {
    const total = await line.getFailedCount();
    let count = 0;
    for (let rest = total; rest > 0; rest -= pageSize) {
      const page = await line.getJobs(['failed'], 0, Math.min(rest, pageSize) - 1, true);
      for (const job of page) await retry(line, job);
      count += page.length;
    }
    return count;
  }

  /** Asked for anew, because BullMQ's own retry would let it run beside another of its key. */
  async function retry(line: JobLines['asked'], job: Job): Promise<void> {
    const { id = '', name, data, repeatJobKey, deduplicationId: key = repeatJobKey } = job;
    if (key === undefined || !isJobName(name)) {
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
      return;
    }
    await ask(name, key, data, 0);
    await line.remove(id);
  }

  return {
    count: () => count().catch(rethrow),
    listFailed: (limit) => listFailed(limit).catch(rethrow),
    retryFailed: () => retryFailed().catch(rethrow),
  };
}

function rethrow(error: unknown): never {
  throw toDropError(error);
}

function toFailedJob(job: Job): FailedJob {
  const { id = '', name, data, attemptsMade, stacktrace, failedReason } = job;
  return {
    id,
    name,
    payload: data,
    attempts: attemptsMade,
    error: stacktrace?.at(-1) ?? failedReason ?? '',
  };
}
