import { expect } from 'chai';
import { newId } from '../../shared/domain/ids.ts';
import type { JobName } from '../../shared/jobs/job-catalogue.ts';
import type { JobProducer } from '../../shared/jobs/job-queue.ts';
import { at } from '../contract/records.ts';
import { useEach } from '../support/between.ts';
import { countJobs } from '../support/jobs.ts';
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

/** Jobs that change a drop. */
const jobs: readonly {
  job: JobName;
  steps: number;
  /** How often it enqueues itself again with a delay. */
  repeats?: number;
  enqueue(queue: JobProducer, drop: Published): Promise<void>;
}[] = [
  {
    job: 'version.render',
    steps: 7,
    enqueue: (queue, { id, versionId }) => queue.enqueue('version.render', { dropId: id, versionId }),
  },
  {
    job: 'edge.purge',
    steps: 6,
    repeats: 1,
    enqueue: (queue, { id }) => queue.enqueue('edge.purge', { dropId: id }),
  },
  { job: 'views.aggregate', steps: 1, enqueue: (queue) => queue.enqueue('views.aggregate', {}) },
];

/** Deletes a drop before each step of each job that changes it. */
export function describeDeletions(engine: string, openScene: () => Awaitable<FaultScene>): void {
  describe(`When a drop is deleted while its jobs run (${engine})`, () => {
    const scene = useEach(openScene);

    async function isGone({ id, versionId }: Published): Promise<void> {
      expect(await scene.stores.pendingTasks.find(id)).to.equal(null);
      expect(await scene.listKept([versionId])).to.deep.equal([]);
      expect(await scene.stores.cards.find(id)).to.equal(null);
      expect(await scene.listDays(id)).to.deep.equal({});
      expect(scene.edge.purged).to.include(`drop-${id}`);
    }

    /** @param isRemovedAtOnce runs the removal job before the step @returns false: the job has fewer steps */
    async function deleteAt(step: number, each: (typeof jobs)[number], isRemovedAtOnce: boolean) {
      const { job, enqueue, repeats = 0 } = each;
      const drop = await scene.publish(['render', 'purge']);
      const other = await scene.publish([]);
      await scene.comment(drop, drop.versionId);
      await scene.stores.cards.put(drop.id, { digest: 'd', png: Buffer.from('card') });
      const counts = [drop, other].map(({ id }) => ({ dropId: id, day, count: 3 }));
      await scene.stores.views.add(newId(scene.clock.now()), 1, counts);
      const faults = createMeanwhile(job, step, async () => {
        await scene.stores.drops.remove(at(drop.slug, ownerId), scene.clock.now());
        if (isRemovedAtOnce) await process.handlers['drop.remove']({ dropId: drop.id });
        else await process.queue.enqueue('drop.remove', { dropId: drop.id });
      });
      const process = await scene.startProcess({ faults, purgeAgain });
      await enqueue(process.queue, drop);
      await process.settle();
      for (let repeat = 0; repeat < repeats && !faults.hasOccurred(); repeat++) {
        scene.clock.advance(60_000);
        await process.settle();
      }
      if (!faults.hasOccurred()) await scene.stores.drops.remove(at(drop.slug, ownerId), scene.clock.now());
      for (const pause of [hour / 2, hour]) {
        scene.clock.advance(pause); // the reconcile job runs
        expect(await settleAll(scene, process), 'thrown later').to.deep.equal([]);
      }
      await isGone(drop);
      expect((await countJobs(process.queue)).failed).to.equal(0);
      expect((await scene.stores.drops.find(ownerId, other.slug))?.viewCount).to.equal(3);
      expect(await scene.listDays(other.id)).to.deep.equal({ [day]: 3 });
      await process.close();
      return faults.hasOccurred();
    }

    for (const each of jobs) {
      for (const isRemovedAtOnce of [true, false]) {
        const what = isRemovedAtOnce ? 'deleted and removed' : 'deleted';
        it(`${each.job}: nothing of the drop is left and no job has failed, if it is ${what} before any step`, async () => {
          let step = 1;
          while (await deleteAt(step, each, isRemovedAtOnce)) step += 1;
          expect(step, 'steps').to.be.above(each.steps);
        });
      }
    }
  });
}
