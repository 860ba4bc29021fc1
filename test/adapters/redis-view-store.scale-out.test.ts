import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import type { Redis } from '../../shared/redis/connection.ts';
import { RedisViews } from '../../shared/views/redis.ts';
import type { ViewCount, ViewTotals } from '../../shared/views/view-store.ts';
import { inParallel, later, start } from '../contract/records.ts';
import { useEach } from '../support/between.ts';
import { atOnce, inTimeMs } from '../support/in-time.ts';
import { emptyRedis, redisUrl, untilBack, useRedis } from '../support/redis.ts';
import { rejectionOf } from '../support/rejection.ts';
import { until } from '../support/until.ts';
import { createMeanwhile } from '../worker/faults.ts';

const day = '2026-01-31';
const nextDay = '2026-02-01';

/** One view of each of as many drops. */
function viewsOf(drops: number, on = day): ViewCount[] {
  return Array.from({ length: drops }, (_, i) => ({
    dropId: `01jkd0000000000000000d${i}`,
    day: on,
    count: 1,
  }));
}

/** Totals in memory that obey their port: a record ignores a batch that is not above its last one. */
function createTotals() {
  const records = new Map<string, { batch: number; count: number }>();
  const numbers: number[] = [];

  function add(id: string, batch: number, count: number): void {
    const record = records.get(id) ?? { batch: 0, count: 0 };
    if (record.batch < batch) records.set(id, { batch, count: record.count + count });
  }

  const totals: ViewTotals = {
    async addBatch(number, counts) {
      numbers.push(number);
      const drops = new Map<string, number>();
      for (const { dropId, count } of counts) drops.set(dropId, (drops.get(dropId) ?? 0) + count);
      for (const [dropId, count] of drops) add(dropId, number, count);
      for (const { dropId, day, count } of counts) add(`${dropId}/${day}`, number, count);
    },
    removeDaysBefore: async () => undefined,
    listDays: async () => new Map(),
    listDaysOfDrops: async () => new Map(),
  };
  const sum = (isDay: boolean) =>
    [...records].reduce((sum, [id, { count }]) => sum + (id.includes('/') === isDay ? count : 0), 0);
  return { ...totals, numbers, ofDrops: () => sum(false), ofDays: () => sum(true) };
}

