import type { Job, Queue } from 'bullmq';
import type { Redis } from '../redis/connection.ts';
import type { FailedJob, RetriedJob } from './job-reports.ts';

/** A retried job is due from then on (redis-counts.ts). KEYS: failed jobs, the job. ARGV: its id, now */
const setDueLua = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('HSET', KEYS[2], 'timestamp', ARGV[2]) end
`;

/**
 * How many jobs have failed, and the ids of those of a key: that of their deduplication, or the id of their schedule.
 * KEYS: failed jobs, the start of the jobs' keys. ARGV: the key
 */
const findLua = `
local failed = redis.call('ZRANGE', KEYS[1], 0, -1)
local ids = {}
for _, id in ipairs(failed) do
  local keys = redis.call('HMGET', KEYS[2] .. id, 'deid', 'rjk')
  if keys[1] == ARGV[1] or keys[2] == ARGV[1] then ids[#ids + 1] = id end
end
return { #failed, ids }
`;

const noneKnownMs = 10_000;

export type FailedJobs = ReturnType<typeof createFailedJobs>;

/** See JobMonitor. BullMQ keeps at most 2,000 failed jobs. */
export function createFailedJobs(redis: Redis, queue: Queue) {
  const { client } = redis;
  let noneUntil = Number.NEGATIVE_INFINITY;

  return {
    async list(limit: number): Promise<FailedJob[]> {
      return limit < 1 ? [] : (await queue.getFailed(0, limit - 1)).map(toFailedJob);
    },

    async listRetried(limit: number): Promise<RetriedJob[]> {
      const delayed = limit < 1 ? [] : await queue.getDelayed(0, limit - 1);
      return delayed.filter(({ failedReason }) => failedReason !== undefined).map(toFailedJob);
    },

    async retry(nameOrId: string | null): Promise<number> {
      const failed = await queue.getFailed();
      const wanted = failed.filter(({ id, name }) => nameOrId === null || [id, name].includes(nameOrId));
      for (const job of wanted) {
        const { id = '' } = job;
        await client.eval(setDueLua, 2, queue.toKey('failed'), queue.toKey(id), id, Date.now());
        await job.retry('failed', { resetAttemptsMade: true });
      }
      return wanted.length;
    },

    /**
     * Removes the other failed jobs with the key of this job. Where none had failed it looks again after 10 s or a failure here:
     * what fails in another worker meanwhile is removed when `store.reconcile` has repeated it.
     */
    async removeOthers(job: Job): Promise<void> {
      const key = job.deduplicationId ?? job.repeatJobKey;
      if (key === undefined) return; // no queue of ours has added it
      const hasFailed = job.finishedOn !== undefined;
      if (!hasFailed && performance.now() < noneUntil) return;
      const found = await client.eval(findLua, 2, queue.toKey('failed'), queue.toKey(''), key);
      const [count, ids] = found as [number, string[]]; // proof: `findLua`
      noneUntil = count === 0 ? performance.now() + noneKnownMs : Number.NEGATIVE_INFINITY;
      for (const id of ids) if (id !== job.id) await queue.remove(id);
    },
  };
}

function toFailedJob(job: Job): FailedJob {
  const { id = '', name, data, attemptsMade, stacktrace, failedReason, finishedOn = 0 } = job;
  const error = stacktrace?.at(-1) ?? failedReason;
  return { id, name, payload: data, attempts: attemptsMade, error, failedAt: finishedOn };
}
