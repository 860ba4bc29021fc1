import { expect } from 'chai';
import type { Drop } from '../../shared/drops/drop.ts';
import { at, inParallel, later, makeDrop, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const day = '2026-01-31';
const nextDay = '2026-02-01';

/** The behaviour of ViewStore that both engines share. */
export function describeViewStoreContract(engine: string, openStores: OpenStores): void {
  describe(`ViewStore (${engine})`, () => {
    const stores = useStores(openStores);
    let flush = 0;

    const create = () => makeDrop(stores());

    async function erase({ id, slug }: Drop): Promise<void> {
      await stores().drops.remove(at(slug), later);
      await stores().pendingTasks.erase(id);
    }

    const add = ({ id }: Pick<Drop, 'id'>, count: number, on = day, writer = 'writer') =>
      stores().views.add(writer, ++flush, [{ dropId: id, day: on, count }]);

    /** The drop's views, in all and by day. */
    async function viewsOf({ id, slug }: Drop): Promise<[total: number | undefined, days: object]> {
      const drop = await stores().drops.find('owner', slug);
      return [drop?.viewCount, Object.fromEntries(await stores().views.listDays(id))];
    }

    it('adds views to each drop and to its days', async () => {
      const { views } = stores();
      const one = await create();
      const other = await create();
      const third = await create();
      await views.add('a', 1, [
        { dropId: one.id, day, count: 3 },
        { dropId: other.id, day, count: 5 },
        { dropId: one.id, day: nextDay, count: 1 },
      ]);
      await views.add('b', 1, [{ dropId: one.id, day, count: 2 }]);
      await views.add('a', 2, [{ dropId: one.id, day: nextDay, count: 10 }]);
      await views.aggregate(start);
      expect(await viewsOf(one)).to.deep.equal([16, { [day]: 5, [nextDay]: 11 }]);
      expect(await viewsOf(other)).to.deep.equal([5, { [day]: 5 }]);
      expect(await viewsOf(third)).to.deep.equal([0, {}]);
    });

    it('lists the days from a day on, in order', async () => {
      const drop = await create();
      for (const [i, on] of [nextDay, '2025-12-31', day].entries()) await add(drop, i + 1, on);
      await stores().views.aggregate(start);
      const listed = async (from?: string) => [...(await stores().views.listDays(drop.id, from))];
      const all = Object.entries({ '2025-12-31': 2, [day]: 3, [nextDay]: 1 });
      expect(await listed()).to.deep.equal(all);
      expect(await listed('2026-01-01')).to.deep.equal(all.slice(1));
      expect(await listed(nextDay)).to.deep.equal(all.slice(2));
      expect(await listed('2026-02-02')).to.deep.equal([]);
    });

    it('lists the views of many drops on given days', async () => {
      const one = await create();
      const other = await create();
      const third = await create();
      const fourth = await create();
      for (const [i, on] of [nextDay, '2025-12-31', day].entries()) await add(one, i + 1, on);
      await add(other, 4, day);
      await add(third, 5, '2025-12-31');
      await add(fourth, 6, day);
      const { views } = stores();
      await views.aggregate(start);
      const ids = [other.id, third.id, one.id, 'unknown'];
      const found = await views.listDaysOfDrops(ids, [nextDay, '2026-01-30', day]);
      const viewed = new Map([[one.id, new Map([[day, 3]]).set(nextDay, 1)]]);
      expect(found).to.deep.equal(viewed.set(other.id, new Map([[day, 4]])));
      expect((await views.listDaysOfDrops([], [day])).size).to.equal(0);
      expect((await views.listDaysOfDrops(ids, [])).size).to.equal(0);
    });

    it('adds each view once, however often it aggregates and whatever its clock says', async () => {
      const drop = await create();
      for (const [i, now] of [start, start, later, start].entries()) {
        await add(drop, 2);
        await inParallel(3, () => stores().views.aggregate(now));
        await stores().views.aggregate(now);
        expect(await viewsOf(drop)).to.deep.equal([2 * (i + 1), { [day]: 2 * (i + 1) }]);
      }
    });

    it('loses no view while many writers add and several jobs aggregate', async () => {
      const drop = await create();
      const adding = inParallel(50, (i) => add(drop, 1, day, `writer ${i}`));
      for (let i = 0; i < 5; i++) await inParallel(2, () => stores().views.aggregate(start + i));
      await adding;
      await stores().views.aggregate(later);
      expect(await viewsOf(drop)).to.deep.equal([50, { [day]: 50 }]);
    });

    it('ignores views of a drop that does not exist, and adds those of others', async () => {
      const gone = await create();
      const live = await create();
      await add(gone, 2);
      await stores().views.aggregate(start);
      await erase(gone);
      expect((await stores().views.listDays(gone.id)).size).to.equal(0);
      for (const drop of [gone, { id: 'unknown' }, live]) await add(drop, 1);
      await stores().views.aggregate(later);
      expect(await viewsOf(live)).to.deep.equal([1, { [day]: 1 }]);
      for (const { id } of [gone, { id: 'unknown' }]) {
        expect((await stores().views.listDays(id)).size).to.equal(0);
        expect(await stores().pendingTasks.find(id)).to.equal(null);
      }
    });

    it('changes nothing else of the drop', async () => {
      const drop = await create();
      await add(drop, 3);
      await stores().views.aggregate(start);
      expect(await stores().drops.find('owner', drop.slug)).to.deep.equal({ ...drop, viewCount: 3 });
    });

    it('removes days before a day, of all drops, and leaves the sums', async () => {
      const one = await create();
      const other = await create();
      for (const [i, on] of ['2024-01-30', '2024-01-31', nextDay].entries()) await add(one, i + 1, on);
      await add(other, 9, '2023-12-31');
      await stores().views.aggregate(start);
      for (let round = 0; round < 2; round++) {
        await stores().views.removeDaysBefore('2024-01-31');
        expect(await viewsOf(one)).to.deep.equal([6, { '2024-01-31': 2, [nextDay]: 3 }]);
        expect(await viewsOf(other)).to.deep.equal([9, {}]);
      }
    });

    it('removes more days than one part has', async () => {
      const drop = await create();
      const dayOfNumber = (n: number) => new Date(Date.UTC(2020, 0, 1 + n)).toISOString().slice(0, 10);
      const counts = Array.from({ length: 1_200 }, (_, n) => ({
        dropId: drop.id,
        day: dayOfNumber(n),
        count: 1,
      }));
      await stores().views.add('writer', ++flush, counts);
      await stores().views.aggregate(start);
      await stores().views.removeDaysBefore(dayOfNumber(1_198));
      expect((await stores().views.listDays(drop.id)).size).to.equal(2);
    });

    it('accepts an empty list, and aggregates nothing', async () => {
      await stores().views.add('writer', 1, []);
      await stores().views.aggregate(start);
    });

    it('adds to more drops and days than fit one command', async () => {
      const drops: Drop[] = [];
      while (drops.length < 300) drops.push(...(await inParallel(20, create)));
      const days = [day, nextDay];
      const counts = drops.flatMap(({ id }, i) => days.map((on) => ({ dropId: id, day: on, count: i + 1 })));
      await stores().views.add('writer', ++flush, counts);
      await stores().views.aggregate(start);
      const found = await Promise.all(drops.map(viewsOf));
      expect(found).to.deep.equal(drops.map((_, i) => [2 * (i + 1), { [day]: i + 1, [nextDay]: i + 1 }]));
    });
  });
}
