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

/** See JobMonitor. BullMQ keeps at most 2,000 failed jobs. */
export class FailedJobs {
  readonly #client: Redis['client'];
  readonly #queue: Queue;
  /** Until then no failed job is looked for, `performance.now()`. */
  #noneUntil = Number.NEGATIVE_INFINITY;

  constructor({ client }: Redis, queue: Queue) {
    this.#client = client;
    this.#queue = queue;
  }

  async list(limit: number): Promise<FailedJob[]> {
    if (limit < 1) return [];
    return (await this.#queue.getFailed(0, limit - 1)).map(toFailedJob);
  }

  async listRetried(limit: number): Promise<RetriedJob[]> {
    if (limit < 1) return [];
    const delayed = await this.#queue.getDelayed(0, limit - 1);
    return delayed.filter(({ failedReason }) => failedReason !== undefined).map(toFailedJob);
  }

  async retry(nameOrId: string | null): Promise<number> {
    const failed = await this.#queue.getFailed();
    const wanted = failed.filter(({ id, name }) => nameOrId === null || [id, name].includes(nameOrId));
    for (const job of wanted) {
      const { id = '' } = job;
      const keys = [this.#queue.toKey('failed'), this.#queue.toKey(id)];
      await this.#client.eval(setDueLua, keys.length, ...keys, id, Date.now());
      await job.retry('failed', { resetAttemptsMade: true });
    }
    return wanted.length;
  }

  /**
   * Removes the other failed jobs with the key of this job. Where none had failed it looks again after 10 s or a failure here:
   * what fails in another worker meanwhile is removed when `store.reconcile` has repeated it.
   */
  async removeOthers(job: Job): Promise<void> {
    const key = job.deduplicationId ?? job.repeatJobKey;
    if (key === undefined) return; // no queue of ours has added it
    const hasFailed = job.finishedOn !== undefined;
    if (!hasFailed && performance.now() < this.#noneUntil) return;
    const keys = [this.#queue.toKey('failed'), this.#queue.toKey('')];
    const found = await this.#client.eval(findLua, keys.length, ...keys, key);
    const [count, ids] = found as [number, string[]]; // proof: `findLua`
    this.#noneUntil = count === 0 ? performance.now() + noneKnownMs : Number.NEGATIVE_INFINITY;
    for (const id of ids) {
      if (id !== job.id) await this.#queue.remove(id);
    }
  }
}

function toFailedJob(job: Job): FailedJob {
  const { id = '', name, data, attemptsMade, stacktrace, failedReason, finishedOn = 0 } = job;
  const error = stacktrace?.at(-1) ?? failedReason;
  return { id, name, payload: data, attempts: attemptsMade, error, failedAt: finishedOn };
}
