import { openRedis, type Redis } from '../../shared/adapters/redis/connection.ts';
import { type JobLines, openJobLines } from '../../shared/adapters/redis/job-lines.ts';
import { createRedisJobQueue, type RedisJobQueue } from '../../shared/adapters/redis/job-queue.ts';
import { emptyRedis, newRedisPrefix, patientAskMs, redisUrl } from '../support/redis.ts';
import { startVirtualDate, type VirtualDate } from '../support/virtual-date.ts';
import { createRecordingLog, type LogLine } from '../worker/recording-log.ts';
import { createHangingProcesses } from './hanging-process.ts';
import type { JobProcess, JobWorld } from './job-world.ts';

/** Locks run by Redis's own clock: short in the process that is killed, and looked for often by all others. */
const killedLockMs = 400;
const stallMs = 100;

type QueueOptions = Partial<Omit<Parameters<typeof createRedisJobQueue>[0], 'log' | 'redis' | 'clock'>>;

export interface BullmqProcess extends JobProcess {
  readonly queue: RedisJobQueue;
  readonly redis: Redis;
  readonly log: { readonly lines: readonly LogLine[] };
}

export interface BullmqWorld extends JobWorld {
  readonly date: VirtualDate;
  /** A connection and the queues of its own, to look at the keys and to spoil them. */
  readonly redis: Redis;
  readonly lines: JobLines;
  /** A process that only asks, straight to Redis. */
  readonly report: RedisJobQueue;
  /** @param options `url`: another way to the same Redis */
  openProcess(options?: QueueOptions & { url?: string }): Promise<BullmqProcess>;
}

/** Keys of its own in Redis, and time that stands until it is moved. */
export async function openBullmqWorld(): Promise<BullmqWorld> {
  const url = redisUrl();
  const prefix = newRedisPrefix();
  const date = startVirtualDate();
  const opened: { queue: RedisJobQueue; redis: Redis }[] = [];
  const hanging = createHangingProcesses({ url, prefix, lockMs: killedLockMs, stallMs });
  const { queue: report, redis } = await openProcess();
  const lines = openJobLines(redis);

  async function openProcess({
    url: way = url,
    ...options
  }: QueueOptions & { url?: string } = {}): Promise<BullmqProcess> {
    const log = createRecordingLog();
    const redis = await openRedis({ url: way, prefix, rejectUnauthorized: true, log });
    const queue = createRedisJobQueue({
      redis,
      log,
      concurrency: 4,
      stallMs,
      askMs: patientAskMs,
      ...options,
    });
    opened.push({ queue, redis });
    return {
      queue,
      redis,
      log,
      settle: () =>
        queue.runUntilIdle().catch((error: unknown) => {
          if (!(error instanceof AggregateError)) throw error;
        }),
    };
  }

  return {
    date,
    redis,
    lines,
    report,
    openProcess,
    openHangingProcess: (dropId) => hanging.open(dropId),

    async pass(ms) {
      date.advance(ms);
    },

    async plant(name, payload) {
      await lines.asked.add(name, payload, { removeOnFail: false });
    },

    async close() {
      hanging.killAll();
      for (const { queue } of opened) await queue.close();
      await emptyRedis(redis);
      await lines.close();
      for (const { redis } of opened) await redis.close();
      date.restore();
    },
  };
}