describe('Views in Redis', () => {
  const redis = useRedis();
  const totals = useEach(createTotals);

  const openStore = async () => new RedisViews(await redis.open(), totals);

  /** A store behind a proxy, and one with a connection of its own. */
  async function openBoth() {
    const { redis: connection, proxy } = await redis.openThroughProxy();
    const restore = async () => {
      proxy.restore();
      await untilBack(connection);
    };
    return {
      cut: new RedisViews(connection, totals),
      whole: await openStore(),
      connection,
      proxy,
      restore,
    };
  }

  async function expectUnavailable(work: Promise<unknown>): Promise<void> {
    const error = await rejectionOf(work);
    expect(error).to.be.instanceOf(DropError).with.property('code', 'unavailable');
    const { cause } = error;
    if (cause !== undefined) expect(cause).not.to.have.property('command');
  }

  function expectTotal(views: number): void {
    expect([totals.ofDrops(), totals.ofDays()]).to.deep.equal([views, views]);
  }

  it('of a repeated flush count once, also after its batch was aggregated', async () => {
    const store = await openStore();
    await inParallel(10, () => store.add('w', 1, viewsOf(2)));
    await store.add('w', 2, viewsOf(2));
    await store.add('w', 1, viewsOf(2));
    await store.aggregate(start);
    await store.add('w', 2, viewsOf(2));
    await store.add('other', 1, viewsOf(2));
    await store.aggregate(start);
    expectTotal(6);
  });

  it('of a flush whose reply was lost count once', async () => {
    const { cut, whole, proxy, restore } = await openBoth();
    await cut.add('w', 1, viewsOf(3));
    proxy.loseReplies();
    await expectUnavailable(cut.add('w', 2, viewsOf(3)));
    await restore();
    await cut.add('w', 2, viewsOf(3));
    await whole.aggregate(start);
    expectTotal(6);
  });

  it('count once when another process aggregates at any step', async () => {
    const other = await openStore();
    const connection = await redis.open();
    let flush = 0;
    const view = () => other.add('w', ++flush, [...viewsOf(5), ...viewsOf(5, nextDay)]);
    for (let step = 1, isOver = false; !isOver; step++) {
      await view();
      const meanwhile = createMeanwhile('views.aggregate', step, async () => {
        await other.aggregate(start);
        await view();
        await other.aggregate(start);
      });
      const client = meanwhile.wrap(connection.client);
      const one = new RedisViews({ ...connection, client }, meanwhile.wrap(totals));
      await meanwhile.within('views.aggregate', () => one.aggregate(start));
      isOver = !meanwhile.hasOccurred();
      expectTotal(10 * flush);
      if (isOver) expect(step).to.be.above(5);
    }
  });

  it('of a batch that an earlier run left open are added first, under its number', async () => {
    const store = await openStore();
    await store.add('w', 1, viewsOf(1));
    const failing = new RedisViews(await redis.open(), {
      ...totals,
      async addBatch(number, counts) {
        await totals.addBatch(number, counts);
        throw new Error('killed');
      },
    });
    await rejectionOf(failing.aggregate(start));
    await store.add('w', 2, viewsOf(10));
    await store.aggregate(later);
    expect(totals.numbers).to.deep.equal([start, start, later]);
    expectTotal(11);
  });

  it('of 50,000 drops are added, and leave one small key in Redis', async () => {
    const connection = await redis.open();
    const store = new RedisViews(connection, totals);
    for (let flush = 1; flush <= 100; flush++)
      await store.add('w', flush, viewsOf(50_000).slice(500 * (flush - 1), 500 * flush));
    await store.aggregate(start);
    expectTotal(50_000);
    const keyOf = (name: string) => `${connection.keyPrefix}views:${name}`;
    expect(await connection.client.ttl(keyOf('flush:w'))).to.be.within(86_000, 86_400);
    await connection.client.unlink(keyOf('flush:w'));
    expect(await connection.client.keys(`${connection.keyPrefix}*`)).to.deep.equal([keyOf('state')]);
  });

  it('add throws unavailable at once while Redis is down, and after the timeout if Redis does not answer', async () => {
    const { cut, connection, proxy, restore } = await openBoth();
    await cut.add('w', 1, viewsOf(1));
    proxy.goSilent();
    const startedAt = Date.now();
    await Promise.all([
      expectUnavailable(cut.add('w', 2, viewsOf(1))),
      expectUnavailable(cut.aggregate(start)),
    ]);
    expect(Date.now() - startedAt).to.be.below(inTimeMs);
    proxy.refuse();
    await until(() => !connection.isUp(), 'down');
    await atOnce(expectUnavailable(cut.add('w', 2, viewsOf(1))));
    await restore();
    await cut.add('w', 2, viewsOf(1));
    await cut.aggregate(start);
    expectTotal(2);
  });

  it('that the first release recorded are added, its open batch under its number', async () => {
    const connection: Redis = await redis.open();
    const keyOf = (name: string) => `${connection.keyPrefix}views:${name}`;
    const { client } = connection;
    const open = viewsOf(3);
    const next = viewsOf(4);
    await totals.addBatch(start, open.slice(0, 2)); // in part
    const fields = (counts: ViewCount[]) => counts.flatMap(({ dropId }) => [`${day}/${dropId}`, 1]);
    await client.hset(keyOf('state'), { epoch: 'e', heaps: 2, last: start, open: start });
    await client.rpush(keyOf('line'), 'e:1', 'e:2');
    await client.hset(keyOf('heap:e:1'), ...fields(open));
    await client.hset(keyOf('heap:e:2'), ...fields(next));
    const store = new RedisViews(connection, totals);
    await store.add('w', 1, viewsOf(1));
    for (let run = 0; run < 3; run++) await store.aggregate(start);
    expect(totals.numbers).to.deep.equal([start, start, start + 1, start + 2]);
    expectTotal(8);
    expect((await client.keys(`${connection.keyPrefix}*`)).sort()).to.deep.equal([
      keyOf('flush:w'),
      keyOf('state'),
    ]);
  });

  it('throws errors of the data unchanged', async () => {
    const connection = await redis.open({ url: redisUrl() });
    await connection.client.set(`${connection.keyPrefix}views:state`, 'not a hash');
    const error = await rejectionOf(new RedisViews(connection, totals).aggregate(start));
    expect(error).not.to.be.instanceOf(DropError);
    expect(error.message).to.include('WRONGTYPE');
    expect(error).not.to.have.property('command');
  });

  it('come in batches whose numbers rise, whatever the clock says', async () => {
    const store = await openStore();
    for (const [i, now] of [start, start, later, start].entries()) {
      await store.add('w', i + 1, viewsOf(1));
      await store.aggregate(now);
    }
    expect(totals.numbers).to.deep.equal([start, start + 1, later, later + 1]);
  });

  it('are counted after Redis was emptied, also if a batch was open', async () => {
    const connection = await redis.open();
    const store = new RedisViews(connection, totals);
    await store.add('w', 1, viewsOf(2));
    await store.aggregate(start);
    await emptyRedis(connection);
    await store.add('w', 2, viewsOf(2));
    await store.aggregate(later);
    expectTotal(4);
  });
});
