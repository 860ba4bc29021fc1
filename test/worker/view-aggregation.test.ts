import { expect } from 'chai';
import type { ViewCount } from '../../shared/ports/view-counter.ts';
import { createViewAggregation } from '../../shared/services/view-aggregation.ts';
import { openScene, ownerId, type Scene, type WorkerProcess } from './scene.ts';

const days = ['2026-01-31', '2026-02-01'] as const;

describe('View aggregation', () => {
  let scene: Scene;
  let process: WorkerProcess;
  let flush: number;

  beforeEach(() => {
    scene = openScene();
    process = scene.startProcess();
    flush = 0;
  });

  afterEach(() => scene.close());

  async function count(...counts: ViewCount[]): Promise<void> {
    flush += 1;
    await scene.stores.views.add('writer', flush, counts, scene.clock.now());
  }

  async function viewsOf(slug: string): Promise<number | undefined> {
    return (await scene.stores.drops.find(ownerId, slug))?.viewCount;
  }

  it('adds what was counted to the drop and to its days', async () => {
    const { id, slug } = await scene.publish();
    await count({ dropId: id, day: days[0], count: 3 }, { dropId: id, day: days[1], count: 4 });
    await count({ dropId: id, day: days[1], count: 5 });
    await process.viewAggregation.aggregate();
    expect(await viewsOf(slug)).to.equal(12);
    expect(await scene.listDays(id)).to.deep.equal({ [days[0]]: 3, [days[1]]: 9 });
  });

  it('goes on with what comes later, and adds nothing twice', async () => {
    const { id, slug } = await scene.publish();
    for (let round = 1; round <= 3; round++) {
      await count({ dropId: id, day: days[0], count: 2 });
      await process.viewAggregation.aggregate();
      await process.viewAggregation.aggregate();
      expect(await viewsOf(slug)).to.equal(2 * round);
    }
    expect(await scene.listDays(id)).to.deep.equal({ [days[0]]: 6 });
  });

  it('first finishes the batch that an earlier run left open', async () => {
    const { id, slug } = await scene.publish();
    await count({ dropId: id, day: days[0], count: 1 });
    await scene.stores.views.openBatch(scene.clock.now());
    await count({ dropId: id, day: days[0], count: 10 });
    await process.viewAggregation.aggregate();
    expect(await viewsOf(slug)).to.equal(11);
    expect(await scene.stores.views.openBatch(scene.clock.now())).to.equal(null);
  });

  it('takes no number a second time from a counter that has forgotten all, though no time has passed', async () => {
    const { id, slug } = await scene.publish();
    const open: ViewCount[][] = [
      [{ dropId: id, day: days[0], count: 1 }],
      [{ dropId: id, day: days[0], count: 2 }],
    ];
    const forgetful = {
      ...scene.stores.views,
      // As a Redis does that is emptied after each batch: the next one has the number that it is told.
      openBatch: async (now: number) => (open[0] === undefined ? null : { number: now, counts: open[0] }),
      closeBatch: async () => void open.shift(),
    };
    const { viewTotals: totals } = scene.stores;
    await createViewAggregation({ views: forgetful, totals, clock: scene.clock }).aggregate();
    expect(await viewsOf(slug)).to.equal(3);
  });

  it('counts once when two run at once', async () => {
    const other = scene.startProcess();
    const drops = await Promise.all(Array.from({ length: 20 }, () => scene.publish()));
    for (let round = 1; round <= 5; round++) {
      await count(...drops.map(({ id }) => ({ dropId: id, day: days[0], count: 1 })));
      await Promise.all([process.viewAggregation.aggregate(), other.viewAggregation.aggregate()]);
    }
    for (const { slug, id } of drops) {
      expect(await viewsOf(slug)).to.equal(5);
      expect(await scene.listDays(id)).to.deep.equal({ [days[0]]: 5 });
    }
  });

  it('passes over drops that are gone', async () => {
    const { id, slug } = await scene.publish();
    await count({ dropId: 'gone', day: days[0], count: 7 }, { dropId: id, day: days[0], count: 1 });
    await process.viewAggregation.aggregate();
    expect(await viewsOf(slug)).to.equal(1);
  });

  it('adds to more drops and days in one run than fit a call', async () => {
    const drops = await Promise.all(Array.from({ length: 600 }, () => scene.publish()));
    await count(...drops.flatMap(({ id }, i) => days.map((day) => ({ dropId: id, day, count: i + 1 }))));
    await process.viewAggregation.aggregate();
    const views = await Promise.all(drops.map(({ slug }) => viewsOf(slug)));
    expect(views).to.deep.equal(drops.map((_, i) => 2 * (i + 1)));
    const perDay = await Promise.all(drops.map(({ id }) => scene.listDays(id)));
    expect(perDay).to.deep.equal(drops.map((_, i) => ({ [days[0]]: i + 1, [days[1]]: i + 1 })));
  });

  it('finishes a batch of which an earlier run had added a part', async () => {
    const [one, other] = [await scene.publish(), await scene.publish()];
    await count({ dropId: one.id, day: days[0], count: 3 }, { dropId: other.id, day: days[0], count: 4 });
    const batch = await scene.stores.views.openBatch(scene.clock.now());
    await scene.stores.viewTotals.addToDrops(batch?.number ?? 0, [{ dropId: one.id, count: 3 }]);
    await scene.stores.viewTotals.addToDays(batch?.number ?? 0, [
      { dropId: other.id, day: days[0], count: 4 },
    ]);
    await process.viewAggregation.aggregate();
    expect([await viewsOf(one.slug), await viewsOf(other.slug)]).to.deep.equal([3, 4]);
    expect(await scene.listDays(one.id)).to.deep.equal({ [days[0]]: 3 });
    expect(await scene.listDays(other.id)).to.deep.equal({ [days[0]]: 4 });
  });
});
