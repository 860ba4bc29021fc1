import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { at } from '../contract/records.ts';
import { countJobs } from '../support/jobs.ts';
import { rejectionOf } from '../support/rejection.ts';
import { ownerId, useScene, type WorkerProcess } from './scene.ts';

const second = 1_000;

describe('Purges of the edge', () => {
  const current = useScene();
  let process: WorkerProcess;
  let startedAt: number;
  /** At which seconds of the test the edge was purged. */
  let purgedAt: number[];
  let answer: () => Promise<void>;

  beforeEach(() => {
    const { scene } = current();
    startedAt = scene.clock.now();
    purgedAt = [];
    answer = async () => undefined;
    process = scene.startProcess({
      purger: {
        async purge() {
          purgedAt.push((scene.clock.now() - startedAt) / second);
          await answer();
        },
      },
    });
  });

  /** Moves time in steps of half a second, and runs the jobs that are due. @returns what handlers threw */
  async function pass(seconds: number): Promise<unknown[]> {
    const thrown = await process.settle();
    for (let i = 0; i < 2 * seconds; i++) {
      current().scene.clock.advance(second / 2);
      if (i < 20 || i % 2 === 1) thrown.push(...(await process.settle()));
    }
    return thrown;
  }

  /** @param count of the purge that the edge confirms first */
  const failUntil = (count: number, error: Error) => () =>
    purgedAt.length < count ? Promise.reject(error) : Promise.resolve();

  const enqueue = (dropId: string) => process.queue.enqueue('edge.purge', { dropId });

  async function change(slug: string): Promise<void> {
    const { scene, now } = current();
    await scene.stores.drops.changeDetails(at(slug, ownerId), { title: 'New' }, now(), ['purge']);
  }

  async function publishDeleted() {
    const { scene, now } = current();
    const drop = await scene.publish(['render']);
    await scene.stores.drops.remove(at(drop.slug, ownerId), now());
    return drop;
  }

  describe('after a change', () => {
    it('come at once and after 1, 5 and 60 s; then the task is cleared', async () => {
      const { id } = await current().scene.publish(['render', 'purge']);
      await Promise.all(Array.from({ length: 20 }, () => enqueue(id)));
      expect(await pass(59)).to.deep.equal([]);
      expect(await current().tasksOf(id)).to.have.members(['render', 'purge']);
      expect(await pass(2)).to.deep.equal([]);
      expect(purgedAt).to.deep.equal([0, 1, 5, 60]);
      expect(await current().tasksOf(id)).to.deep.equal(['render']);
      expect((await countJobs(process.queue)).waiting).to.equal(0);
    });

    it('start again with each further change, and the earlier rounds end', async () => {
      const { id, slug } = await current().scene.publish(['purge']);
      await enqueue(id);
      await pass(3);
      await change(slug);
      await enqueue(id);
      await pass(64);
      expect(purgedAt).to.deep.equal([0, 1, 3, 4, 8, 63]);
      expect(await current().tasksOf(id)).to.deep.equal([]);
    });

    it('start again if the drop changes while a purge runs', async () => {
      const { id, slug } = await current().scene.publish(['purge']);
      answer = async () => {
        if (purgedAt.length > 1) return;
        await change(slug);
        await enqueue(id);
      };
      await enqueue(id);
      await process.settle();
      expect(purgedAt).to.deep.equal([0, 0]);
      await pass(62);
      expect(purgedAt.at(-1)).to.equal(60);
      expect(await current().tasksOf(id)).to.deep.equal([]);
    });

    it('are retried while the edge does not confirm, and resume from there', async () => {
      const { id } = await current().scene.publish(['purge']);
      answer = failUntil(3, new Error('the edge is down'));
      await enqueue(id);
      expect(await pass(64)).to.have.length(2);
      expect(purgedAt).to.deep.equal([0, 1, 3, 4, 8, 63]);
      expect(await current().tasksOf(id)).to.deep.equal([]);
    });

    it('wait as long as the edge asks, without a failed attempt', async () => {
      const { id } = await current().scene.publish(['purge']);
      answer = failUntil(12, unavailable('Too many purges.', 2));
      await enqueue(id);
      expect(await pass(10)).to.deep.equal([]);
      expect(purgedAt).to.deep.equal([0, 2, 4, 6, 8, 10]);
      expect(await pass(90)).to.deep.equal([]);
      expect(purgedAt.slice(11)).to.have.length(4);
      expect(await current().tasksOf(id)).to.deep.equal([]);
    });

    it('only clear the task if there is no edge, and do nothing for a drop that is not there', async () => {
      const { id } = await current().scene.publish(['purge']);
      await current().scene.startProcess({ purger: null }).handlers['edge.purge']({ dropId: id });
      expect(await current().tasksOf(id)).to.deep.equal([]);
      await process.handlers['edge.purge']({ dropId: 'gone' });
      expect(purgedAt).to.deep.equal([]);
    });
  });

  describe('after a delete', () => {
    it('come in the same rounds; the record is removed after the last one', async () => {
      const { id, versionId } = await publishDeleted();
      await process.queue.enqueue('drop.remove', { dropId: id });
      expect(await pass(59)).to.deep.equal([]);
      expect(await current().scene.listKept([versionId])).to.deep.equal([]);
      expect((await current().find(id))?.deleted).to.equal(true);
      await pass(2);
      expect(purgedAt).to.deep.equal([0, 1, 5, 60]);
      expect(await current().find(id)).to.equal(null);
    });

    it('wait as long as the edge asks', async () => {
      const { id } = await publishDeleted();
      answer = failUntil(3, unavailable('Too many purges.', 2));
      await process.queue.enqueue('drop.remove', { dropId: id });
      expect(await pass(66)).to.deep.equal([]);
      expect(purgedAt).to.deep.equal([0, 2, 4, 5, 9, 64]);
      expect(await current().find(id)).to.equal(null);
    });

    it('replace the rounds of an earlier change', async () => {
      const { id, slug } = await current().scene.publish(['purge']);
      await enqueue(id);
      await pass(3);
      await current().scene.stores.drops.remove(at(slug, ownerId), current().now());
      await process.queue.enqueue('drop.remove', { dropId: id });
      await pass(64);
      expect(purgedAt).to.deep.equal([0, 1, 3, 4, 8, 63]);
      expect(await current().find(id)).to.equal(null);
    });

    it('keep the record, but no document, while the edge does not confirm', async () => {
      const { id, versionId } = await publishDeleted();
      answer = () => Promise.reject(new Error('the edge is down'));
      expect(String(await rejectionOf(process.handlers['drop.remove']({ dropId: id })))).to.contain(
        'is down',
      );
      expect((await current().find(id))?.deleted).to.equal(true);
      expect(await current().scene.listKept([versionId])).to.deep.equal([]);
    });

    it('may be repeated, and work without an edge', async () => {
      const one = await publishDeleted();
      const other = await publishDeleted();
      for (const round of [0, 0, 1, 1, 2, 2, 3, 3]) {
        await process.handlers['drop.remove']({ dropId: one.id, round });
      }
      await current().scene.startProcess({ purger: null }).handlers['drop.remove']({ dropId: other.id });
      for (const { id } of [one, other]) expect(await current().find(id)).to.equal(null);
    });
  });

  it('leave a live drop without removed versions as it is', async () => {
    const { id, versionId } = await current().scene.publish();
    await process.handlers['drop.remove']({ dropId: id });
    expect(await current().scene.listKept([versionId])).to.deep.equal([versionId]);
    expect(purgedAt).to.deep.equal([]);
  });
});
