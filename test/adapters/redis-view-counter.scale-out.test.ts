import { expect } from 'chai';
import { createRedisViewCounter } from '../../shared/adapters/redis/view-counter.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { ViewCount, ViewCounter } from '../../shared/ports/view-counter.ts';
import { inParallel, later, start } from '../contract/records.ts';
import { emptyRedis, redisUrl, untilBack, useRedis } from '../support/redis.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';

const day = '2026-01-31';

/** As many drops as that, each viewed once. */
function viewsOf(drops: number): ViewCount[] {
  return Array.from({ length: drops }, (_, i) => ({ dropId: `01jkd0000000000000000d${i}`, day, count: 1 }));
}

/** Fetches as the job does until nothing is left: the sum for each drop, and the batches' numbers. */
async function collect(counter: ViewCounter, now = start) {
  const sums = new Map<string, number>();
  const numbers: number[] = [];
  const sizes: number[] = [];
  for (let batch = await counter.openBatch(now); batch !== null; batch = await counter.openBatch(now)) {
    numbers.push(batch.number);
    sizes.push(batch.counts.length);
    for (const { dropId, count } of batch.counts) sums.set(dropId, (sums.get(dropId) ?? 0) + count);
    await counter.closeBatch(batch.number);
  }
  const total = [...sums.values()].reduce((sum, count) => sum + count, 0);
  return { sums, numbers, sizes, total };
}

