import { Queue } from 'bullmq';
import { queueName, RedisJobQueue } from '../../shared/jobs/redis.ts';
import { openRedis, type Redis } from '../../shared/redis/connection.ts';
import { drainJobs } from '../support/bullmq.ts';
import { startVirtualDate, type VirtualDate } from '../support/clock.ts';
import { emptyRedis, longEnqueueMs, newRedisPrefix, redisUrl } from '../support/redis.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { createHangingProcesses, type JobFixture, type JobProcess } from './job-fixture.ts';

const stallMs = 100;

interface ProcessOptions {
  readonly concurrency?: number;
  readonly lockMs?: number;
  readonly enqueueMs?: number;
  readonly syncMs?: number;
  /** Another address of the same Redis. */
  readonly url?: string;
}

export interface BullmqProcess extends JobProcess {
  readonly queue: RedisJobQueue;
  readonly redis: Redis;
}

export interface BullmqJobFixture extends JobFixture {
  readonly date: VirtualDate;
  readonly redis: Redis;
  /** The queue as BullMQ shows it. */
  readonly bullmq: Queue;
  openProcess(options?: ProcessOptions): Promise<BullmqProcess>;
}

/** Keys of its own in Redis, and a `Date.now` that only `pass` moves. */
export async function openBullmqJobFixture(): Promise<BullmqJobFixture> {
  const url = redisUrl();
  const prefix = newRedisPrefix();
  const date = startVirtualDate();
  const opened: BullmqProcess[] = [];
  const hanging = createHangingProcesses({ url, prefix, stallMs });
  const { queue: report, redis } = await openProcess();
  const bullmq = new Queue(queueName, { connection: redis.client, prefix: redis.jobPrefix });

  async function openProcess({
    url: address = url,
    ...options
  }: ProcessOptions = {}): Promise<BullmqProcess> {
    const log = createRecordingLog();
    const redis = await openRedis({ url: address, prefix, rejectUnauthorized: true, log });
    const defaults = { concurrency: 4, stallMs, enqueueMs: longEnqueueMs };
    const queue = new RedisJobQueue({ redis, log, ...defaults, ...options });
    const process = { queue, redis, log, settle: () => drainJobs(redis) };
    opened.push(process);
    return process;
  }

  return {
    date,
    redis,
    bullmq,
    report,
    openProcess,
    openHangingProcess: (dropId) => hanging.open(dropId),

    now: () => Date.now(),

    async pass(ms) {
      date.advance(ms);
    },

    async expireLocks() {
      const locks = await redis.client.keys(`${redis.keyPrefix}*:lock`);
      if (locks.length > 0) await redis.client.unlink(...locks);
    },

    async plant(name, payload) {
      await bullmq.add(name, payload);
    },

    async close() {
      hanging.killAll();
      for (const { queue } of opened) await queue.close();
      await emptyRedis(redis);
      await bullmq.close();
      for (const { redis } of opened) await redis.close();
      date.restore();
    },
  };
}
