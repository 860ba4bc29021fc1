import { expect } from 'chai';
import { newId } from '../../shared/domain/ids.ts';
import type { PendingTask } from '../../shared/drops/drop.ts';
import type { PendingDrop, PendingPosition } from '../../shared/jobs/pending-task-store.ts';
import { lazily } from '../support/between.ts';
import { aDrop, anArtefact, at, aVersion, inParallel, later, makeDrop, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** The contract of PendingTaskStore. */
export function describePendingTaskStoreContract(engine: string, openStores: OpenStores): void {
  describe(`PendingTaskStore (${engine})`, () => {
    const stores = useStores(openStores);
    const drops = lazily(() => stores().drops);
    const pendingTasks = lazily(() => stores().pendingTasks);

    const create = (tasks: readonly PendingTask[] = [], createdAt = start) =>
      makeDrop(stores(), { version: aVersion({ createdAt }) }, tasks);

    async function addVersion(slug: string, context?: string): Promise<string> {
      const version = aVersion(context === undefined ? {} : { context: Buffer.from(context) });
      await stores().drops.addVersion(at(slug), version, {}, 500, []);
      return version.id;
    }

    async function find(dropId: string): Promise<PendingDrop> {
      const drop = await stores().pendingTasks.find(dropId);
      if (drop === null) throw new Error('There is no record');
      return drop;
    }

    const tasksOf = async (dropId: string) => (await find(dropId)).pending;

    async function list(before = later + 1, after: PendingPosition | null = null, limit = 100) {
      return (await stores().pendingTasks.listPending(before, after, limit)).map(({ id }) => id);
    }

    /** Every visible change of a drop with one version, in an order that is possible. */
    const changesOf = (slug: string, tasks: readonly PendingTask[]): (() => Promise<unknown>)[] => [
      () => stores().drops.addVersion(at(slug), aVersion(), {}, 500, tasks),
      () => stores().drops.changeDetails(at(slug), {}, later, tasks),
      () => stores().drops.setLock(at(slug), { id: 'l', hash: 'h' }, later, tasks),
      () => stores().drops.removeVersion(at(slug), 1, later, tasks),
    ];

    describe('find', () => {
      it('returns a live drop with its versions, head and removed versions', async () => {
        const first = aVersion();
        const { id, ownerId, slug } = await makeDrop(stores(), { version: first }, ['render', 'purge']);
        const second = await addVersion(slug);
        const third = await addVersion(slug, 'why');
        await stores().drops.removeVersion(at(slug), 2, later, []);
        const { pending, versions, ...found } = await find(id);
        const { rev } = (await stores().drops.find('owner', slug)) ?? {};
        const expected = { id, ownerId, deleted: false, rev, latestVersionId: third, trash: [second] };
        expect(found).to.deep.equal(expected);
        expect(versions).to.deep.equal([
          { id: first.id, hasContext: false },
          { id: third, hasContext: true },
        ]);
        expect(pending).to.have.members(['render', 'purge']);
      });

      it('returns a deleted drop, and null if there is no record', async () => {
        const { id, slug } = await create();
        await stores().drops.remove(at(slug), later);
        expect(await find(id)).to.deep.include({ deleted: true });
        expect(await stores().pendingTasks.find('unknown')).to.equal(null);
      });
    });

    describe('findForRender', () => {
      const byRenderer = async (id: string, renderer: number) => {
        const found = await stores().pendingTasks.findForRender(id, renderer);
        return found && Object.fromEntries(found.renderers);
      };

      it('returns what find returns, and the newest renderer of each version that the caller knows', async () => {
        const drop = aDrop();
        await stores().drops.create(drop, 500, ['render']);
        const second = await addVersion(drop.slug);
        const third = await addVersion(drop.slug);
        const { id: other } = await create();
        const first = drop.version.id;
        const put = (id: string, renderer: number, context?: string) =>
          stores().renders.put(id, anArtefact('any', renderer, context));
        await put(first, 1);
        await put(first, 2);
        await put(second, 1);
        await put(other, 3);
        expect(await byRenderer(drop.id, 3)).to.deep.equal({ [first]: 2, [second]: 1 });
        expect(await byRenderer(drop.id, 1)).to.deep.equal({ [first]: 1, [second]: 1 });
        await put(third, 3, 'x'.repeat(200_000));
        expect(await byRenderer(drop.id, 3)).to.deep.equal({ [first]: 2, [second]: 1, [third]: 3 });
        const { renderers, ...found } = (await stores().pendingTasks.findForRender(drop.id, 3)) ?? {};
        expect(found).to.deep.equal(await find(drop.id));
      });

      it('returns drops without artefacts, and null if there is no record', async () => {
        const { id, slug } = await create();
        expect(await byRenderer(id, 2)).to.deep.equal({});
        await stores().drops.remove(at(slug), later);
        expect(await stores().pendingTasks.findForRender(id, 2)).to.deep.include({ deleted: true });
        expect(await byRenderer('unknown', 2)).to.equal(null);
      });
    });

    describe('a pending task', () => {
      it('is added by every kind of change and can be cleared', async () => {
        for (const task of ['render', 'purge'] as const) {
          const { id, slug } = await create([task]);
          for (const change of [async () => undefined, ...changesOf(slug, [task])]) {
            await change();
            const drop = await find(id);
            expect(drop.pending).to.deep.equal([task]);
            expect(await stores().pendingTasks.clearTask(id, task, drop.rev)).to.equal(true);
            expect(await tasksOf(id)).to.deep.equal([]);
          }
        }
      });

      it('is kept by changes that add another one, and cleared alone', async () => {
        const { id, slug } = await create(['purge']);
        await drops.addVersion(at(slug), aVersion(), {}, 500, ['render']);
        await drops.setLock(at(slug), null, later, []);
        expect(await tasksOf(id)).to.have.members(['purge', 'render']);
        const { rev } = await find(id);
        for (let i = 0; i < 2; i++) {
          expect(await pendingTasks.clearTask(id, 'render', rev)).to.equal(true);
          expect(await tasksOf(id)).to.deep.equal(['purge']);
        }
      });

      it('is not cleared if any change has raised rev, or there is no record', async () => {
        const { id, slug } = await create(['render', 'purge']);
        for (const change of [...changesOf(slug, []), () => drops.remove(at(slug), later)]) {
          const { rev } = await find(id);
          await change();
          expect((await find(id)).rev).to.be.greaterThan(rev);
          expect(await pendingTasks.clearTask(id, 'purge', rev)).to.equal(false);
          expect(await tasksOf(id)).to.have.members(['render', 'purge']);
        }
        expect(await pendingTasks.clearTask('unknown', 'purge', 1)).to.equal(false);
      });

      it('is cleared even if views were added', async () => {
        const { id, rev, updatedAt, slug } = await create(['purge']);
        await stores().views.add('writer', 1, [{ dropId: id, day: '2026-01-31', count: 3 }]);
        await stores().views.aggregate(start);
        expect(await stores().drops.find('owner', slug)).to.deep.include({ rev, updatedAt, viewCount: 3 });
        expect(await stores().pendingTasks.clearTask(id, 'purge', rev)).to.equal(true);
      });
    });

    describe('listPending', () => {
      it('lists drops that have tasks or removed versions or are deleted, and no others', async () => {
        await create();
        const listed = [await create(['render']), await create(['purge']), await create(), await create()];
        const [deleted, trashed] = listed.slice(2).map(({ slug }) => slug);
        await drops.remove(at(deleted ?? ''), start);
        await addVersion(trashed ?? '');
        await drops.removeVersion(at(trashed ?? ''), 1, start, []);
        expect(await list()).to.have.members(listed.map(({ id }) => id));
      });

      it('lists a drop until all its tasks are cleared and its removed versions or its record are removed', async () => {
        const { id, slug } = await create(['render', 'purge']);
        const second = await addVersion(slug);
        await drops.removeVersion(at(slug), 2, start, []);
        const { rev } = await find(id);
        await pendingTasks.clearTask(id, 'render', rev);
        await pendingTasks.clearTask(id, 'purge', rev);
        expect(await list()).to.deep.equal([id]);
        await pendingTasks.clearTrash(id, [second]);
        expect(await list()).to.deep.equal([]);
        await drops.remove(at(slug), later);
        expect(await list(later), 'the deletion is a change').to.deep.equal([]);
        expect(await list(later + 1)).to.deep.equal([id]);
        await pendingTasks.erase(id);
        expect(await list()).to.deep.equal([]);
      });

      it('lists the oldest change first, those before the given time only, at most the limit', async () => {
        const third = await create(['purge'], start + 1);
        const first = await create(['purge'], start + 2);
        const second = await create(['purge'], start + 3);
        await drops.changeDetails(at(third.slug), {}, start + 4, []);
        expect(await list(start + 5)).to.deep.equal([first.id, second.id, third.id]);
        expect(await list(start + 4)).to.deep.equal([first.id, second.id]);
        expect(await list(start + 5, null, 1)).to.deep.equal([first.id]);
      });

      it('continues after a position, also among changes of the same time, and if that drop is done', async () => {
        const made: PendingPosition[] = [];
        for (const changedAt of [start, start + 1, start + 1, start + 1, start + 2]) {
          made.push({ changedAt, id: (await create(['purge'], changedAt)).id });
        }
        const inOrder = made.sort((a, b) => a.changedAt - b.changedAt || (a.id < b.id ? -1 : 1));
        expect(await pendingTasks.listPending(later, null, 10)).to.deep.equal(inOrder);
        for (const [index, position] of inOrder.entries()) {
          await pendingTasks.clearTask(position.id, 'purge', (await find(position.id)).rev);
          const next = await pendingTasks.listPending(later, position, 2);
          expect(next).to.deep.equal(inOrder.slice(index + 1, index + 3));
        }
      });
    });

    it('clearTrash removes the given ids from the trash of that drop only', async () => {
      const { id, slug } = await create();
      const removed: string[] = [];
      for (let i = 0; i < 3; i++) {
        removed.push(await addVersion(slug)); // each is number 2
        await drops.removeVersion(at(slug), 2, later, []);
      }
      await pendingTasks.clearTrash((await create()).id, removed);
      expect((await find(id)).trash).to.have.members(removed);
      await pendingTasks.clearTrash(id, [removed[0] ?? '', 'unknown']);
      expect((await find(id)).trash).to.have.members(removed.slice(1));
      await inParallel(3, () => pendingTasks.clearTrash(id, removed));
      expect((await find(id)).trash).to.deep.equal([]);
    });

    describe('erase', () => {
      it('removes all records of a deleted drop, and its slug is free again', async () => {
        const { views } = stores();
        const drop = aDrop();
        await drops.create(drop, 500, ['render']);
        const second = await addVersion(drop.slug);
        await drops.removeVersion(at(drop.slug), 1, later, []);
        await views.add('writer', 1, [{ dropId: drop.id, day: '2026-01-31', count: 1 }]);
        await views.aggregate(start);
        await drops.remove(at(drop.slug), later);
        await inParallel(3, () => pendingTasks.erase(drop.id));
        expect(await pendingTasks.find(drop.id)).to.equal(null);
        expect([...(await views.listDays(drop.id))]).to.deep.equal([]);
        expect([...(await pendingTasks.findReferenced([drop.version.id, second]))]).to.deep.equal([]);
        expect(await drops.create(aDrop({ slug: drop.slug }), 500, [])).to.be.an('object');
      });

      it('does nothing to a live drop', async () => {
        const { id, slug, ...drop } = await create();
        await stores().pendingTasks.erase(id);
        await stores().pendingTasks.erase('unknown');
        expect(await stores().drops.find('owner', slug)).to.deep.include(drop);
      });
    });

    it('findExisting returns drops, live and deleted, and no other ids', async () => {
      const live = await create();
      const deleted = await create();
      const erased = await create();
      for (const { slug } of [deleted, erased]) await drops.remove(at(slug), later);
      await pendingTasks.erase(erased.id);
      const ids = [live, deleted, erased].map(({ id }) => id);
      const found = await pendingTasks.findExisting([...ids, 'unknown']);
      expect([...found]).to.have.members([live.id, deleted.id]);
      expect((await pendingTasks.findExisting([])).size).to.equal(0);
    });

    it('findReferenced returns versions and removed versions of live and deleted drops, and no other ids', async () => {
      const referenced: string[] = [];
      for (const isDeleted of [false, true]) {
        const drop = aDrop();
        await drops.create(drop, 500, []);
        referenced.push(drop.version.id, await addVersion(drop.slug));
        await drops.removeVersion(at(drop.slug), 1, later, []);
        if (isDeleted) await drops.remove(at(drop.slug), later);
      }
      const others = Array.from({ length: 496 }, () => newId(start));
      const found = await pendingTasks.findReferenced([...others, ...referenced]);
      expect([...found]).to.have.members(referenced);
      expect((await pendingTasks.findReferenced([])).size).to.equal(0);
    });
  });
}
