import { expect } from 'chai';
import { accessLock } from '../../shared/drops/access.ts';
import type { NewDrop } from '../../shared/drops/drop.ts';
import { lazily } from '../support/between.ts';
import { aDrop, at, later, makeDrop } from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const passcode = { id: 'b'.repeat(32), hash: '$argon2id$of a passcode' };
const people = ['ada@example.org', '@example.org', 'group:/staff $1'];

/** What any engine must do for `access` and `people` of a drop. */
export function describeDropAccessContract(engine: string, openStores: OpenStores): void {
  describe(`Access to drops (${engine})`, () => {
    const stores = useStores(openStores);
    const drops = lazily(() => stores().drops);
    const create = (changes: Partial<NewDrop> = {}) => makeDrop(stores(), changes);

    /** The lock as processes and archives of earlier releases know it. */
    async function archivedLock(slug: string): Promise<unknown> {
      const snapshot = await stores().archive.openSnapshot();
      try {
        for await (const batch of snapshot.read('drops')) {
          const found = batch.find((drop) => drop.slug === slug);
          if (found !== undefined) return found.lock;
        }
      } finally {
        await snapshot.close();
      }
      throw new Error('no such drop');
    }

    it('is stored with a drop, read with its page, and changed', async () => {
      const { slug } = await create({ access: 'named', people });
      expect(await drops.find('owner', slug)).to.deep.include({ access: 'named', people, locked: false });
      expect(await drops.findPage(slug, null)).to.deep.include({ access: 'named', people, lock: null });
      const changed = await drops.changeDetails(at(slug), { access: 'members', people: null }, later, []);
      expect(changed).to.deep.include({ access: 'members', people: null });
      expect(await drops.findPage(slug, null)).to.deep.include({
        access: 'members',
        people: null,
        lock: null,
      });
    });

    it('a restricted drop has a lock that earlier releases know, until everybody with the address may read it', async () => {
      const { slug } = await create({ access: 'named', people });
      expect(await archivedLock(slug)).to.deep.equal(accessLock);
      await drops.changeDetails(at(slug), { title: 'New' }, later, []);
      expect(await archivedLock(slug)).to.deep.equal(accessLock);
      await drops.changeDetails(at(slug), { access: 'link' }, later, []);
      expect(await archivedLock(slug)).to.equal(null);
      await drops.changeDetails(at(slug), { access: 'members' }, later, []);
      expect(await archivedLock(slug)).to.deep.equal(accessLock);
    });

    it('a passcode is kept by every change of the access', async () => {
      const { slug } = await create({ lock: passcode });
      for (const access of ['members', 'named', 'link'] as const) {
        expect(await drops.changeDetails(at(slug), { access }, later, [])).to.have.property('locked', true);
        expect(await drops.findPage(slug, null)).to.deep.include({ access, lock: passcode });
      }
      expect(await archivedLock(slug)).to.deep.equal(passcode);
    });

    it('setting and removing a passcode leaves a restricted drop restricted', async () => {
      const { slug } = await create({ access: 'members' });
      expect(await drops.setLock(at(slug), passcode, later, [])).to.deep.include({
        locked: true,
        access: 'members',
      });
      expect(await archivedLock(slug)).to.deep.equal(passcode);
      expect(await drops.setLock(at(slug), null, later, [])).to.deep.include({
        locked: false,
        access: 'members',
      });
      expect(await archivedLock(slug)).to.deep.equal(accessLock);
      const { slug: open } = await create({ lock: passcode });
      await drops.setLock(at(open), null, later, []);
      expect(await archivedLock(open)).to.equal(null);
    });

    it('lists what is shared with somebody, the newest first, in parts, without what is their own, deleted or expired', async () => {
      const made: string[] = [];
      for (const n of [1, 2, 3]) {
        const version = { ...aDrop().version, createdAt: later + n };
        const id = `${String(n).repeat(12)}${'0'.repeat(20)}`;
        made.push((await create({ id, access: 'named', people, version })).slug);
      }
      await create({ ownerId: 'ada', access: 'named', people });
      await create({ access: 'named', people, expiresAt: later - 120_000 });
      await create({ access: 'named', people: ['bob@example.org'] });
      const { slug: deleted } = await create({ access: 'named', people });
      await drops.remove(at(deleted), later);
      const shared = await drops.listShared(['ada@example.org', 'group:/staff $1', '@other.org'], {
        exceptOwner: 'ada',
        after: null,
        limit: 2,
      });
      expect(shared.map(({ slug }) => slug)).to.deep.equal([made[2], made[1]]);
      const rest = await drops.listShared(['ada@example.org'], {
        exceptOwner: 'ada',
        after: shared[1]?.id ?? '',
        limit: 2,
      });
      expect(rest.map(({ slug }) => slug)).to.deep.equal([made[0]]);
      await drops.changeDetails(at(made[0] ?? ''), { people: ['@example.org'] }, later, []);
      expect(
        await drops.listShared(['ada@example.org'], {
          exceptOwner: 'ada',
          after: shared[1]?.id ?? '',
          limit: 2,
        }),
      ).to.deep.equal([]);
    });
  });
}
