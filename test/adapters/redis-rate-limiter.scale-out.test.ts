import { expect } from 'chai';
import { minuteMs, timeWindowOf } from '../../shared/domain/time-windows.ts';
import { MemoryRateLimiter } from '../../shared/limits/memory.ts';
import { RedisRateLimiter } from '../../shared/limits/redis.ts';
import type { Redis } from '../../shared/redis/connection.ts';
import { countsOf, expectReserved } from '../contract/rate-limiter.contract.ts';
import { inParallel, later, start } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { inTimeMs } from '../support/in-time.ts';
import { untilBack, useRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { createThrottledRecordingLog } from '../worker/recording-log.ts';

describe('Limits that processes share in Redis', () => {
  const redis = useRedis();
  const minute = timeWindowOf(start, minuteMs);

  const limiterOn = (connection: Redis, log = createThrottledRecordingLog(createTestClock())) =>
    new RedisRateLimiter(connection, new MemoryRateLimiter(), log);

  /** Calls of one process for one key. */
  const countOn = (connection: Redis, limit: number, log = createThrottledRecordingLog(createTestClock())) =>
    countsOf(limiterOn(connection, log), limit);

  it('accept 60 of 200 parallel calls of three processes', async () => {
    const processes = await inParallel(3, async () => countOn(await redis.open(), 60));
    const accepted = await Promise.all(processes.map(({ takeMany }) => takeMany(67)));
    expect(accepted.reduce((sum, each) => sum + each, 0)).to.equal(60);
  });

  it('are never passed while reservations of several processes are taken back', async () => {
    const processes = [countOn(await redis.open(), 5), countOn(await redis.open(), 5)];
    let held = 0;
    let most = 0;
    await inParallel(200, async (i) => {
      const reserved = await (processes[i % 2] ?? expect.fail('two')).reserve();
      if (reserved === 'busy') return;
      held += 1;
      most = Math.max(most, held);
      held -= 1; // before the call: from then on another process may take it
      await expectReserved(reserved).settle(false);
    });
    expect(most).to.be.within(1, 5);
    expect(await processes[0]?.takeMany(10)).to.equal(5);
  });

  it('are used up by the reservations of a process that died, until the window ends', async () => {
    const connection = await redis.open();
    const died = countOn(await redis.open(), 1);
    const other = countOn(connection, 1);
    expectReserved(await died.reserve());
    expect(await other.reserve()).to.equal('busy');
    const [key = ''] = await connection.client.keys(`${connection.keyPrefix}*/reserved`);
    expect(await connection.client.ttl(key)).to.be.within(1, 5);
    await connection.client.del(key); // as when that time has passed
    expect(await other.reserve()).to.deep.equal({ key: 'k', limit: 1 });
    const next = countsOf(limiterOn(connection), 1, 'k', timeWindowOf(later, minuteMs));
    expectReserved(await next.reserve());
  });

  it('cost one command for each call, whatever the number of keys', async () => {
    const connection = await redis.open();
    const limiter = limiterOn(connection);
    const names: string[] = [];
    const send = connection.client.sendCommand.bind(connection.client);
    connection.client.sendCommand = (command, stream) => {
      names.push(command.name);
      return send(command, stream);
    };
    const quotas = ['a', 'b', 'c', 'd'].map((key) => ({ key, limit: 1 }));
    await limiter.take(quotas, minute);
    await limiter.take(quotas, minute);
    const others = ['e', 'f', 'g', 'h'].map((key) => ({ key, limit: 1 }));
    await expectReserved(await limiter.reserve(others, minute)).settle(true);
    expect(names).to.deep.equal(['eval', 'eval', 'eval', 'eval']);
  });

  it('leave no key in Redis that does not expire', async () => {
    const connection = await redis.open();
    const keys = () => connection.client.keys(`${connection.keyPrefix}*`);
    const count = countOn(connection, 1);
    await countOn(connection, 0).take();
    await expectReserved(await count.reserve()).settle(false);
    expect(await keys()).to.deep.equal([]);
    await expectReserved(await count.reserve()).settle(true);
    const [key = '', ...others] = await keys();
    expect(others).to.deep.equal([]);
    expect(await connection.client.ttl(key)).to.be.within(60, 120);
  });

  it('are counted by each process while Redis is down, and together again afterwards', async () => {
    const log = createThrottledRecordingLog(createTestClock());
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const cut = countOn(connection, 3, log);
    const other = countOn(await redis.open(), 3);
    expect(await cut.take()).to.equal(true);
    proxy.refuse();
    await until(() => !connection.isUp(), 'down');

    const startedAt = Date.now();
    const reserved = expectReserved(await cut.reserve());
    expect(await cut.takeMany(20)).to.equal(2);
    await reserved.settle(false);
    expect(await cut.takeMany(20)).to.equal(1);
    expect(Date.now() - startedAt).to.be.below(inTimeMs);
    expect(await other.take(), 'Redis has counted one').to.equal(true);

    proxy.restore();
    await untilBack(connection);
    expect([await cut.take(), await other.take(), await cut.take()]).to.deep.equal([true, false, false]);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).to.deep.equal([
      'warn Redis is unavailable or slow: each process counts limits for itself',
    ]);
  });

  it('count a reservation that cannot be settled', async () => {
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const cut = countOn(connection, 1);
    const other = countOn(await redis.open(), 1);
    const reserved = expectReserved(await cut.reserve());
    proxy.refuse();
    await until(() => !connection.isUp(), 'down');
    await reserved.settle(false);
    expectReserved(await cut.reserve()); // by this process
    expect(await other.take()).to.equal(false);
  });

  it('are counted by each process if Redis does not answer in time, each call once', async () => {
    const log = createThrottledRecordingLog(createTestClock());
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const limiter = limiterOn(connection, log);
    const count = countsOf(limiter, 60);
    await count.take();
    proxy.loseReplies();
    const startedAt = Date.now();
    expect(await count.takeMany(80)).to.equal(60);
    expect(Date.now() - startedAt).to.be.below(inTimeMs);
    expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn']);

    await until(() => !connection.isUp(), 'dropped');
    proxy.restore();
    await untilBack(connection);
    // Redis counted the first and the 59 of the 80 whose replies were lost.
    expect(await count.take()).to.equal(false);
    expect(await countsOf(limiter, 60, 'k', timeWindowOf(later, minuteMs)).takeMany(80)).to.equal(60);
  });

  it('are not passed when Redis is slow', async () => {
    const { redis: connection, proxy } = await redis.openThroughProxy();
    proxy.delay(100);
    expect(await countOn(connection, 3).takeMany(20)).to.equal(3);
  });

  it('are counted by a process that starts without Redis', async () => {
    const connection = await redis.open({ url: 'redis://127.0.0.1:1', waitMs: 100 });
    expect(await countOn(connection, 2).takeMany(5)).to.equal(2);
  });
});
