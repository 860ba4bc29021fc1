import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { JobProducer } from '../../shared/ports/job-queue.ts';
import { openScene, ownerId, type Scene, type WorkerProcess } from './scene.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('Upkeep', () => {
  let scene: Scene;
  let process: WorkerProcess;

  beforeEach(() => {
    scene = openScene();
    process = scene.startProcess();
  });

  afterEach(() => scene.close());

  /** A drop with two live versions and one in the trash, all rendered. */
  async function publishWithTrash() {
    const drop = await scene.publish([]);
    const second = await scene.addVersion(drop.slug, []);
    const trashed = await scene.addVersion(drop.slug, []);
    for (const id of [drop.versionId, second, trashed])
      await process.handlers['version.render']({ dropId: drop.id, versionId: id });
    await scene.stores.drops.removeVersion(ownerId, drop.slug, 3, scene.clock.now(), []);
    return { ...drop, live: [drop.versionId, second], trashed };
  }

  /** Lets the repeats of purges pass; what handlers threw. */
  async function passRounds(): Promise<unknown[]> {
    const thrown = await process.settle();
    for (const seconds of [1, 4, 55]) {
      scene.clock.advance(seconds * 1_000);
      thrown.push(...(await process.settle()));
    }
    return thrown;
  }

  describe('after a delete', () => {
    it('purges the edge, removes all that the versions and the trash name, and last the record', async () => {
      const { id, slug, live, trashed } = await publishWithTrash();
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      await process.handlers['drop.remove']({ dropId: id });
      expect(scene.edge.purged).to.deep.equal([`drop-${id}`]);
      expect(await scene.listKept([...live, trashed])).to.deep.equal([]);
      expect((await scene.stores.pendingTasks.find(id))?.deleted, 'while purges go on').to.equal(true);
      expect(await passRounds()).to.deep.equal([]);
      expect(scene.edge.purged).to.deep.equal(Array(4).fill(`drop-${id}`));
      expect(await scene.stores.pendingTasks.find(id)).to.equal(null);
    });

    it('keeps the record, and nothing that it names, while the edge does not confirm', async () => {
      const { id, slug, versionId } = await scene.publish();
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      scene.edge.setAway(true);
      const error: unknown = await process.handlers['drop.remove']({ dropId: id }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.an('error').with.property('message', 'the edge is away');
      expect((await scene.stores.pendingTasks.find(id))?.deleted).to.equal(true);
      expect(await scene.listKept([versionId])).to.deep.equal([]);
      scene.edge.setAway(false);
      await process.handlers['drop.remove']({ dropId: id });
      expect(await passRounds()).to.deep.equal([]);
      expect(await scene.stores.pendingTasks.find(id)).to.equal(null);
    });

    it('needs no edge', async () => {
      const { id, slug } = await scene.publish();
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      await scene.startProcess({ purger: null }).handlers['drop.remove']({ dropId: id });
      expect(await scene.stores.pendingTasks.find(id)).to.equal(null);
    });

    it('may be repeated', async () => {
      const { id, slug } = await scene.publish();
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      for (const round of [0, 0, 1, 1, 2, 2, 3, 3])
        await process.handlers['drop.remove']({ dropId: id, round });
      expect(await scene.stores.pendingTasks.find(id)).to.equal(null);
      const { length } = scene.edge.purged;
      expect(await passRounds()).to.deep.equal([]);
      expect(scene.edge.purged, 'what was asked for meanwhile finds nothing').to.have.length(length);
    });
  });

  it('removes what removed versions of a live drop left, and nothing else of it', async () => {
    const { id, live, trashed } = await publishWithTrash();
    await process.handlers['drop.remove']({ dropId: id });
    expect(await scene.listKept([...live, trashed])).to.have.members(live);
    const tasks = await scene.stores.pendingTasks.find(id);
    expect(tasks?.trash).to.deep.equal([]);
    expect(tasks?.versionIds).to.have.members(live);
    expect(tasks?.deleted).to.equal(false);
  });

  it('leaves a live drop without trash as it is', async () => {
    const { id, versionId } = await scene.publish();
    await process.handlers['drop.remove']({ dropId: id });
    expect(await scene.listKept([versionId])).to.deep.equal([versionId]);
    expect(await scene.stores.pendingTasks.find(id)).to.not.equal(null);
  });

  describe('a purge', () => {
    it('makes the edge forget the drop by its tag, and clears the note after the last repeat', async () => {
      const { id } = await scene.publish(['purge']);
      await process.handlers['edge.purge']({ dropId: id });
      expect(scene.edge.purged).to.deep.equal([`drop-${id}`]);
      expect((await scene.stores.pendingTasks.find(id))?.tasks).to.deep.equal(['purge']);
      expect(await passRounds()).to.deep.equal([]);
      expect(scene.edge.purged).to.deep.equal(Array(4).fill(`drop-${id}`));
      expect((await scene.stores.pendingTasks.find(id))?.tasks).to.deep.equal([]);
    });

    it('clears no other note', async () => {
      const { id } = await scene.publish(['render', 'purge']);
      await process.handlers['edge.purge']({
        dropId: id,
        round: 3,
        rev: (await scene.stores.pendingTasks.find(id))?.rev,
      });
      expect((await scene.stores.pendingTasks.find(id))?.tasks).to.deep.equal(['render']);
    });

    it('stays pending when the edge does not confirm', async () => {
      const { id } = await scene.publish(['purge']);
      scene.edge.setAway(true);
      const error: unknown = await process.handlers['edge.purge']({ dropId: id }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.an('error').with.property('message', 'the edge is away');
      expect((await scene.stores.pendingTasks.find(id))?.tasks).to.deep.equal(['purge']);
    });

    it('of a change that another has followed is left to that one', async () => {
      const { id } = await scene.publish(['purge']);
      const rev = (await scene.stores.pendingTasks.find(id))?.rev ?? 0;
      await process.handlers['edge.purge']({ dropId: id, round: 1, rev: rev - 1 });
      expect(scene.edge.purged).to.deep.equal([]);
      expect(await process.settle()).to.deep.equal([]);
      expect(scene.edge.purged).to.deep.equal([]);
    });

    it('stays pending when the drop has changed while the edge was told', async () => {
      const { id, slug } = await scene.publish(['purge']);
      const changing = scene.startProcess({
        purger: {
          async purge() {
            await scene.stores.drops.changeDetails(ownerId, slug, { title: 'New' }, scene.clock.now(), [
              'purge',
            ]);
          },
        },
      });
      await changing.handlers['edge.purge']({
        dropId: id,
        round: 3,
        rev: (await scene.stores.pendingTasks.find(id))?.rev,
      });
      expect((await scene.stores.pendingTasks.find(id))?.tasks).to.deep.equal(['purge']);
    });

    it('is done again whenever it is enqueued, pending or not', async () => {
      const { id } = await scene.publish([]);
      await process.handlers['edge.purge']({ dropId: id });
      await process.handlers['edge.purge']({ dropId: id });
      expect(scene.edge.purged).to.have.length(2);
    });

    it('only clears the note where no edge is set, and does nothing for a drop that is gone', async () => {
      const { id } = await scene.publish(['purge']);
      const edgeless = scene.startProcess({ purger: null });
      await edgeless.handlers['edge.purge']({ dropId: id });
      expect((await scene.stores.pendingTasks.find(id))?.tasks).to.deep.equal([]);
      await process.handlers['edge.purge']({ dropId: 'gone' });
      expect(scene.edge.purged).to.deep.equal([]);
    });
  });

  describe('reconcile', () => {
    it('runs every task that has been pending for a minute', async () => {
      const unrendered = await scene.publish(['render', 'purge']);
      const alsoUnrendered = await scene.addVersion(unrendered.slug);
      const rendered = await scene.publish(['render']);
      await scene.stores.renders.put(
        { dropId: rendered.id, versionId: rendered.versionId },
        await scene.renderer.render(Buffer.from(''), 1),
        0,
      );
      const deleted = await scene.publish(['render']);
      await scene.stores.drops.remove(ownerId, deleted.slug, scene.clock.now());
      const littered = await publishWithTrash();

      scene.clock.advance(minute + 1);
      await process.handlers['store.reconcile']({});
      expect(await passRounds()).to.deep.equal([]);

      const { pendingTasks, renders } = scene.stores;
      expect(await renders.findHead(unrendered.versionId)).to.not.equal(null);
      expect(await renders.findHead(alsoUnrendered)).to.not.equal(null);
      expect(scene.edge.purged).to.include(`drop-${unrendered.id}`);
      expect((await pendingTasks.find(unrendered.id))?.tasks).to.deep.equal([]);
      expect((await pendingTasks.find(rendered.id))?.tasks).to.deep.equal([]);
      expect(await pendingTasks.find(deleted.id)).to.equal(null);
      expect((await pendingTasks.find(littered.id))?.trash).to.deep.equal([]);
      expect(await pendingTasks.listPending(scene.clock.now() + day, null, 10)).to.deep.equal([]);
    });

    it('enqueues nothing for tasks of the last minute', async () => {
      await scene.publish(['render']);
      scene.clock.advance(minute);
      await process.handlers['store.reconcile']({});
      expect((await process.queue.count()).waiting).to.equal(0);
      scene.clock.advance(1);
      await process.handlers['store.reconcile']({});
      expect((await process.queue.count()).waiting).to.equal(1);
    });

    it('asks again only for the versions that are not rendered', async () => {
      const { id, slug, versionId } = await scene.publish(['render']);
      await scene.addVersion(slug, ['render']);
      await process.handlers['version.render']({ dropId: id, versionId });
      scene.clock.advance(minute + 1);
      await process.handlers['store.reconcile']({});
      expect((await process.queue.count()).waiting).to.equal(1);
    });

    it('finds more than one page holds', async () => {
      await Promise.all(Array.from({ length: 1_100 }, () => scene.publish(['purge'])));
      scene.clock.advance(minute + 1);
      await process.handlers['store.reconcile']({});
      expect((await process.queue.count()).waiting).to.equal(1_100);
    });

    it('sweeps all the same while the line of jobs is late, and asks again in its next run', async () => {
      const { html } = scene.stores;
      const orphan = newId(scene.clock.now());
      await html.put(orphan, Buffer.from('orphan'));
      const { versionId } = await scene.publish(['render']);
      scene.clock.advance(hour + 1);
      let isLate = true;
      const jobs: JobProducer = {
        async enqueue(...asked) {
          if (isLate) throw unavailable('The job queue did not answer in time.');
          await process.queue.enqueue(...asked);
        },
      };
      const { handlers, log } = scene.startProcess({ jobs });
      await handlers['store.reconcile']({});
      expect(await html.listIds('', 'g', 10)).to.deep.equal([versionId]);
      expect(log.lines.map(({ level }) => level)).to.include('warn');
      isLate = false;
      await handlers['store.reconcile']({});
      expect(await process.settle()).to.deep.equal([]);
      expect(await scene.stores.renders.findHead(versionId)).to.not.equal(null);
    });

    it('sweeps blobs an hour old that nothing names, from every store, and no younger one', async () => {
      const { html, contexts, renders } = scene.stores;
      const rendered = await scene.renderer.render(Buffer.from(''), 1);
      const old = newId(scene.clock.now());
      scene.clock.advance(1);
      const young = newId(scene.clock.now());
      for (const id of [old, young]) {
        await html.put(id, Buffer.from('html'));
        await contexts.put(id, Buffer.from('context'));
        await renders.put({ dropId: 'gone', versionId: id }, rendered, scene.clock.now());
      }
      scene.clock.advance(hour);
      await process.handlers['store.reconcile']({});
      for (const store of [html, contexts, renders]) {
        expect(await store.listIds('', 'g', 10)).to.deep.equal([young]);
      }
    });

    it('sweeps nothing that a record names, of live, removed or deleted versions', async () => {
      const { id, slug, live, trashed } = await publishWithTrash();
      const other = await publishWithTrash();
      await scene.stores.drops.remove(ownerId, slug, scene.clock.now());
      expect((await scene.stores.pendingTasks.find(id))?.deleted).to.equal(true);
      scene.clock.advance(30 * day);
      await process.handlers['store.reconcile']({});
      const named = [...live, trashed, ...other.live, other.trashed];
      expect(await scene.listKept(named)).to.have.members(named);
    });

    it('sweeps more than one page of orphans among what is named', async () => {
      const { html } = scene.stores;
      const named: string[] = [];
      for (let i = 0; i < 3; i++) {
        named.push((await scene.publish([])).versionId);
        const orphans = Array.from({ length: 300 }, () => newId(scene.clock.now()));
        await Promise.all(orphans.map((id) => html.put(id, Buffer.from('orphan'))));
        scene.clock.advance(1);
      }
      scene.clock.advance(hour);
      await process.handlers['store.reconcile']({});
      expect(await html.listIds('', 'g', 1_000)).to.have.members(named);
    });
  });

  it('expires sign-ins whose time is over, and forgets those whose keep is over', async () => {
    const { signIns } = scene.stores;
    const now = scene.clock.now();
    const signIn = (id: string, expiresAt: number) => ({
      ...{ id, codeHash: `code ${id}`, pollHash: `poll ${id}`, label: null, accountId: null },
      ...{ requester: { address: '127.0.0.1', userAgent: 'test' }, status: 'pending' as const },
      ...{ createdAt: now, expiresAt },
    });
    await signIns.insert(signIn('over', now));
    await signIns.insert(signIn('running', now + 1));
    await signIns.insert(signIn('kept', now - day));
    await signIns.insert(signIn('old', now - day - 1));
    await process.handlers['sign-in.expire']({});
    const statuses = ['over', 'running', 'kept', 'old'].map(async (id) => (await signIns.find(id))?.status);
    expect(await Promise.all(statuses)).to.deep.equal(['expired', 'pending', 'expired', undefined]);
  });
});
