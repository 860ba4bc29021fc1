import { expect } from 'chai';
import type { Drop, PendingTask } from '../../shared/domain/drop.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { DropTasks, PendingPosition } from '../../shared/ports/pending-task-store.ts';
import { aDrop, aVersion, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What any engine must do for PendingTaskStore. */
export function describePendingTaskStoreContract(engine: string, openStores: OpenStores): void {
  describe(`PendingTaskStore (${engine})`, () => {
    const stores = useStores(openStores);

    async function create(tasks: readonly PendingTask[] = [], createdAt = start): Promise<Drop> {
      const made = await stores().drops.create(aDrop({ version: aVersion({ createdAt }) }), 500, tasks);
      if (typeof made === 'string') throw new Error(`Not made: ${made}`);
      return made;
    }

    async function addVersion(slug: string): Promise<string> {
      const version = aVersion();
      await stores().drops.addVersion('owner', slug, version, {}, 500, []);
      return version.id;
    }

    async function tasksOf(dropId: string): Promise<DropTasks> {
      const tasks = await stores().pendingTasks.find(dropId);
      if (tasks === null) throw new Error('There is no record');
      return tasks;
    }

    async function list(before: number, after: PendingPosition | null, limit: number): Promise<string[]> {
      return (await stores().pendingTasks.listPending(before, after, limit)).map(({ id }) => id);
    }

    const listAll = (before = later + 1) => list(before, null, 100);

    describe('find', () => {
      it('shows a live drop, its versions and its head', async () => {
        const drop = aDrop();
        await stores().drops.create(drop, 500, ['render', 'purge']);
        const second = await addVersion(drop.slug);
        const { tasks, versionIds, ...pendingTasks } = await tasksOf(drop.id);
        const { rev } = (await stores().drops.find('owner', drop.slug)) ?? {};
        expect(pendingTasks).to.deep.equal({
          id: drop.id,
          deleted: false,
          rev,
          headId: second,
          trash: [],
        });
        expect(versionIds).to.have.members([drop.version.id, second]);
        expect(tasks).to.have.members(['render', 'purge']);
      });

      it('shows a deleted drop with all that is to be removed', async () => {
        const drop = aDrop();
        await stores().drops.create(drop, 500, []);
        const second = await addVersion(drop.slug);
        await stores().drops.removeVersion('owner', drop.slug, 1, later, []);
        await stores().drops.remove('owner', drop.slug, later);
        const tasks = await tasksOf(drop.id);
        expect(tasks).to.deep.include({ deleted: true, versionIds: [second], trash: [drop.version.id] });
      });

      it('is null where there is no record', async () => {
        expect(await stores().pendingTasks.find('unknown')).to.equal(null);
      });
    });

    describe('pending tasks', () => {
      it('are added by each change to those already pending', async () => {
        const { drops } = stores();
        const { id, slug } = await create();
        const tasks = async () => (await tasksOf(id)).tasks;
        expect(await tasks()).to.deep.equal([]);
        await drops.changeDetails('owner', slug, {}, later, ['purge']);
        expect(await tasks()).to.deep.equal(['purge']);
        await drops.addVersion('owner', slug, aVersion(), {}, 500, ['render']);
        expect(await tasks()).to.have.members(['purge', 'render']);
        await drops.setLock('owner', slug, null, later, []);
        expect(await tasks()).to.have.members(['purge', 'render']);
      });

      for (const task of ['render', 'purge'] as const) {
        it(`every kind of change adds the task: ${task}`, async () => {
          const { drops, pendingTasks } = stores();
          const { id, slug } = await create([task]);
          const changes: (() => Promise<unknown>)[] = [
            () => drops.addVersion('owner', slug, aVersion(), {}, 500, [task]),
            () => drops.changeDetails('owner', slug, {}, later, [task]),
            () => drops.setLock('owner', slug, { id: 'l', hash: 'h' }, later, [task]),
            () => drops.removeVersion('owner', slug, 1, later, [task]),
          ];
          for (const change of [null, ...changes]) {
            await change?.();
            const drop = await tasksOf(id);
            expect(drop.tasks).to.deep.equal([task]);
            expect(await pendingTasks.clearTask(id, task, drop.rev)).to.equal(true);
            expect((await tasksOf(id)).tasks).to.deep.equal([]);
          }
        });
      }

      it('is cleared by itself, while the drop stands at that rev, and again without harm', async () => {
        const { pendingTasks } = stores();
        const { id, rev } = await create(['render', 'purge']);
        expect(await pendingTasks.clearTask(id, 'render', rev)).to.equal(true);
        expect((await tasksOf(id)).tasks).to.deep.equal(['purge']);
        expect(await pendingTasks.clearTask(id, 'render', rev)).to.equal(true);
        expect((await tasksOf(id)).tasks).to.deep.equal(['purge']);
      });

      it('stays when the drop has changed since, by whatever change', async () => {
        const { drops, pendingTasks } = stores();
        const { id, slug } = await create(['render', 'purge']);
        const changes: (() => Promise<unknown>)[] = [
          () => drops.addVersion('owner', slug, aVersion(), {}, 500, []),
          () => drops.changeDetails('owner', slug, {}, later, []),
          () => drops.setLock('owner', slug, null, later, []),
          () => drops.removeVersion('owner', slug, 1, later, []),
          () => drops.remove('owner', slug, later),
        ];
        for (const change of changes) {
          const { rev } = await tasksOf(id);
          await change();
          expect((await tasksOf(id)).rev).to.be.greaterThan(rev);
          expect(await pendingTasks.clearTask(id, 'purge', rev)).to.equal(false);
          expect((await tasksOf(id)).tasks).to.have.members(['render', 'purge']);
        }
      });

      it('does not move with views', async () => {
        const { id, rev, updatedAt, slug } = await create(['purge']);
        await stores().views.add('writer', 1, [{ dropId: id, day: '2026-01-31', count: 3 }]);
        await stores().views.aggregate(start);
        expect(await stores().drops.find('owner', slug)).to.deep.include({ rev, updatedAt, viewCount: 3 });
        expect(await stores().pendingTasks.clearTask(id, 'purge', rev)).to.equal(true);
      });

      it('cannot be cleared where there is no record', async () => {
        expect(await stores().pendingTasks.clearTask('unknown', 'purge', 1)).to.equal(false);
      });
    });

    describe('listPending', () => {
      it('lists what owes something, is deleted or has trash, and nothing else', async () => {
        const { drops } = stores();
        await create();
        const render = await create(['render']);
        const purge = await create(['purge']);
        const deleted = await create();
        await drops.remove('owner', deleted.slug, start);
        const trashed = await create();
        await addVersion(trashed.slug);
        await drops.removeVersion('owner', trashed.slug, 1, start, []);
        expect(await listAll()).to.have.members([render.id, purge.id, deleted.id, trashed.id]);
      });

      it('lists a drop no more once everything is done', async () => {
        const { drops, pendingTasks } = stores();
        const drop = aDrop();
        await drops.create(drop, 500, ['render', 'purge']);
        await addVersion(drop.slug);
        await drops.removeVersion('owner', drop.slug, 1, start, []);
        const { rev } = await tasksOf(drop.id);
        await pendingTasks.clearTask(drop.id, 'render', rev);
        await pendingTasks.clearTask(drop.id, 'purge', rev);
        expect(await listAll()).to.deep.equal([drop.id]);
        await pendingTasks.clearTrash(drop.id, [drop.version.id]);
        expect(await listAll()).to.deep.equal([]);
        await drops.remove('owner', drop.slug, start);
        expect(await listAll()).to.deep.equal([drop.id]);
        await pendingTasks.erase(drop.id);
        expect(await listAll()).to.deep.equal([]);
      });

      it('lists the oldest change first, those before the moment only, and so many at most', async () => {
        const { drops } = stores();
        const third = await create(['purge'], start + 1);
        const first = await create(['purge'], start + 2);
        const second = await create(['purge'], start + 3);
        await drops.changeDetails('owner', third.slug, {}, start + 4, []);
        expect(await list(start + 5, null, 10)).to.deep.equal([first.id, second.id, third.id]);
        expect(await list(start + 4, null, 10)).to.deep.equal([first.id, second.id]);
        expect(await list(start + 5, null, 1)).to.deep.equal([first.id]);
      });

      it('goes on behind a drop, also among those of the same moment, and where that drop is gone', async () => {
        const { pendingTasks } = stores();
        const made: PendingPosition[] = [];
        for (const changedAt of [start, start + 1, start + 1, start + 1, start + 2]) {
          made.push({ changedAt, id: (await create(['purge'], changedAt)).id });
        }
        const inOrder = made.sort((a, b) => a.changedAt - b.changedAt || (a.id < b.id ? -1 : 1));
        expect(await pendingTasks.listPending(later, null, 10)).to.deep.equal(inOrder);
        for (const [index, position] of inOrder.entries()) {
          const { rev } = await tasksOf(position.id);
          await pendingTasks.clearTask(position.id, 'purge', rev);
          const next = await pendingTasks.listPending(later, position, 2);
          expect(next).to.deep.equal(inOrder.slice(index + 1, index + 3));
        }
      });

      it('counts the deletion as a change', async () => {
        const { id, slug } = await create(['purge'], start);
        await stores().drops.remove('owner', slug, later);
        expect(await listAll(later)).to.deep.equal([]);
        expect(await listAll(later + 1)).to.deep.equal([id]);
      });
    });

    describe('trash', () => {
      it('holds removed versions until their blobs are said to be gone', async () => {
        const { drops, pendingTasks } = stores();
        const drop = aDrop();
        await drops.create(drop, 500, []);
        const ids = [drop.version.id, await addVersion(drop.slug), await addVersion(drop.slug)];
        for (const number of [1, 2]) await drops.removeVersion('owner', drop.slug, number, later, []);
        expect((await tasksOf(drop.id)).trash).to.have.members(ids.slice(0, 2));
        await pendingTasks.clearTrash(drop.id, [ids[0] ?? '', 'unknown']);
        expect((await tasksOf(drop.id)).trash).to.deep.equal([ids[1]]);
        expect(await listAll()).to.deep.equal([drop.id]);
        await inParallel(3, () => pendingTasks.clearTrash(drop.id, ids));
        expect(await tasksOf(drop.id)).to.deep.include({ trash: [], versionIds: [ids[2]] });
      });

      it('holds each of several versions that were removed under one number', async () => {
        const { drops } = stores();
        const { id, slug } = await create();
        const removed = [];
        for (let i = 0; i < 3; i++) {
          removed.push(await addVersion(slug));
          await drops.removeVersion('owner', slug, 2, later, []);
        }
        expect((await tasksOf(id)).trash).to.have.members(removed);
      });

      it("is the drop's own", async () => {
        const { drops, pendingTasks } = stores();
        const { id, slug } = await create();
        const version = await addVersion(slug);
        await drops.removeVersion('owner', slug, 2, later, []);
        await pendingTasks.clearTrash((await create()).id, [version]);
        expect((await tasksOf(id)).trash).to.deep.equal([version]);
      });
    });

    describe('erase', () => {
      it('removes the record of a deleted drop, and its slug is free again', async () => {
        const { drops, pendingTasks, views } = stores();
        const drop = aDrop();
        await drops.create(drop, 500, ['render']);
        const second = await addVersion(drop.slug);
        await drops.removeVersion('owner', drop.slug, 1, later, []);
        await views.add('writer', 1, [{ dropId: drop.id, day: '2026-01-31', count: 1 }]);
        await views.aggregate(start);
        await drops.remove('owner', drop.slug, later);
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

    describe('findReferenced', () => {
      it('finds versions and trash of live and deleted drops, and no other ids', async () => {
        const { drops, pendingTasks } = stores();
        const named: string[] = [];
        for (const isDeleted of [false, true]) {
          const drop = aDrop();
          await drops.create(drop, 500, []);
          named.push(drop.version.id, await addVersion(drop.slug));
          await drops.removeVersion('owner', drop.slug, 1, later, []);
          if (isDeleted) await drops.remove('owner', drop.slug, later);
        }
        const unnamed = Array.from({ length: 496 }, () => newId(start));
        const found = await pendingTasks.findReferenced([...unnamed, ...named]);
        expect([...found]).to.have.members(named);
      });

      it('finds nothing among none', async () => {
        expect((await stores().pendingTasks.findReferenced([])).size).to.equal(0);
      });
    });
  });
}
