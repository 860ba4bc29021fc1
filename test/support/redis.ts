import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { openRedis, type Redis, type RedisSettings } from '../../shared/redis/connection.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { type FlakyProxy, openFlakyProxy } from './flaky-proxy.ts';
import { until } from './until.ts';

export function redisUrl(): string {
  const url = process.env.REDIS_URL;
  if (!url) throw new Error('REDIS_URL is unset: these tests need a Redis, like redis://127.0.0.1:6379');
  return url;
}

/** How long tests let a job be put in line: it is no fault where the machine that runs them is slow. */
export const longEnqueueMs = 5_000;

/** Names no other test has, so that keys are nobody else's. */
export function newRedisPrefix(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** Watches the commands that name the prefix, without those inside scripts, by MONITOR: ioredis' own loses commands. */
export async function watchCommands(prefix: string) {
  const { hostname: host, port } = new URL(redisUrl());
  const socket = createConnection({ host, port: Number(port) });
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.write('MONITOR\r\n');
  await until(() => text.startsWith('+OK\r\n'), 'Redis reports commands');
  const list = () => text.split('\r\n').filter((line) => line.includes(prefix) && !line.includes(' lua] '));
  return {
    /** Waits until all commands before this call are seen, then ends. @returns each command as Redis prints it */
    async end({ client }: Pick<Redis, 'client'>): Promise<string[]> {
      await client.echo(`the end of ${prefix}`);
      const endsAt = () => list().findIndex((line) => line.includes('the end of'));
      await until(() => endsAt() >= 0, 'the last command is seen');
      socket.destroy();
      return list().slice(0, endsAt());
    },
    list,
  };
}

export function openTestRedis(prefix: string, changes: Partial<RedisSettings> = {}): Promise<Redis> {
  const log = createRecordingLog();
  return openRedis({ url: redisUrl(), prefix, rejectUnauthorized: true, log, ...changes });
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

/** Gives each test a prefix of its own and connections to it. After the test the connections and the keys are gone. */
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
    const redis = await openTestRedis(prefix);
    await emptyRedis(redis);
    await redis.close();
  });

  return {
    async open(changes: Partial<RedisSettings> = {}): Promise<Redis> {
      const redis = await openTestRedis(prefix, changes);
      opened.push(redis);
      return redis;
    },

    /** A connection that goes through a proxy of its own. */
    async openThroughProxy(
      changes: Partial<RedisSettings> = {},
    ): Promise<{ redis: Redis; proxy: FlakyProxy }> {
      const proxy = await openFlakyProxy(redisUrl());
      proxies.push(proxy);
      const redis = await openTestRedis(prefix, { url: proxy.throughProxy(redisUrl()), ...changes });
      opened.push(redis);
      return { redis, proxy };
    },
  };
}
