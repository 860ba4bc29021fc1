import { expect } from 'chai';
import type { Drop } from '../../shared/domain/drop.ts';
import { aDrop, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const day = '2026-01-31';
const nextDay = '2026-02-01';

/** What any engine must do for ViewTotals. */
export function describeViewTotalsContract(engine: string, openStores: OpenStores): void {
  describe(`ViewTotals (${engine})`, () => {
    const stores = useStores(openStores);

    async function create(): Promise<Drop> {
      const made = await stores().drops.create(aDrop(), 500, []);
      if (typeof made === 'string') throw new Error(`Not made: ${made}`);
      return made;
    }

    async function erase({ id, slug }: Drop): Promise<void> {
      await stores().drops.remove('owner', slug, later);
      await stores().pendingTasks.erase(id);
    }

    async function viewsOf({ slug }: Drop): Promise<number | undefined> {
      return (await stores().drops.find('owner', slug))?.viewCount;
    }

    async function daysOf({ id }: Drop): Promise<Record<string, number>> {
      return Object.fromEntries(await stores().viewTotals.listDays(id));
    }

    describe('addToDrops', () => {
      const add = ({ id }: Drop, batch: number, count: number) =>
        stores().viewTotals.addToDrops(batch, [{ dropId: id, count }]);

      it('adds to each drop its own views', async () => {
        const [one, other, third] = [await create(), await create(), await create()];
        await stores().viewTotals.addToDrops(start, [
          { dropId: one.id, count: 3 },
          { dropId: other.id, count: 5 },
        ]);
        expect(await Promise.all([one, other, third].map(viewsOf))).to.deep.equal([3, 5, 0]);
      });

      it('adds once for each batch, and never for one below the last', async () => {
        const drop = await create();
        await inParallel(10, () => add(drop, start, 3));
        expect(await viewsOf(drop)).to.equal(3);
        await add(drop, start + 1, 4);
        await add(drop, start, 100);
        await add(drop, start + 1, 100);
        expect(await viewsOf(drop)).to.equal(7);
      });

      it('adds what is missing where part of the batch was added before', async () => {
        const [one, other] = [await create(), await create()];
        await add(other, start, 5);
        await stores().viewTotals.addToDrops(start, [
          { dropId: one.id, count: 3 },
          { dropId: other.id, count: 5 },
        ]);
        expect(await Promise.all([one, other].map(viewsOf))).to.deep.equal([3, 5]);
      });

      it('passes over drops that are gone, and makes none', async () => {
        const [gone, live] = [await create(), await create()];
        await erase(gone);
        await stores().viewTotals.addToDrops(start, [
          { dropId: gone.id, count: 1 },
          { dropId: 'unknown', count: 1 },
          { dropId: live.id, count: 2 },
        ]);
        expect(await viewsOf(live)).to.equal(2);
        expect(await stores().pendingTasks.find(gone.id)).to.equal(null);
        expect(await stores().pendingTasks.find('unknown')).to.equal(null);
      });

      it('changes nothing else of the drop', async () => {
        const drop = await create();
        await add(drop, start, 3);
        const found = await stores().drops.find('owner', drop.slug);
        expect(found).to.deep.equal({ ...drop, viewCount: 3 });
      });

      it('takes no counts at all', async () => {
        await stores().viewTotals.addToDrops(start, []);
        const drop = await create();
        await add(drop, start, 1);
        expect(await viewsOf(drop)).to.equal(1);
      });
    });

    describe('addToDays', () => {
      const add = ({ id }: Drop, batch: number, count: number, on = day) =>
        stores().viewTotals.addToDays(batch, [{ dropId: id, day: on, count }]);

      it('adds to each day of each drop its own views', async () => {
        const [one, other] = [await create(), await create()];
        await stores().viewTotals.addToDays(start, [
          { dropId: one.id, day, count: 3 },
          { dropId: one.id, day: nextDay, count: 1 },
          { dropId: other.id, day, count: 5 },
        ]);
        expect(await daysOf(one)).to.deep.equal({ [day]: 3, [nextDay]: 1 });
        expect(await daysOf(other)).to.deep.equal({ [day]: 5 });
      });

      it('adds once for each batch, and never for one below the last', async () => {
        const drop = await create();
        await inParallel(10, () => add(drop, start, 3));
        expect(await daysOf(drop)).to.deep.equal({ [day]: 3 });
        await add(drop, start + 1, 4);
        await add(drop, start, 100);
        await add(drop, start + 1, 100);
        expect(await daysOf(drop)).to.deep.equal({ [day]: 7 });
      });

      it('adds what is missing where part of the batch was added before', async () => {
        const drop = await create();
        await add(drop, start, 5, nextDay);
        await stores().viewTotals.addToDays(start, [
          { dropId: drop.id, day, count: 3 },
          { dropId: drop.id, day: nextDay, count: 5 },
        ]);
        expect(await daysOf(drop)).to.deep.equal({ [day]: 3, [nextDay]: 5 });
      });

      it('begins a day anew at whatever batch, also one below the last of another day', async () => {
        const drop = await create();
        await add(drop, start + 1, 5, nextDay);
        await add(drop, start, 3);
        expect(await daysOf(drop)).to.deep.equal({ [day]: 3, [nextDay]: 5 });
      });

      it('remembers its batches apart from those of the drop', async () => {
        const drop = await create();
        await add(drop, start + 1, 4);
        await stores().viewTotals.addToDrops(start, [{ dropId: drop.id, count: 3 }]);
        await stores().viewTotals.addToDrops(start + 2, [{ dropId: drop.id, count: 5 }]);
        await add(drop, start + 2, 6);
        expect(await viewsOf(drop)).to.equal(8);
        expect(await daysOf(drop)).to.deep.equal({ [day]: 10 });
      });

      it('passes over drops that are gone, makes none, and adds to the others', async () => {
        const [gone, live] = [await create(), await create()];
        await erase(gone);
        await stores().viewTotals.addToDays(start, [
          { dropId: gone.id, day, count: 1 },
          { dropId: 'unknown', day, count: 1 },
          { dropId: live.id, day, count: 2 },
        ]);
        expect(await daysOf(live)).to.deep.equal({ [day]: 2 });
        expect(await daysOf(gone)).to.deep.equal({});
        expect((await stores().viewTotals.listDays('unknown')).size).to.equal(0);
        expect(await stores().pendingTasks.find(gone.id)).to.equal(null);
        expect(await stores().pendingTasks.find('unknown')).to.equal(null);
      });

      it('takes no counts at all', async () => {
        await stores().viewTotals.addToDays(start, []);
        const drop = await create();
        await add(drop, start, 1);
        expect(await daysOf(drop)).to.deep.equal({ [day]: 1 });
      });
    });

    describe('listDays', () => {
      it('is empty for a drop without views, and for none', async () => {
        expect(await daysOf(await create())).to.deep.equal({});
        expect((await stores().viewTotals.listDays('unknown')).size).to.equal(0);
      });

      it('is empty once the drop is erased, and the days of others stay', async () => {
        const [gone, live] = [await create(), await create()];
        const counts = [gone, live].map(({ id }) => ({ dropId: id, day, count: 2 }));
        await stores().viewTotals.addToDays(start, counts);
        await erase(gone);
        expect(await daysOf(gone)).to.deep.equal({});
        expect(await daysOf(live)).to.deep.equal({ [day]: 2 });
      });
    });

    describe('listViewed', () => {
      it('lists the drops of a day in the order of their ids, page by page', async () => {
        const { viewTotals } = stores();
        const ids = (await inParallel(5, create)).map(({ id }) => id).sort();
        const [gone = ''] = ids;
        await viewTotals.addToDays(
          start,
          ids.map((dropId) => ({ dropId, day, count: 1 })),
        );
        await viewTotals.addToDays(start, [{ dropId: gone, day: nextDay, count: 1 }]);
        const first = await viewTotals.listViewed(day, '', 3);
        expect(first).to.deep.equal(ids.slice(0, 3));
        expect(await viewTotals.listViewed(day, first.at(-1) ?? '', 3)).to.deep.equal(ids.slice(3));
        expect(await viewTotals.listViewed(nextDay, '', 3)).to.deep.equal([gone]);
        expect(await viewTotals.listViewed('2026-03-01', '', 3)).to.deep.equal([]);
      });
    });

    it('adds hundreds at once, and the same again without effect', async () => {
      const { viewTotals } = stores();
      const drops: Drop[] = [];
      while (drops.length < 300) drops.push(...(await inParallel(20, create)));
      const counts = drops.map(({ id }, i) => ({ dropId: id, day, count: i + 1 }));
      const addAll = () =>
        Promise.all([viewTotals.addToDrops(start, counts), viewTotals.addToDays(start, counts)]);
      await inParallel(2, addAll);
      const { drops: listed } = await stores().drops.list('owner', {
        ...{ page: 1, pageSize: 300, sortBy: 'view_count', sortOrder: 'asc', metadata: [] },
      });
      expect(listed.map(({ viewCount }) => viewCount)).to.deep.equal(counts.map(({ count }) => count));
      const days = await Promise.all(drops.map(daysOf));
      expect(days).to.deep.equal(counts.map(({ count }) => ({ [day]: count })));
    });
  });
}
