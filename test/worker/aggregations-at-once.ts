import { expect } from 'chai';
import type { FaultScene } from './fault-matrix.ts';
import { createMeanwhile } from './faults.ts';
import { ownerId } from './stage.ts';

type Awaitable<T> = T | Promise<T>;

const days = ['2026-01-14', '2026-01-15'];

/** Two workers that move the same batch of views. */
export function describeAggregationsAtOnce(engine: string, openScene: () => Awaitable<FaultScene>): void {
  describe(`Two aggregations of views at once (${engine})`, function () {
    this.timeout(60_000); // one test is dozens of runs

    let scene: FaultScene;
    let drops: { id: string; slug: string }[];
    let flush: number;

    beforeEach(async () => {
      scene = await openScene();
      drops = await Promise.all(Array.from({ length: 10 }, () => scene.publish([])));
      flush = 0;
    });

    afterEach(() => scene.close());

    /** One view of each drop on each day. */
    async function view(): Promise<void> {
      const counts = drops.flatMap(({ id }) => days.map((day) => ({ dropId: id, day, count: 1 })));
      await scene.stores.views.add('writer', ++flush, counts, scene.clock.now());
    }

    async function expectAllCounted(): Promise<void> {
      for (const { id, slug } of drops) {
        expect((await scene.stores.drops.find(ownerId, slug))?.viewCount).to.equal(days.length * flush);
        expect(await scene.listDays(id)).to.deep.equal(Object.fromEntries(days.map((day) => [day, flush])));
      }
    }

    it('count each view once, side by side', async () => {
      const [one, other] = [await scene.startProcess(), await scene.startProcess()];
      for (let round = 0; round < 20; round++) {
        await view();
        scene.clock.advance(1);
        await Promise.all([one.viewAggregation.aggregate(), view(), other.viewAggregation.aggregate()]);
      }
      await one.viewAggregation.aggregate();
      await expectAllCounted();
      await Promise.all([one.close(), other.close()]);
    });

    it('count each view once, the other one done with it at whichever step of the first', async () => {
      const other = await scene.startProcess();
      for (let step = 1, isOver = false; !isOver; step++) {
        await view();
        const faults = createMeanwhile('views.aggregate', step, async () => {
          await other.viewAggregation.aggregate();
          await view(); // and the next batch begins
          await other.viewAggregation.aggregate();
        });
        const one = await scene.startProcess({ faults });
        await faults.within('views.aggregate', () => one.viewAggregation.aggregate());
        isOver = !faults.hasStruck();
        await expectAllCounted();
        await one.close();
        expect(isOver ? step : 6, 'steps').to.be.above(5);
      }
      await other.close();
    });
  });
}
