import { expect } from 'chai';
import type { Drop, NewDrop } from '../../shared/drops/drop.ts';
import { sortFields } from '../../shared/drops/drop-query.ts';
import { lazily } from '../support/between.ts';
import {
  aDrop,
  at,
  aVersion,
  inParallel,
  later,
  makeDrop,
  newestFirst,
  pairs,
  start,
  tags,
} from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const end = start + 3_600_000;
const metadata = tags('project=x');
const lock = { id: 'l', hash: 'h' };

/** What any engine must do with drops that expire: DropStore, ModerationStore and PendingTaskStore. */
export function describeDropExpiryContract(engine: string, openStores: OpenStores): void {
  describe(`Expiry of drops (${engine})`, () => {
    const stores = useStores(openStores);
    const drops = lazily(() => stores().drops);
    const moderation = lazily(() => stores().moderation);
    const pendingTasks = lazily(() => stores().pendingTasks);
    const clock = lazily(() => stores().clock);

    const create = (changes: Partial<NewDrop> = {}, cap = 500) =>
      makeDrop(stores(), { metadata, ...changes }, [], cap);

    const find = (slug: string) => stores().drops.find('owner', slug);

    it('is stored by create, changeDetails and addVersion, and null removes it', async () => {
      const { slug, ...made } = await create({ expiresAt: end });
      expect(made.expiresAt).to.equal(end);
      expect((await drops.findPage(slug, null))?.expiresAt).to.equal(end);
      const steps = [
        [() => drops.changeDetails(at(slug), { title: 'New' }, later, []), end],
        [() => drops.addVersion(at(slug), aVersion(), {}, 500, []), end],
        [() => drops.changeDetails(at(slug), { expiresAt: null }, later, []), null],
        [() => drops.changeDetails(at(slug), { expiresAt: null, title: 'Newer' }, later, []), null],
        [() => drops.addVersion(at(slug), aVersion(), { expiresAt: end + 1 }, 500, []), end + 1],
        [() => drops.addVersion(at(slug), aVersion(), { expiresAt: null }, 500, []), null],
        [() => drops.changeDetails(at(slug), { expiresAt: end + 2 }, later, []), end + 2],
      ] as const;
      for (const [change, expiresAt] of steps) {
        const changed = await change();
        expect(changed).to.include({ expiresAt });
        expect(await find(slug)).to.deep.equal(changed);
        expect((await drops.findPage(slug, null))?.expiresAt).to.equal(expiresAt);
      }
    });

    it('from that time on the drop is absent in every method, and no method changes it', async () => {
      const { slug, id } = await create({ expiresAt: end });
      await drops.addVersion(at(slug), aVersion(), {}, 500, []);
      const reads: [string, () => unknown][] = [
        ['find', () => find(slug)],
        ['listVersions', () => drops.listVersions('owner', slug)],
        ['findVersion', () => drops.findVersion('owner', slug, 1)],
        ['findPage', () => drops.findPage(slug, null)],
        ['findPage of a version', () => drops.findPage(slug, 1)],
        ['findRevisions', async () => (await drops.findRevisions([slug])).get(slug) ?? null],
        ['findDrop', () => moderation.findDrop(slug)],
      ];
      const changes: [string, () => Promise<unknown>][] = [
        ['addVersion', () => drops.addVersion(at(slug), aVersion(), {}, 500, [])],
        ['changeDetails', () => drops.changeDetails(at(slug), { expiresAt: end + 9_000 }, later, [])],
        ['changeDetails to never', () => drops.changeDetails(at(slug), { expiresAt: null }, later, [])],
        ['setLock', () => drops.setLock(at(slug), lock, later, [])],
        ['removeVersion', () => drops.removeVersion(at(slug), 1, later, [])],
        ['takeDown', () => moderation.takeDown(slug, { at: later, reason: 'x' }, ['purge'])],
        ['restore', () => moderation.restore(slug, later, ['purge'])],
        ['remove', () => drops.remove(at(slug), later)],
      ];
      clock.set(end - 1);
      for (const [name, read] of reads) expect(await read(), name).to.not.equal(null);
      const before = await pendingTasks.find(id);
      clock.set(end);
      for (const [name, call] of [...reads, ...changes]) expect(await call(), name).to.equal(null);
      expect(await pendingTasks.find(id)).to.deep.equal(before);
    });

    it('lists and counts have no expired drop, in every order, with and without a filter', async () => {
      const kept = await create();
      const soon = await create({ expiresAt: end });
      const late = await create({ expiresAt: end + 1 });
      for (const [now, live] of [
        [end - 1, [kept, soon, late]],
        [end, [kept, late]],
        [end + 1, [kept]],
      ] as const) {
        clock.set(now);
        expect(await drops.count('owner')).to.equal(live.length);
        for (const sortBy of sortFields) {
          for (const filter of [[], pairs('project=x')]) {
            const listed = await drops.list('owner', { ...newestFirst, sortBy, metadata: filter });
            expect(listed.drops).to.have.deep.members(live);
            expect(listed.total).to.equal(live.length);
          }
        }
      }
    });

    it('create removes expired drops of the owner if it finds no free place, and only then', async () => {
      const cap = 4;
      const expiring = [await create({ expiresAt: end }, cap), await create({ expiresAt: end }, cap)];
      const others = [await create({ ownerId: 'other', expiresAt: end }), await create({}, cap)];
      const isDeleted = async ({ id }: Drop) => (await pendingTasks.find(id))?.deleted;
      clock.set(end);
      await create({}, cap);
      expect(await Promise.all(expiring.map(isDeleted)), 'a place was free').to.deep.equal([false, false]);
      const made = await inParallel(5, () => drops.create(aDrop(), cap, []));
      expect(made.filter((drop) => drop !== 'no_place')).to.have.length(2);
      expect(await drops.count('owner')).to.equal(cap);
      expect(await Promise.all(expiring.map(isDeleted))).to.deep.equal([true, true]);
      expect(await Promise.all(others.map(isDeleted))).to.deep.equal([false, false]);
      const pending = await pendingTasks.listPending(Number.MAX_SAFE_INTEGER, null, 10);
      expect(pending.map(({ id }) => id)).to.have.members(expiring.map(({ id }) => id));
    });

    it('create removes as many expired drops as a lowered cap needs', async () => {
      for (let i = 0; i < 105; i++) await create({ expiresAt: end });
      stores().clock.set(end);
      expect(await stores().drops.create(aDrop(), 1, [])).to.be.an('object');
      expect(await stores().drops.create(aDrop(), 1, [])).to.equal('no_place');
    });

    describe('removeExpired', () => {
      it('removes the longest expired first, at most the limit, also taken down ones', async () => {
        await create();
        const third = await create({ expiresAt: end + 2 });
        const first = await create({ expiresAt: end });
        const second = await create({ expiresAt: end + 1, ownerId: 'other' });
        await moderation.takeDown(first.slug, { at: later, reason: 'x' }, []);
        const { rev = 0 } = (await pendingTasks.find(first.id)) ?? {};
        clock.set(end + 2);
        expect(await pendingTasks.removeExpired(end - 1, 10)).to.deep.equal([]);
        expect(await pendingTasks.removeExpired(end + 2, 2)).to.deep.equal([first.id, second.id]);
        expect(await pendingTasks.find(first.id)).to.deep.include({ deleted: true, rev: rev + 1 });
        expect(await pendingTasks.removeExpired(end + 2, 2)).to.deep.equal([third.id]);
        expect(await pendingTasks.removeExpired(end + 2, 2)).to.deep.equal([]);
        expect(await drops.count('owner')).to.equal(1);
        const pending = await pendingTasks.listPending(end + 3, null, 10);
        expect(pending.map(({ id }) => id)).to.have.members([first.id, second.id, third.id]);
      });

      it('frees the place and the metadata, and parallel calls change nothing twice', async () => {
        const made = await inParallel(30, () => create({ expiresAt: end }, 30));
        clock.set(end);
        const removed = await inParallel(4, () => pendingTasks.removeExpired(end, 30));
        expect(new Set(removed.flat()).size).to.equal(30);
        for (const { id, rev } of made)
          expect(await pendingTasks.find(id)).to.deep.include({ deleted: true, rev: rev + 1 });
        const filter = { ...newestFirst, metadata: pairs('project=x') };
        expect((await drops.list('owner', filter)).total).to.equal(0);
        expect(await drops.create(aDrop(), 1, [])).to.be.an('object');
      });

      it('leaves a drop alone whose end was moved or removed', async () => {
        const moved = await create({ expiresAt: end });
        const kept = await create({ expiresAt: end });
        await drops.changeDetails(at(moved.slug), { expiresAt: end + 1 }, later, []);
        await drops.changeDetails(at(kept.slug), { expiresAt: null }, later, []);
        expect(await pendingTasks.removeExpired(end, 10)).to.deep.equal([]);
        expect(await pendingTasks.removeExpired(end + 1, 10)).to.deep.equal([moved.id]);
        expect(await find(kept.slug)).to.include({ expiresAt: null });
      });
    });
  });
}
