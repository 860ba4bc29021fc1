import { expect } from 'chai';
import { createMongoStores } from '../../shared/mongo/stores.ts';
import { MongoViewTotals } from '../../shared/views/mongo.ts';
import { inParallel, makeDrop, start } from '../contract/records.ts';
import { useOnce } from '../support/between.ts';
import { createTestClock } from '../support/clock.ts';
import { openTestMongo } from '../support/mongo.ts';

const day = '2026-01-31';
const nextDay = '2026-02-01';

describe('Batches of views in MongoDB', () => {
  const test = useOnce(openTestMongo);
  const drops = useOnce(() => createMongoStores(test.mongo.connection, createTestClock(start)).drops);
  const totals = useOnce(() => new MongoViewTotals(test.mongo.connection));

  async function create() {
    const { id, slug } = await makeDrop({ drops });
    return {
      count: (count: number, on = day) => ({ dropId: id, day: on, count }),
      views: async () => [
        (await drops.find('owner', slug))?.viewCount,
        Object.fromEntries(await totals.listDays(id)),
      ],
    };
  }

  it('are added once each; a batch with a number below the last one is ignored', async () => {
    const drop = await create();
    await inParallel(10, () => totals.addBatch(start, [drop.count(3)]));
    expect(await drop.views()).to.deep.equal([3, { [day]: 3 }]);
    await totals.addBatch(start + 1, [drop.count(4)]);
    for (const number of [start, start + 1]) await totals.addBatch(number, [drop.count(100)]);
    expect(await drop.views()).to.deep.equal([7, { [day]: 7 }]);
  });

  it('are completed after a partial addition: drops without days, or some of the drops', async () => {
    const one = await create();
    const other = await create();
    await totals.addBatch(start, [other.count(5)]);
    await test.mongo.connection.collection('day_views').deleteMany({ day });
    await totals.addBatch(start, [one.count(3), other.count(5)]);
    expect(await one.views()).to.deep.equal([3, { [day]: 3 }]);
    expect(await other.views()).to.deep.equal([5, { [day]: 5 }]);
  });

  it('add to a new day whatever the number of the last batch of another day', async () => {
    const drop = await create();
    await totals.addBatch(start + 1, [drop.count(5, nextDay)]);
    await totals.addBatch(start + 2, [drop.count(3), drop.count(1, nextDay)]);
    expect(await drop.views()).to.deep.equal([9, { [day]: 3, [nextDay]: 6 }]);
  });

  it('are added to days that another batch creates at the same moment', async () => {
    const all = await inParallel(100, create);
    const adding = all.flatMap((drop) => [start, start + 1].map((n) => totals.addBatch(n, [drop.count(1)])));
    await Promise.all(adding);
    const views = () => Promise.all(all.map((drop) => drop.views()));
    const added = await views();
    const counts = all.map((drop) => drop.count(1));
    await totals.addBatch(start + 1, counts);
    expect(await views(), 'every drop and day had the later batch').to.deep.equal(added);
  });
});
