import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import type { EdgePurger } from '../../shared/ports/edge-purger.ts';
import type { FaultScene } from './fault-matrix.ts';
import { ownerId } from './stage.ts';

type Awaitable<T> = T | Promise<T>;

const second = 1_000;
const minute = 60 * second;

/** When the edge is told of a change, and told again. */
export function describePurgeRounds(engine: string, openScene: () => Awaitable<FaultScene>): void {
  describe(`Rounds of purges (${engine})`, function () {
    this.timeout(60_000);

    let scene: FaultScene;
    let process: Awaited<ReturnType<FaultScene['startProcess']>>;
    let startedAt: number;
    /** Seconds from the start of the test at which the edge was told. */
    let told: number[];
    let answer: () => Promise<void>;

    const purger: EdgePurger = {
      async purge() {
        told.push((scene.clock.now() - startedAt) / second);
        await answer();
      },
    };

    beforeEach(async () => {
      scene = await openScene();
      process = await scene.startProcess({ purger });
      startedAt = scene.clock.now();
      told = [];
      answer = async () => undefined;
    });

    afterEach(() => scene.close());

    const isPending = async (id: string) =>
      (await scene.stores.pendingTasks.find(id))?.tasks.includes('purge');
    const ask = (dropId: string) => process.queue.enqueue('edge.purge', { dropId });

    /** Lets time pass in steps of half a second, and each job run when it is due. */
    async function pass(seconds: number): Promise<unknown[]> {
      const thrown = await process.settle();
      for (let i = 0; i < 2 * seconds; i++) {
        scene.clock.advance(second / 2);
        if (i < 20 || i % 2 === 1) thrown.push(...(await process.settle()));
      }
      return thrown;
    }

    async function change(slug: string): Promise<void> {
      await scene.stores.drops.changeDetails(ownerId, slug, { title: 'New' }, scene.clock.now(), ['purge']);
    }

    it('are at once and after 1, 5 and 60 s, and then nothing is pending', async () => {
      const { id } = await scene.publish(['purge']);
      await ask(id);
      expect(await pass(59)).to.deep.equal([]);
      expect(told).to.deep.equal([0, 1, 5]);
      expect(await isPending(id)).to.equal(true);
      expect(await pass(2)).to.deep.equal([]);
      expect(told).to.deep.equal([0, 1, 5, 60]);
      expect(await isPending(id)).to.equal(false);
      expect((await process.queue.count()).waiting).to.equal(0);
    });

    it('are one row for many that are asked for at once', async () => {
      const { id } = await scene.publish(['purge']);
      await Promise.all(Array.from({ length: 20 }, () => ask(id)));
      await pass(61);
      expect(told).to.deep.equal([0, 1, 5, 60]);
    });

    it('begin anew with each change, and none of the earlier ones comes any more', async () => {
      const { id, slug } = await scene.publish(['purge']);
      await ask(id);
      await pass(3);
      await change(slug);
      await ask(id);
      await pass(64);
      expect(told).to.deep.equal([0, 1, 3, 4, 8, 63]);
      expect(await isPending(id)).to.equal(false);
    });

    it('lose none that is asked for while another runs', async () => {
      const { id, slug } = await scene.publish(['purge']);
      answer = async () => {
        if (told.length > 1) return;
        await change(slug);
        await ask(id);
      };
      await ask(id);
      await process.settle();
      expect(told, 'the one that ran does not stand for the change').to.deep.equal([0, 0]);
      await pass(62);
      expect(told.at(-1)).to.equal(60);
      expect(await isPending(id)).to.equal(false);
    });

    it('wait for an edge that does not confirm, and go on from there', async () => {
      const { id } = await scene.publish(['purge']);
      answer = () => (told.length < 3 ? Promise.reject(new Error('the edge is away')) : Promise.resolve());
      await ask(id);
      const thrown = await pass(64);
      expect(thrown).to.have.length(2);
      expect(told).to.deep.equal([0, 1, 3, 4, 8, 63]);
      expect(await isPending(id)).to.equal(false);
    });

    it('leave an edge alone for as long as it says, which counts as no failure', async () => {
      const { id } = await scene.publish(['purge']);
      answer = () =>
        told.length < 12 ? Promise.reject(unavailable('The edge has had enough.', 2)) : Promise.resolve();
      await ask(id);
      expect(await pass(10)).to.deep.equal([]);
      expect(told).to.deep.equal([0, 2, 4, 6, 8, 10]);
      expect(await pass(90)).to.deep.equal([]);
      expect(told.slice(11)).to.have.length(4);
      expect(await isPending(id)).to.equal(false);
      expect((await process.queue.count()).failed).to.equal(0);
    });

    it('of a deleted drop leave its edge alone for as long as it says, too', async () => {
      const { id, slug } = await scene.publish([]);
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      answer = () =>
        told.length < 3 ? Promise.reject(unavailable('The edge has had enough.', 2)) : Promise.resolve();
      await process.queue.enqueue('drop.remove', { dropId: id });
      expect(await pass(66)).to.deep.equal([]);
      expect(told).to.deep.equal([0, 2, 4, 5, 9, 64]);
      expect(await scene.stores.pendingTasks.find(id)).to.equal(null);
    });

    it('that the line of jobs has lost are begun anew by the sweep, of changed and of deleted drops', async () => {
      await process.settle(); // the schedules are there: one that is put in later is due later
      const [changed, deleted] = [await scene.publish(['purge']), await scene.publish([])];
      await scene.stores.drops.remove(ownerId, deleted.slug, scene.clock.now());
      scene.clock.advance(6 * minute); // nobody has asked; the schedule of the sweep is due
      startedAt = scene.clock.now();
      await pass(62);
      expect(told).to.deep.equal([0, 0, 1, 1, 5, 5, 60, 60]);
      expect(await isPending(changed.id)).to.equal(false);
      expect(await scene.stores.pendingTasks.find(deleted.id)).to.equal(null);
    });

    it('of a drop that is deleted meanwhile are those of its removal', async () => {
      const { id, slug } = await scene.publish(['purge']);
      await ask(id);
      await pass(3);
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      await process.queue.enqueue('drop.remove', { dropId: id });
      await pass(64);
      expect(told).to.deep.equal([0, 1, 3, 4, 8, 63]);
      expect(await scene.stores.pendingTasks.find(id)).to.equal(null);
    });

    it('need nothing in the payload of a job that an earlier release has asked for', async () => {
      const { id } = await scene.publish(['purge']);
      await process.queue.enqueue('edge.purge', { dropId: id });
      await process.queue.enqueue('drop.remove', { dropId: id });
      expect(await pass(61)).to.deep.equal([]);
      expect(told).to.deep.equal([0, 1, 5, 60]);
    });
  });
}
