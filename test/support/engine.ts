import type { JobConsumer } from '../../shared/jobs/job-queue.ts';
import { drainJobs } from './bullmq.ts';
import { followClock, type TestClock } from './clock.ts';
import { openTestMongo } from './mongo.ts';
import { emptyRedis, newRedisPrefix, openTestRedis, redisUrl } from './redis.ts';

/** Data of a service's own, in the engine that this run of the tests is about. */
export interface TestEngine {
  /** What chooses the engine and the data. */
  readonly env: Readonly<Record<string, string>>;
  settle(jobs: JobConsumer): Promise<void>;
  close(): Promise<void>;
}

/** The run of the scale-out engine sets TEST_ENGINE (test/run.ts); every other one is about the embedded engine. */
export const isScaleOutRun = process.env.TEST_ENGINE === 'scale-out';

/** @param clock by which the service tells time, and with it the code of others that asks Date.now */
export async function openTestEngine(clock: TestClock): Promise<TestEngine> {
  if (!isScaleOutRun) return { env: {}, settle: runUntilIdle, close: async () => undefined };
  const mongo = await openTestMongo();
  const prefix = newRedisPrefix();
  const redis = await openTestRedis(prefix);
  const stopFollowing = followClock(clock);
  return {
    env: { MONGODB_URI: mongo.uri, REDIS_URL: redisUrl(), REDIS_PREFIX: prefix },
    settle: () => drainJobs(redis),
    async close() {
      stopFollowing();
      await mongo.close();
      await emptyRedis(redis);
      await redis.close();
    },
  };
}

async function runUntilIdle(jobs: JobConsumer): Promise<void> {
  if (!('runUntilIdle' in jobs) || typeof jobs.runUntilIdle !== 'function')
    throw new Error('Not the SQLite queue');
  await jobs.runUntilIdle();
}
