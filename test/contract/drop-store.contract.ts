import { expect } from 'chai';
import { newId, newSlug } from '../../shared/domain/ids.ts';
import type { NewDrop } from '../../shared/drops/drop.ts';
import { lazily } from '../support/between.ts';
import { describeDropList } from './drop-list.contract.ts';
import { describeDropRevisions } from './drop-revisions.contract.ts';
import { describeDropVersions } from './drop-versions.contract.ts';
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
  stored,
  tags,
} from './records.ts';
import { type OpenStores, useStores } from './stores.ts';

const cap = 500;

/** What any engine must do for DropStore. */
export function describeDropStoreContract(engine: string, openStores: OpenStores): void {
  describe(`DropStore (${engine})`, () => {
    const stores = useStores(openStores);
    const drops = lazily(() => stores().drops);
    const moderation = lazily(() => stores().moderation);
    const clock = lazily(() => stores().clock);

    const create = (changes: Partial<NewDrop> = {}) => makeDrop(stores(), changes);

    /** So many drops are still to be made below the cap. */
    async function expectPlaces(count: number, belowCap: number): Promise<void> {
      const made = await inParallel(count + 15, () => stores().drops.create(aDrop(), belowCap, []));
      expect(made.filter((drop) => drop !== 'no_place')).to.have.length(count);
    }

    describe('create', () => {
      it('returns the drop as find does, with version 1, no views and equal times', async () => {
        const lock = { id: 'l1', hash: '$argon2id$…' };
        const drop = aDrop({ description: 'Größe', metadata: tags('project=x'), lock });
        const made = await stores().drops.create(drop, cap, []);
        const { version: _, lock: __, ...kept } = drop;
        const fresh = { locked: true, latestVersion: 1, viewCount: 0, createdAt: start, updatedAt: start };
        expect(made).to.deep.include({ ...kept, ...fresh });
        expect(await stores().drops.find(drop.ownerId, drop.slug)).to.deep.equal(made);
      });

      it('returns the same drop when it is repeated', async () => {
        const drop = aDrop();
        const made = await inParallel(5, () => stores().drops.create(drop, 1, []));
        for (const repeat of made) expect(repeat).to.deep.equal(made[0]);
        expect(await stores().drops.count(drop.ownerId)).to.equal(1);
        expect(await stores().drops.listVersions(drop.ownerId, drop.slug)).to.have.length(1);
        const changed = await drops.changeDetails(at(drop.slug, drop.ownerId), { title: 'New' }, later, []);
        expect(await drops.create(drop, cap, []), 'after a change').to.deep.equal(changed);
      });

      it('refuses a slug that is taken, by whomever, and keeps nothing of the refused drop', async () => {
        const { slug } = await create();
        const refused = aDrop({ slug, ownerId: 'other', metadata: tags('a=b') });
        expect(await drops.create(refused, cap, [])).to.equal('slug_taken');
        expect(await drops.count('other')).to.equal(0);
        expect(await stores().html.get(refused.version.id)).to.equal(null);
        expect((await drops.list('other', { ...newestFirst, metadata: pairs('a=b') })).total).to.equal(0);
        expect(await drops.create({ ...refused, slug: newSlug() }, cap, [])).to.be.an('object');
      });

      it('slugs are case-sensitive', async () => {
        const one = await create({ slug: 'abcDEF' });
        const other = await create({ slug: 'ABCdef' });
        expect(await stores().drops.find('owner', 'abcDEF')).to.deep.equal(one);
        expect(await stores().drops.find('owner', 'ABCdef')).to.deep.equal(other);
      });

      it('gives a slug to exactly one of 20 parallel creates', async () => {
        const slug = newSlug();
        const made = await inParallel(20, () => stores().drops.create(aDrop({ slug }), cap, []));
        expect(made.filter((drop) => drop !== 'slug_taken')).to.have.length(1);
      });
    });

    describe('the cap', () => {
      it('is never passed by parallel creates', async () => {
        await expectPlaces(25, 25);
        expect(await drops.count('owner')).to.equal(25);
        expect(await drops.create(aDrop(), 25, [])).to.equal('no_place');
        expect(await drops.create(aDrop({ ownerId: 'other' }), 1, []), 'of each owner').to.be.an('object');
      });

      it('a removed drop frees its place', async () => {
        await expectPlaces(10, 10);
        for (const slug of (await drops.listSlugs('owner')).slice(0, 3)) await drops.remove(at(slug), later);
        await expectPlaces(3, 10);
        expect(await drops.count('owner')).to.equal(10);
      });

      it('after it was lowered, refuses drops until fewer are live than it allows', async () => {
        const slugs: string[] = [];
        for (let i = 0; i < 20; i++) slugs.push((await create()).slug);
        expect(await drops.create(aDrop(), 5, [])).to.equal('no_place');
        for (const slug of slugs.slice(0, 15)) await drops.remove(at(slug), later);
        expect(await drops.create(aDrop(), 5, []), 'five live').to.equal('no_place');
        await drops.remove(at(slugs[15] ?? ''), later);
        expect(await drops.create(aDrop(), 5, []), 'four live').to.be.an('object');
        expect(await drops.create(aDrop(), 5, []), 'five again').to.equal('no_place');
      });

      it('may be 0', async () => {
        expect(await stores().drops.create(aDrop(), 0, [])).to.equal('no_place');
      });
    });

    describe('changeDetails', () => {
      it('changes what is given and leaves the rest', async () => {
        const metadata = tags('a=1');
        const { slug, rev, ...drop } = await create({ description: 'old', metadata });
        const titled = await drops.changeDetails(at(slug), { title: 'New' }, later, []);
        expect(titled).to.deep.include({ ...drop, title: 'New', updatedAt: later });
        expect(titled).to.have.property('rev').greaterThan(rev);
        const described = await drops.changeDetails(at(slug), { description: 'new' }, later, []);
        expect(described).to.deep.include({ title: 'New', description: 'new', metadata });
        expect(await drops.find('owner', slug)).to.deep.equal(described);
      });

      it('clears the description with null, and the metadata with an empty map', async () => {
        const { slug } = await create({ description: 'old', metadata: tags('a=1') });
        const changes = { description: null, metadata: new Map() };
        const cleared = await drops.changeDetails(at(slug), changes, later, []);
        expect(cleared).to.deep.include({ description: null, metadata: new Map() });
        expect(await drops.find('owner', slug)).to.deep.equal(cleared);
      });

      it('sets updatedAt and raises rev even if no field is given', async () => {
        const { slug, rev } = await create();
        const touched = await stores().drops.changeDetails(at(slug), {}, later, []);
        expect(touched).to.have.property('updatedAt', later);
        expect(touched).to.have.property('rev').greaterThan(rev);
      });

      it('replaces the whole map', async () => {
        const { slug } = await create({ metadata: tags('a=1', 'b=2', 'c=3') });
        const metadata = tags('c=3', 'b=x', 'd=4');
        await drops.changeDetails(at(slug), { metadata }, later, []);
        const found = await drops.find('owner', slug);
        expect([...(found?.metadata ?? [])]).to.deep.equal([...metadata]);
      });

      it('keeps hostile keys, and the order in which they came', async () => {
        const hostile = '__proto__ constructor a.b 7 toString hasOwnProperty A 0 _id';
        const metadata = new Map(hostile.split(' ').map((key) => [key, `of ${key} "'$ é𝄞`]));
        const { slug } = await create({ metadata });
        const found = await stores().drops.find('owner', slug);
        expect([...(found?.metadata ?? [])]).to.deep.equal([...metadata]);
      });

      it('loses none of many parallel changes', async () => {
        const { slug, rev } = await create();
        await inParallel(30, (i) =>
          i % 2 === 0
            ? drops.changeDetails(at(slug), { title: 'New' }, later, [])
            : drops.changeDetails(at(slug), { description: 'new' }, later, []),
        );
        const found = await drops.find('owner', slug);
        expect(found).to.deep.include({ title: 'New', description: 'new' });
        expect(found?.rev).to.equal(rev + 30);
      });
    });

    describe('setLock', () => {
      it('sets, changes and removes the lock', async () => {
        const { slug } = await create();
        const lockOf = async () => (await drops.findPage(slug, null))?.lock;
        expect(await lockOf()).to.equal(null);
        for (const lock of [{ id: 'l1', hash: 'h1' }, { id: 'l2', hash: 'h2' }, null]) {
          const drop = await drops.setLock(at(slug), lock, later, []);
          expect(drop).to.deep.include({ locked: lock !== null, updatedAt: later });
          expect(await drops.find('owner', slug)).to.deep.equal(drop);
          expect(await lockOf()).to.deep.equal(lock);
        }
      });
    });

    describe('findPage', () => {
      it('returns the drop with its latest version, without metadata', async () => {
        const lock = { id: 'l1', hash: 'h1' };
        const drop = aDrop({ description: 'about', lock, metadata: tags('a=b') });
        await stores().drops.create(drop, cap, []);
        expect(await stores().drops.findPage(drop.slug, null)).to.deep.equal({
          dropId: drop.id,
          ownerId: drop.ownerId,
          slug: drop.slug,
          title: drop.title,
          description: 'about',
          lock,
          isTakenDown: false,
          createdAt: drop.version.createdAt,
          expiresAt: null,
          comments: 'owner',
          access: 'link',
          people: null,
          latestVersion: 1,
          rev: 1,
          version: stored(drop.version, 1),
        });
      });

      it('has a revision that each visible change raises, as findRevisions lists it', async () => {
        const { slug } = await create();
        const other = await create();
        const revisions = async () => drops.findRevisions([slug, other.slug, 'unknown']);
        const changes = [
          () => drops.addVersion(at(slug), aVersion(), {}, cap, []),
          () => drops.changeDetails(at(slug), { title: 'New' }, later, []),
          () => drops.setLock(at(slug), { id: 'l1', hash: 'h1' }, later, []),
          () => drops.setLock(at(slug), null, later, []),
          () => drops.removeVersion(at(slug), 1, later, []),
          () => moderation.takeDown(slug, { at: later, reason: 'spam' }, []),
          () => moderation.restore(slug, later, []),
        ];
        for (const [index, one] of changes.entries()) {
          const before = (await revisions()).get(slug) ?? 0;
          await one();
          expect((await revisions()).get(slug), `change ${index}`).to.be.above(before);
          expect((await drops.findPage(slug, null))?.rev).to.equal((await revisions()).get(slug));
        }
        await drops.remove(at(slug), later);
        expect(await revisions()).to.deep.equal(new Map([[other.slug, 1]]));
        expect(await drops.findRevisions([])).to.deep.equal(new Map());
      });

      it('returns null for an unknown slug, and version null for an unknown version', async () => {
        const { slug } = await create();
        expect(await stores().drops.findPage('unknown', null)).to.equal(null);
        expect(await stores().drops.findPage('unknown', 1)).to.equal(null);
        expect(await stores().drops.findPage(slug, 2)).to.deep.include({ slug, version: null });
        const tooHigh = await stores().drops.findPage(slug, Number.MAX_SAFE_INTEGER);
        expect(tooHigh).to.deep.include({ version: null });
      });
    });

    describe('remove', () => {
      it('returns the internal id, once', async () => {
        const { id, slug } = await create();
        const removed = await inParallel(10, () => stores().drops.remove(at(slug), later));
        expect(removed.filter((outcome) => outcome !== null)).to.deep.equal([id]);
      });

      it('hides the drop from every method', async () => {
        const { slug } = await create({ metadata: tags('a=b') });
        await drops.remove(at(slug), later);
        await expectAbsent('owner', slug);
        for (const metadata of [[], pairs('a=b')]) {
          const listed = await drops.list('owner', { ...newestFirst, metadata });
          expect(listed).to.deep.equal({ drops: [], total: 0 });
        }
        expect(await drops.count('owner')).to.equal(0);
        expect(await drops.findPage(slug, null)).to.equal(null);
        expect(await drops.findPage(slug, 1)).to.equal(null);
      });

      it('does not give the slug to another drop while the record is there', async () => {
        const { slug } = await create();
        await stores().drops.remove(at(slug), later);
        expect(await stores().drops.create(aDrop({ slug }), cap, [])).to.equal('slug_taken');
      });
    });

    it("lists the slugs of the owner's live drops, oldest first", async () => {
      const version = (createdAt: number) => ({ version: aVersion({ createdAt }) });
      const second = await create(version(start + 1));
      const first = await create(version(start));
      await create({ ownerId: 'another' });
      const removed = await create();
      await drops.remove(at(removed.slug), later);
      await create({ expiresAt: later });
      clock.set(later);
      expect(await drops.listSlugs('owner')).to.deep.equal([first.slug, second.slug]);
      expect(await drops.listSlugs('nobody')).to.deep.equal([]);
    });

    describe('removeSome', () => {
      it("removes all drops of the owner step by step, locked, taken down and expired ones too, and no other's", async () => {
        const locked = await create({ lock: { id: 'l', hash: 'h' } });
        const takenDown = await create();
        const expired = await create({ expiresAt: later });
        const others = await create({ ownerId: 'another' });
        await moderation.takeDown(takenDown.slug, { at: later, reason: 'x' }, []);
        clock.set(later);
        const removed = [];
        for (const expected of [2, 1, 0]) {
          const some = await drops.removeSome('owner', later, 2);
          expect(some).to.have.length(expected);
          removed.push(...some);
        }
        const all = [locked, takenDown, expired].map(({ id, slug }) => ({ id, slug }));
        expect(removed).to.have.deep.members(all);
        for (const { id, slug } of all) {
          await expectAbsent('owner', slug);
          expect(await stores().pendingTasks.find(id)).to.deep.include({ deleted: true });
        }
        expect(await drops.create(aDrop(), 1, []), 'places are free').to.be.an('object');
        expect(await drops.find('another', others.slug)).to.deep.equal(others);
      });

      it('parallel calls change each drop once', async () => {
        for (let i = 0; i < 20; i++) await create();
        const removed = await inParallel(4, () => stores().drops.removeSome('owner', later, 20));
        const ids = new Set(removed.flat().map(({ id }) => id));
        expect(ids.size).to.equal(20);
        for (const id of ids) expect(await stores().pendingTasks.find(id)).to.deep.include({ rev: 2 });
      });
    });

    it("neither shows nor changes another owner's drop", async () => {
      const { slug } = await create();
      const before = await stores().drops.find('owner', slug);
      await expectAbsent('stranger', slug);
      expect(await stores().drops.find('owner', slug)).to.deep.equal(before);
    });

    /** Every method of an owner answers as if the drop had never been. */
    async function expectAbsent(ownerId: string, slug: string): Promise<void> {
      const version = aVersion({ id: newId(start) });
      const answers = [
        await drops.find(ownerId, slug),
        await drops.listVersions(ownerId, slug),
        await drops.findVersion(ownerId, slug, 1),
        await drops.addVersion(at(slug, ownerId), version, {}, cap, ['render']),
        await drops.changeDetails(at(slug, ownerId), { title: 'Mine' }, later, ['purge']),
        await drops.setLock(at(slug, ownerId), { id: 'l', hash: 'h' }, later, ['purge']),
        await drops.removeVersion(at(slug, ownerId), 1, later, ['purge']),
        await drops.remove(at(slug, ownerId), later),
      ];
      expect(answers).to.deep.equal(answers.map(() => null));
      expect([...(await stores().pendingTasks.findReferenced([version.id]))]).to.deep.equal([]);
    }

    describeDropVersions(stores);
    describeDropRevisions(stores);
    describeDropList(stores);
  });
}