describe('The views that many processes count', () => {
  const redis = useRedis();

  async function openCounter(): Promise<ViewCounter> {
    return createRedisViewCounter(await redis.open());
  }

  async function expectUnavailable(work: Promise<unknown>): Promise<void> {
    const error = await rejectionOf(work);
    expect(error).to.be.instanceOf(DropError).with.property('code', 'unavailable');
    const { cause } = error;
    if (cause !== undefined) expect(cause).not.to.have.property('command');
  }

  it('adds up what comes from everywhere, and every job sees the same batch', async () => {
    const counters = await inParallel(3, openCounter);
    const flushInTurn = async (counter: ViewCounter, writer: string) => {
      for (const [i, view] of viewsOf(50).entries()) await counter.add(writer, i + 1, [view], start);
    };
    await Promise.all(counters.map((counter, i) => flushInTurn(counter, `w${i}`)));
    const batches = await Promise.all(counters.map((counter) => counter.openBatch(start)));
    expect(batches[1]).to.deep.equal(batches[0]);
    expect(batches[2]).to.deep.equal(batches[0]);
    expect(batches[0]?.counts).to.have.length(50);
    expect(batches[0]?.counts.every(({ count }) => count === 3)).to.equal(true);
  });

  it('counts a flush once whose answer was lost', async () => {
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const [cut, whole] = [createRedisViewCounter(connection), await openCounter()];
    await cut.add('w', 1, viewsOf(3), start);
    proxy.loseReplies();
    await expectUnavailable(cut.add('w', 2, viewsOf(3), start));
    proxy.restore();
    await untilBack(connection);
    await cut.add('w', 2, viewsOf(3), start);
    expect((await collect(whole)).total).to.equal(6);
  });

  it('adds the rest of a large flush that was cut in the middle, and none of it twice', async () => {
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const [cut, whole] = [createRedisViewCounter(connection), await openCounter()];
    const views = viewsOf(20_000);
    proxy.delay(20); // each of its parts takes 40 ms, so that the cut comes between two
    const adding = expectUnavailable(cut.add('w', 1, views, start));
    await until(async () => (await whole.openBatch(start)) !== null, 'begun');
    proxy.reset();
    await adding;
    proxy.restore();
    await untilBack(connection);
    await cut.add('w', 1, views, start);
    const { sums, total } = await collect(whole);
    expect(total).to.equal(20_000);
    expect(sums.size).to.equal(20_000);
  });

  it('is unavailable at once while Redis is away, within the time-out when it is silent', async () => {
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const counter = createRedisViewCounter(connection);
    await counter.add('w', 1, viewsOf(1), start);
    proxy.goSilent();
    let startedAt = Date.now();
    await Promise.all([
      expectUnavailable(counter.add('w', 2, viewsOf(1), start)),
      expectUnavailable(counter.openBatch(start)),
      expectUnavailable(counter.closeBatch(start)),
      expectUnavailable(counter.forgetWriters(start)),
    ]);
    expect(Date.now() - startedAt).to.be.below(2_500);
    proxy.refuse();
    await until(() => !connection.isUp(), 'away');
    startedAt = Date.now();
    await expectUnavailable(counter.add('w', 2, viewsOf(1), start));
    expect(Date.now() - startedAt).to.be.below(100);
    proxy.restore();
    await untilBack(connection);
    await counter.add('w', 2, viewsOf(1), start);
    expect((await collect(counter)).total).to.equal(2);
  });

  it('hands a large flush out in batches of a bounded size', async () => {
    const counter = await openCounter();
    await counter.add('w', 1, viewsOf(50_000), start);
    const { sums, sizes, numbers } = await collect(counter);
    expect(sums.size).to.equal(50_000);
    expect(Math.max(...sizes)).to.be.at.most(12_000);
    expect(numbers).to.deep.equal(numbers.map((_, i) => start + i));
  });

  it('forgets thousands of silent writers', async () => {
    const connection = await redis.open();
    const heard = `${connection.keyPrefix}views:heard`;
    // As they lie in Redis: to hear of them one by one takes seconds.
    await connection.client.zadd(heard, ...Array.from({ length: 20_000 }, (_, i) => [start, `w${i}`]).flat());
    await createRedisViewCounter(connection).forgetWriters(later);
    expect(await connection.client.zcard(heard)).to.equal(0);
  });

  it('leaves one small key in Redis when all is fetched and all writers are silent', async () => {
    const connection = await redis.open();
    const counter = createRedisViewCounter(connection);
    await counter.add('w', 1, viewsOf(5), start);
    await collect(counter);
    await counter.forgetWriters(later);
    expect(await connection.client.keys(`${connection.keyPrefix}*`)).to.deep.equal([
      `${connection.keyPrefix}views:state`,
    ]);
  });

  describe('when Redis was emptied', () => {
    it('counts on, with numbers that rise as the clock does', async () => {
      const connection = await redis.open();
      const counter = createRedisViewCounter(connection);
      await counter.add('w', 1, viewsOf(2), start);
      const { numbers: before } = await collect(counter);
      await emptyRedis(connection);
      await counter.add('w', 2, viewsOf(2), later);
      const { numbers, total } = await collect(counter, later);
      expect(total).to.equal(2);
      expect(numbers[0]).to.be.above(before[0] ?? Number.NaN);
    });

    it('gives an addition up that may have been counted before', async () => {
      const { redis: connection, proxy } = await redis.openThroughProxy();
      const [cut, whole] = [createRedisViewCounter(connection), await openCounter()];
      await cut.add('w', 1, viewsOf(1), start);
      proxy.loseReplies();
      await expectUnavailable(cut.add('w', 2, viewsOf(1), start));
      expect((await collect(whole)).total, 'both are in the drops').to.equal(2);
      await emptyRedis(await redis.open());
      proxy.restore();
      await untilBack(connection);
      await cut.add('w', 2, viewsOf(1), later);
      expect((await collect(whole, later)).total).to.equal(0);
      await cut.add('w', 3, viewsOf(1), later);
      expect((await collect(whole, later)).total).to.equal(1);
    });

    it('keeps what was gathered while it was away, which was never sent', async () => {
      const { redis: connection, proxy } = await redis.openThroughProxy();
      const counter = createRedisViewCounter(connection);
      await counter.add('w', 1, viewsOf(1), start);
      await collect(counter);
      proxy.refuse();
      await until(() => !connection.isUp(), 'away');
      await expectUnavailable(counter.add('w', 2, viewsOf(7), start));
      await emptyRedis(await redis.open());
      proxy.restore();
      await untilBack(connection);
      await counter.add('w', 2, viewsOf(7), later);
      expect((await collect(counter, later)).total).to.equal(7);
    });

    it('does not take new counts for those of a batch that was open before', async () => {
      const connection = await redis.open();
      const counter = createRedisViewCounter(connection);
      await counter.add('w', 1, viewsOf(1), start);
      const before = await counter.openBatch(start);
      await emptyRedis(connection);
      await counter.add('w', 2, viewsOf(3), later);
      await counter.closeBatch(before?.number ?? Number.NaN);
      const after = await counter.openBatch(later);
      expect(after?.number).to.equal(later);
      expect(after?.counts).to.have.length(3);
    });
  });

  it('throws what is wrong with the data as it is', async () => {
    const connection = await redis.open({ url: redisUrl() });
    const counter = createRedisViewCounter(connection);
    await connection.client.set(`${connection.keyPrefix}views:line`, 'no list');
    const error = await rejectionOf(counter.openBatch(start));
    expect(error).not.to.be.instanceOf(DropError);
    expect(error.message).to.include('WRONGTYPE');
    expect(error).not.to.have.property('command');
  });
});
