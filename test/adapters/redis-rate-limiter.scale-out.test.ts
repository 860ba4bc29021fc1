import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../shared/adapters/memory/rate-limiter.ts';
import type { Redis } from '../../shared/adapters/redis/connection.ts';
import { createRedisRateLimiter } from '../../shared/adapters/redis/rate-limiter.ts';
import { minuteOf } from '../../shared/domain/windows.ts';
import type { RateLimiter } from '../../shared/ports/rate-limiter.ts';
import { inParallel, later, start } from '../contract/records.ts';
import { untilBack, useRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('The limits of many processes', () => {
  const redis = useRedis();
  const minute = minuteOf(start);
  const nextMinute = minuteOf(later);

  function limiterOn(connection: Redis, log = createRecordingLog()): RateLimiter {
    return createRedisRateLimiter(connection, createMemoryRateLimiter(), log);
  }

  function granted(taken: readonly boolean[]): number {
    return taken.filter(Boolean).length;
  }

  /** The names of the commands that it sends while the work is done. */
  async function commandsOf(connection: Redis, work: () => Promise<unknown>): Promise<string[]> {
    const names: string[] = [];
    const { client } = connection;
    const send = client.sendCommand.bind(client);
    client.sendCommand = (command, stream) => {
      names.push(command.name);
      return send(command, stream);
    };
    await work();
    client.sendCommand = send;
    return names;
  }

  it('lets exactly 60 of 200 through that come to three processes at once', async () => {
    const limiters = await inParallel(3, async () => limiterOn(await redis.open()));
    const taken = await inParallel(200, (i) => {
      const limiter = limiters[i % 3];
      if (limiter === undefined) throw new Error('There are three');
      return limiter.take('k', 60, minute);
    });
    expect(granted(taken)).to.equal(60);
  });

  it('never lets more be held than the limit, with tries given back all the time', async () => {
    const limiters = await inParallel(2, async () => limiterOn(await redis.open()));
    let held = 0;
    let most = 0;
    await inParallel(200, async (i) => {
      const limiter = limiters[i % 2];
      if (limiter === undefined || !(await limiter.take('k', 5, minute))) return;
      held += 1;
      most = Math.max(most, held);
      held -= 1; // before it is given back, since then another process may have it
      await limiter.giveBack('k', minute);
    });
    expect(most).to.be.within(1, 5);
    expect(granted(await inParallel(10, () => takeFrom(limiters[0], 5)))).to.equal(5);
  });

  async function takeFrom(limiter: RateLimiter | undefined, limit: number): Promise<boolean> {
    if (limiter === undefined) throw new Error('There is one');
    return limiter.take('k', limit, minute);
  }

  it('gives back in one process what another took, and never below 0', async () => {
    const [one, other] = [limiterOn(await redis.open()), limiterOn(await redis.open())];
    await one.take('k', 1, minute);
    await inParallel(5, () => other.giveBack('k', minute));
    expect(granted(await inParallel(5, () => one.take('k', 1, minute)))).to.equal(1);
  });

  it('asks Redis once for each take, granted or refused, and once for what is given back', async () => {
    const connection = await redis.open();
    const limiter = limiterOn(connection);
    await limiter.take('warm', 1, minute); // the first sends the script itself
    const commands = await commandsOf(connection, async () => {
      await limiter.take('k', 1, minute);
      await limiter.take('k', 1, minute);
      await limiter.giveBack('k', minute);
    });
    expect(commands).to.deep.equal(['evalsha', 'evalsha', 'evalsha']);
  });

  it('leaves nothing in Redis that stays', async () => {
    const connection = await redis.open();
    const limiter = limiterOn(connection);
    await limiter.giveBack('never taken', minute);
    await limiter.take('refused', 0, minute);
    await limiter.take('given back', 1, minute);
    await limiter.giveBack('given back', minute);
    expect(await connection.client.keys(`${connection.keyPrefix}*`)).to.deep.equal([]);
    await limiter.take('k', 1, minute);
    const [key = ''] = await connection.client.keys(`${connection.keyPrefix}*`);
    expect(await connection.client.ttl(key)).to.be.within(60, 120);
  });

  it('counts in each process while Redis is away, at once, and together again when it is back', async () => {
    const log = createRecordingLog();
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const [cut, other] = [limiterOn(connection, log), limiterOn(await redis.open())];
    expect(await cut.take('k', 3, minute)).to.equal(true);
    proxy.refuse();
    await until(() => !connection.isUp(), 'away');

    const startedAt = Date.now();
    expect(granted(await inParallel(20, () => cut.take('k', 3, minute)))).to.equal(3);
    await cut.giveBack('k', minute);
    expect(granted(await inParallel(20, () => cut.take('k', 3, minute)))).to.equal(1);
    expect(Date.now() - startedAt).to.be.below(500);
    expect(await other.take('k', 3, minute), 'of Redis there is one taken').to.equal(true);

    proxy.restore();
    await untilBack(connection);
    expect(await cut.take('k', 3, minute)).to.equal(true);
    expect(await other.take('k', 3, minute)).to.equal(false);
    expect(await cut.take('k', 3, minute)).to.equal(false);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).to.deep.equal([
      'warn each process counts limits for itself while Redis is late or away',
    ]);
  });

  it('answers within the time-out when Redis is silent, and counts no try twice', async () => {
    const log = createRecordingLog();
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const [limiter, other] = [limiterOn(connection, log), limiterOn(await redis.open())];
    await limiter.take('k', 60, minute);
    proxy.loseReplies();
    const startedAt = Date.now();
    expect(granted(await inParallel(80, () => limiter.take('k', 60, minute)))).to.equal(60);
    expect(Date.now() - startedAt).to.be.below(2_500);
    expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn']);

    await until(() => !connection.isUp(), 'dropped', 3_000);
    proxy.restore();
    await untilBack(connection);
    // In Redis are the first and those 59 of the 80 that it let through before their answers were lost.
    expect(await other.take('k', 60, minute)).to.equal(false);
    expect(granted(await inParallel(80, () => other.take('k', 60, nextMinute)))).to.equal(60);
  });

  it('is late, and still right, when Redis is slow', async () => {
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const limiter = limiterOn(connection);
    proxy.delay(100);
    expect(granted(await inParallel(20, () => limiter.take('k', 3, minute)))).to.equal(3);
  });

  it('counts for itself from the start where Redis is not there yet', async () => {
    const connection = await redis.open({ url: 'redis://127.0.0.1:1', waitMs: 100 });
    const limiter = limiterOn(connection);
    expect(granted(await inParallel(5, () => limiter.take('k', 2, minute)))).to.equal(2);
  });
});
