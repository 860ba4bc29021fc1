import { RedisJobQueue } from '../../shared/jobs/redis.ts';
import { openRedis, type Redis } from '../../shared/redis/connection.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { drainJobs } from '../support/bullmq.ts';
import { createTestClock, followClock } from '../support/clock.ts';
import { openTestMongo } from '../support/mongo.ts';
import { emptyRedis, longEnqueueMs, newRedisPrefix, redisUrl } from '../support/redis.ts';
import { createSceneStores } from './mongo-stores.ts';
import { createRecordingLog } from './recording-log.ts';
import { createEdge, createRenderer, createStage } from './stage.ts';
import { createWorkerProcess, type ProcessOptions } from './worker-process.ts';

/** How often a worker looks for jobs without a lock. */
const stallMs = 30;

/** The same as `openScene` over MongoDB and Redis: each process has connections of its own to Redis. */
export async function openScaleOutScene() {
  const clock = createTestClock();
  const edge = createEdge();
  const renderer = createRenderer();
  const prefix = newRedisPrefix();
  const mongo = await openTestMongo();
  const redis = await open();
  const stores = createSceneStores(mongo.mongo.connection, redis, clock);
  const running = new Set<{ close(): Promise<void> }>();
  const stopFollowing = followClock(clock);

  function open(): Promise<Redis> {
    const settings = { url: redisUrl(), prefix, rejectUnauthorized: true };
    return openRedis({ ...settings, log: createRecordingLog() });
  }

  /** Ends the locks of a killed process at once. */
  async function endLocks(): Promise<void> {
    const locks = await redis.client.keys(`${redis.keyPrefix}*:lock`);
    if (locks.length > 0) await redis.client.unlink(...locks);
  }

  return {
    ...createStage(stores, clock),
    clock,
    edge,
    renderer,
    stores,
    redis,

    /** A worker with connections of its own. It runs due jobs at once. */
    async startProcess({ faults, purger = edge, purgeAgain }: ProcessOptions = {}) {
      const { redis: own, cut } = cuttable(await open());
      const log = createRecordingLog();
      const queue = new RedisJobQueue({
        redis: own,
        log,
        concurrency: 8,
        stallMs,
        enqueueMs: longEnqueueMs,
      });
      const process = createWorkerProcess({
        stores: createSceneStores(mongo.mongo.connection, own, clock, faults),
        queue: { ...methodsOf(queue), runUntilIdle: () => drainJobs(own) },
        clock,
        renderer,
        purger,
        log,
        faults,
        purgeAgain,
      });
      let closed: Promise<void> | undefined;
      const close = () => {
        closed ??= queue.close().then(() => own.close());
        return closed;
      };
      const started = {
        ...process,
        redis: own,

        /** Ends it like SIGKILL. */
        async kill(): Promise<void> {
          cut();
          void close();
          await endLocks();
        },

        close,
      };
      running.add(started);
      return started;
    },

    async close(): Promise<void> {
      await Promise.all([...running].map((process) => process.close()));
      await emptyRedis(redis);
      await redis.close();
      await mongo.close();
      stopFollowing();
    },
  };
}

/** `cut` ends this connection and those that were made for jobs. */
function cuttable(redis: Redis): { redis: Redis; cut(): void } {
  const clients = [redis.client];
  return {
    redis: {
      ...redis,
      duplicate(changes) {
        const client = redis.duplicate(changes);
        clients.push(client);
        return client;
      },
    },
    cut() {
      for (const client of clients) client.disconnect();
    },
  };
}
