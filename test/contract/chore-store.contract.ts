import { expect } from 'chai';
import type { Drop, Owed } from '../../shared/domain/drop.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { ChorePosition, DropChores } from '../../shared/ports/chore-store.ts';
import { aDrop, aVersion, inParallel, later, start } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

/** What any engine must do for ChoreStore. */
export function describeChoreStoreContract(engine: string, openStores: OpenStores): void {
  describe(`ChoreStore (${engine})`, () => {
    const stores = useStores(openStores);

    async function create(owed: readonly Owed[] = [], createdAt = start): Promise<Drop> {
      const made = await stores().drops.create(aDrop({ version: aVersion({ createdAt }) }), 500, owed);
      if (typeof made === 'string') throw new Error(`Not made: ${made}`);
      return made;
    }

    async function addVersion(slug: string): Promise<string> {
      const version = aVersion();
      await stores().drops.addVersion('owner', slug, version, {}, 500, []);
      return version.id;
    }

    async function choresOf(dropId: string): Promise<DropChores> {
      const chores = await stores().chores.findChores(dropId);
      if (chores === null) throw new Error('There is no record');
      return chores;
    }

    async function list(before: number, after: ChorePosition | null, limit: number): Promise<string[]> {
      return (await stores().chores.listWithChores(before, after, limit)).map(({ id }) => id);
    }

    const listAll = (before = later + 1) => list(before, null, 100);

    describe('findChores', () => {
      it('shows a live drop, its versions and its head', async () => {
        const drop = aDrop();
        await stores().drops.create(drop, 500, ['render', 'purge']);
        const second = await addVersion(drop.slug);
        const { owed, versionIds, ...chores } = await choresOf(drop.id);
        const { rev } = (await stores().drops.find('owner', drop.slug)) ?? {};
        expect(chores).to.deep.equal({
          id: drop.id,
          deleted: false,
          rev,
          headId: second,
          trash: [],
        });
        expect(versionIds).to.have.members([drop.version.id, second]);
        expect(owed).to.have.members(['render', 'purge']);
      });

      it('shows a deleted drop with all that is to be removed', async () => {
        const drop = aDrop();
        await stores().drops.create(drop, 500, []);
        const second = await addVersion(drop.slug);
        await stores().drops.removeVersion('owner', drop.slug, 1, later, []);
        await stores().drops.remove('owner', drop.slug, later);
        const chores = await choresOf(drop.id);
        expect(chores).to.deep.include({ deleted: true, versionIds: [second], trash: [drop.version.id] });
      });

      it('is null where there is no record', async () => {
        expect(await stores().chores.findChores('unknown')).to.equal(null);
      });
    });

    describe('what is owed', () => {
      it('is written down by each change, added to what was owed before', async () => {
        const { drops } = stores();
        const { id, slug } = await create();
        const owed = async () => (await choresOf(id)).owed;
        expect(await owed()).to.deep.equal([]);
        await drops.changeDetails('owner', slug, {}, later, ['purge']);
        expect(await owed()).to.deep.equal(['purge']);
        await drops.addVersion('owner', slug, aVersion(), {}, 500, ['render']);
        expect(await owed()).to.have.members(['purge', 'render']);
        await drops.setLock('owner', slug, null, later, []);
        expect(await owed()).to.have.members(['purge', 'render']);
      });

      for (const owed of ['render', 'purge'] as const) {
        it(`is written down by every kind of change: ${owed}`, async () => {
          const { drops, chores } = stores();
          const { id, slug } = await create([owed]);
          const changes: (() => Promise<unknown>)[] = [
            () => drops.addVersion('owner', slug, aVersion(), {}, 500, [owed]),
            () => drops.changeDetails('owner', slug, {}, later, [owed]),
            () => drops.setLock('owner', slug, { id: 'l', hash: 'h' }, later, [owed]),
            () => drops.removeVersion('owner', slug, 1, later, [owed]),
          ];
          for (const change of [null, ...changes]) {
            await change?.();
            const drop = await choresOf(id);
            expect(drop.owed).to.deep.equal([owed]);
            expect(await chores.clearOwed(id, owed, drop.rev)).to.equal(true);
            expect((await choresOf(id)).owed).to.deep.equal([]);
          }
        });
      }

      it('is cleared by itself, while the drop stands at that rev, and again without harm', async () => {
        const { chores } = stores();
        const { id, rev } = await create(['render', 'purge']);
        expect(await chores.clearOwed(id, 'render', rev)).to.equal(true);
        expect((await choresOf(id)).owed).to.deep.equal(['purge']);
        expect(await chores.clearOwed(id, 'render', rev)).to.equal(true);
        expect((await choresOf(id)).owed).to.deep.equal(['purge']);
      });

      it('stays when the drop has changed since, by whatever change', async () => {
        const { drops, chores } = stores();
        const { id, slug } = await create(['render', 'purge']);
        const changes: (() => Promise<unknown>)[] = [
          () => drops.addVersion('owner', slug, aVersion(), {}, 500, []),
          () => drops.changeDetails('owner', slug, {}, later, []),
          () => drops.setLock('owner', slug, null, later, []),
          () => drops.removeVersion('owner', slug, 1, later, []),
          () => drops.remove('owner', slug, later),
        ];
        for (const change of changes) {
          const { rev } = await choresOf(id);
          await change();
          expect((await choresOf(id)).rev).to.be.greaterThan(rev);
          expect(await chores.clearOwed(id, 'purge', rev)).to.equal(false);
          expect((await choresOf(id)).owed).to.have.members(['render', 'purge']);
        }
      });

      it('does not move with views', async () => {
        const { id, rev, updatedAt, slug } = await create(['purge']);
        await stores().viewTotals.addToDrops(1, [{ dropId: id, count: 3 }]);
        expect(await stores().drops.find('owner', slug)).to.deep.include({ rev, updatedAt, viewCount: 3 });
        expect(await stores().chores.clearOwed(id, 'purge', rev)).to.equal(true);
      });

      it('cannot be cleared where there is no record', async () => {
        expect(await stores().chores.clearOwed('unknown', 'purge', 1)).to.equal(false);
      });
    });

    describe('listWithChores', () => {
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
        const { drops, chores } = stores();
        const drop = aDrop();
        await drops.create(drop, 500, ['render', 'purge']);
        await addVersion(drop.slug);
        await drops.removeVersion('owner', drop.slug, 1, start, []);
        const { rev } = await choresOf(drop.id);
        await chores.clearOwed(drop.id, 'render', rev);
        await chores.clearOwed(drop.id, 'purge', rev);
        expect(await listAll()).to.deep.equal([drop.id]);
        await chores.clearTrash(drop.id, [drop.version.id]);
        expect(await listAll()).to.deep.equal([]);
        await drops.remove('owner', drop.slug, start);
        expect(await listAll()).to.deep.equal([drop.id]);
        await chores.erase(drop.id);
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
        const { chores } = stores();
        const made: ChorePosition[] = [];
        for (const changedAt of [start, start + 1, start + 1, start + 1, start + 2]) {
          made.push({ changedAt, id: (await create(['purge'], changedAt)).id });
        }
        const inOrder = made.sort((a, b) => a.changedAt - b.changedAt || (a.id < b.id ? -1 : 1));
        expect(await chores.listWithChores(later, null, 10)).to.deep.equal(inOrder);
        for (const [index, position] of inOrder.entries()) {
          const { rev } = await choresOf(position.id);
          await chores.clearOwed(position.id, 'purge', rev);
          const next = await chores.listWithChores(later, position, 2);
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
        const { drops, chores } = stores();
        const drop = aDrop();
        await drops.create(drop, 500, []);
        const ids = [drop.version.id, await addVersion(drop.slug), await addVersion(drop.slug)];
        for (const number of [1, 2]) await drops.removeVersion('owner', drop.slug, number, later, []);
        expect((await choresOf(drop.id)).trash).to.have.members(ids.slice(0, 2));
        await chores.clearTrash(drop.id, [ids[0] ?? '', 'unknown']);
        expect((await choresOf(drop.id)).trash).to.deep.equal([ids[1]]);
        expect(await listAll()).to.deep.equal([drop.id]);
        await inParallel(3, () => chores.clearTrash(drop.id, ids));
        expect(await choresOf(drop.id)).to.deep.include({ trash: [], versionIds: [ids[2]] });
      });

      it('holds each of several versions that were removed under one number', async () => {
        const { drops } = stores();
        const { id, slug } = await create();
        const removed = [];
        for (let i = 0; i < 3; i++) {
          removed.push(await addVersion(slug));
          await drops.removeVersion('owner', slug, 2, later, []);
        }
        expect((await choresOf(id)).trash).to.have.members(removed);
      });

      it("is the drop's own", async () => {
        const { drops, chores } = stores();
        const { id, slug } = await create();
        const version = await addVersion(slug);
        await drops.removeVersion('owner', slug, 2, later, []);
        await chores.clearTrash((await create()).id, [version]);
        expect((await choresOf(id)).trash).to.deep.equal([version]);
      });
    });

    describe('erase', () => {
      it('removes the record of a deleted drop, and its slug is free again', async () => {
        const { drops, chores, viewTotals } = stores();
        const drop = aDrop();
        await drops.create(drop, 500, ['render']);
        const second = await addVersion(drop.slug);
        await drops.removeVersion('owner', drop.slug, 1, later, []);
        await viewTotals.addToDays(1, [{ dropId: drop.id, day: '2026-01-31', count: 1 }]);
        await drops.remove('owner', drop.slug, later);
        await inParallel(3, () => chores.erase(drop.id));
        expect(await chores.findChores(drop.id)).to.equal(null);
        expect([...(await viewTotals.listDays(drop.id))]).to.deep.equal([]);
        expect([...(await chores.findNamed([drop.version.id, second]))]).to.deep.equal([]);
        expect(await drops.create(aDrop({ slug: drop.slug }), 500, [])).to.be.an('object');
      });

      it('does nothing to a live drop', async () => {
        const { id, slug, ...drop } = await create();
        await stores().chores.erase(id);
        await stores().chores.erase('unknown');
        expect(await stores().drops.find('owner', slug)).to.deep.include(drop);
      });
    });

    describe('findNamed', () => {
      it('finds versions and trash of live and deleted drops, and no other ids', async () => {
        const { drops, chores } = stores();
        const named: string[] = [];
        for (const isDeleted of [false, true]) {
          const drop = aDrop();
          await drops.create(drop, 500, []);
          named.push(drop.version.id, await addVersion(drop.slug));
          await drops.removeVersion('owner', drop.slug, 1, later, []);
          if (isDeleted) await drops.remove('owner', drop.slug, later);
        }
        const unnamed = Array.from({ length: 496 }, () => newId(start));
        const found = await chores.findNamed([...unnamed, ...named]);
        expect([...found]).to.have.members(named);
      });

      it('finds nothing among none', async () => {
        expect((await stores().chores.findNamed([])).size).to.equal(0);
      });
    });
  });
}
