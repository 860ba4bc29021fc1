import { expect } from 'chai';
import { newId } from '../../shared/domain/ids.ts';
import type { JobName } from '../../shared/job-catalogue.ts';
import type { JobProducer } from '../../shared/ports/job-queue.ts';
import { type FaultScene, purgeAgain, settleAll } from './fault-matrix.ts';
import { createMeanwhile } from './faults.ts';
import { ownerId } from './stage.ts';

type Awaitable<T> = T | Promise<T>;

const hour = 3_600_000;
const day = '2026-01-15';

interface Published {
  readonly id: string;
  readonly slug: string;
  readonly versionId: string;
}

/** Jobs that work on a drop while it is deleted. */
const jobs: readonly {
  job: JobName;
  steps: number;
  /** How often it asks for itself again, for later. */
  repeats?: number;
  ask(queue: JobProducer, drop: Published): Promise<void>;
}[] = [
  {
    job: 'version.render',
    steps: 7,
    ask: (queue, { id, versionId }) => queue.enqueue('version.render', { dropId: id, versionId }),
  },
  {
    job: 'edge.purge',
    steps: 6,
    repeats: 1,
    ask: (queue, { id }) => queue.enqueue('edge.purge', { dropId: id }),
  },
  { job: 'views.aggregate', steps: 1, ask: (queue) => queue.enqueue('views.aggregate', {}) },
];

/** Deletes a drop right before each step of each job that works on it. */
export function describeDeletions(engine: string, openScene: () => Awaitable<FaultScene>): void {
  describe(`When a drop is deleted in the middle of its jobs (${engine})`, function () {
    this.timeout(60_000); // one test is dozens of runs

    let scene: FaultScene;

    beforeEach(async () => {
      scene = await openScene();
    });

    afterEach(() => scene.close());

    async function isGone({ id, versionId }: Published): Promise<void> {
      expect(await scene.stores.pendingTasks.find(id)).to.equal(null);
      expect(await scene.listKept([versionId])).to.deep.equal([]);
      expect(await scene.listDays(id)).to.deep.equal({});
      expect(scene.edge.purged).to.include(`drop-${id}`);
    }

    /**
     * @param isRemovedAtOnce its removal runs whole before the step; else it is asked for as a request does
     * @returns false: the job has fewer steps
     */
    async function deleteAt(step: number, each: (typeof jobs)[number], isRemovedAtOnce: boolean) {
      const { job, ask, repeats = 0 } = each;
      const [drop, other] = [await scene.publish(['render', 'purge']), await scene.publish([])];
      const counts = [drop, other].map(({ id }) => ({ dropId: id, day, count: 3 }));
      await scene.stores.views.add(newId(scene.clock.now()), 1, counts);
      const faults = createMeanwhile(job, step, async () => {
        await scene.stores.drops.remove(ownerId, drop.slug, scene.clock.now());
        if (isRemovedAtOnce) await process.handlers['drop.remove']({ dropId: drop.id });
        else await process.queue.enqueue('drop.remove', { dropId: drop.id });
      });
      const process = await scene.startProcess({ faults, purgeAgain });
      await ask(process.queue, drop);
      await process.settle();
      for (let repeat = 0; repeat < repeats && !faults.hasStruck(); repeat++) {
        scene.clock.advance(60_000);
        await process.settle();
      }
      if (!faults.hasStruck()) await scene.stores.drops.remove(ownerId, drop.slug, scene.clock.now());
      for (const pause of [hour / 2, hour]) {
        scene.clock.advance(pause); // what was missed is asked for again; what nothing names is swept
        expect(await settleAll(scene, process), 'thrown later').to.deep.equal([]);
      }
      await isGone(drop);
      expect((await process.queue.count()).failed).to.equal(0);
      expect((await scene.stores.drops.find(ownerId, other.slug))?.viewCount).to.equal(3);
      expect(await scene.listDays(other.id)).to.deep.equal({ [day]: 3 });
      await process.close();
      return faults.hasStruck();
    }

    for (const each of jobs) {
      for (const isRemovedAtOnce of [true, false]) {
        const what = isRemovedAtOnce ? 'deleted and removed' : 'deleted';
        it(`${each.job}: nothing of it is left and nothing has failed, ${what} at whichever step`, async () => {
          let step = 1;
          while (await deleteAt(step, each, isRemovedAtOnce)) step += 1;
          expect(step, 'steps').to.be.above(each.steps);
        });
      }
    }
  });
}
