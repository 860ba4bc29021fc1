import { randomBytes } from 'node:crypto';
import { openRedis, type Redis, type RedisSettings } from '../../shared/adapters/redis/connection.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { type FlakyProxy, openFlakyProxy } from './flaky-proxy.ts';
import { until } from './until.ts';

/** The Redis that the run gives its tests. */
export function redisUrl(): string {
  const url = process.env.REDIS_URL;
  if (!url) throw new Error('REDIS_URL is unset: these tests need a Redis, like redis://127.0.0.1:6379');
  return url;
}

/** How long tests let a job be put in line: it is no fault where the machine that runs them is slow. */
export const patientEnqueueMs = 5_000;

/** Names no other test has, so that keys are nobody else's. */
export function newRedisPrefix(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** Everything whose name begins with the connection's prefix: gone, as if Redis had been emptied. */
export async function emptyRedis(redis: Redis): Promise<void> {
  for await (const keys of redis.client.scanStream({ match: `${redis.keyPrefix}*`, count: 1_000 })) {
    if (keys.length > 0) await redis.client.unlink(...keys);
  }
}

/** Waits until it carries commands out again. @throws Error after 5 s */
export async function untilBack(redis: Redis): Promise<void> {
  const answers = () =>
    redis.client.ping().then(
      () => true,
      () => false,
    );
  await until(answers, 'Redis is back');
}

/**
 * Gives each test of the suite that this is called in a prefix of its own, and as many connections to it as it asks
 * for: processes that share nothing but Redis. After the test the connections end and the keys are gone.
 */
export function useRedis() {
  const opened: Redis[] = [];
  const proxies: FlakyProxy[] = [];
  let prefix = '';

  beforeEach(() => {
    prefix = newRedisPrefix();
  });

  afterEach(async () => {
    for (const redis of opened.splice(0)) await redis.close();
    for (const proxy of proxies.splice(0)) await proxy.close();
    const redis = await open();
    await emptyRedis(redis);
    await redis.close();
  });

  function open(changes: Partial<RedisSettings> = {}): Promise<Redis> {
    const log = createRecordingLog();
    const settings = { url: redisUrl(), prefix, rejectUnauthorized: true, log };
    return openRedis({ ...settings, ...changes });
  }

  return {
    async open(changes: Partial<RedisSettings> = {}): Promise<Redis> {
      const redis = await open(changes);
      opened.push(redis);
      return redis;
    },

    /** A connection that goes through a proxy of its own. */
    async openThroughProxy(
      changes: Partial<RedisSettings> = {},
    ): Promise<{ redis: Redis; proxy: FlakyProxy }> {
      const proxy = await openFlakyProxy(redisUrl());
      proxies.push(proxy);
      const redis = await open({ url: proxy.throughProxy(redisUrl()), ...changes });
      opened.push(redis);
      return { redis, proxy };
    },
  };
}
