import { expect } from 'chai';
import type { Drop, NewVersion } from '../../shared/drops/drop.ts';
import { lazily } from '../support/between.ts';
import {
  at,
  aVersion,
  inParallel,
  later,
  makeDrop,
  newestFirst,
  ownedVersion,
  pairs,
  start,
  stored,
  tags,
} from './records.ts';
import type { Stores } from './stores.ts';

const cap = 200;

/** The part of DropStore's contract that is about the list of versions. */
export function describeDropVersions(stores: () => Stores): void {
  const drops = lazily(() => stores().drops);
  const pendingTasks = lazily(() => stores().pendingTasks);
  /** A drop with so many versions; the ids are in the order of their numbers. */
  async function createWith(count: number): Promise<{ slug: string; ids: string[] }> {
    const versions = Array.from({ length: count }, (_, n) => aVersion({ createdAt: start + n }));
    const [version, ...others] = versions;
    const { slug } = await makeDrop(stores(), version && { version });
    for (const other of others) await add(slug, other);
    return { slug, ids: versions.map(({ id }) => id) };
  }

  async function add(slug: string, version: NewVersion = aVersion({ createdAt: later })): Promise<Drop> {
    const drop = await drops.addVersion(at(slug), version, {}, cap, []);
    if (drop === null || typeof drop === 'string' || !('slug' in drop)) throw new Error('Not added');
    return drop;
  }

  const remove = (slug: string, number: number) => drops.removeVersion(at(slug), number, later, []);

  const numbersOf = async (slug: string) =>
    (await drops.listVersions('owner', slug))?.map(({ number }) => number);

  const headOf = async (slug: string) => (await drops.findPage(slug, null))?.version;

  describe('addVersion', () => {
    it('adds the next number, applies the changes, and makes it the latest version', async () => {
      const { slug } = await createWith(1);
      const document = { html: Buffer.alloc(77), context: Buffer.from('why'), mediaType: 'text/x-test' };
      const version = aVersion({ createdAt: later, ...document });
      const changes = { title: 'Two', description: 'second', metadata: tags('n=2') };
      const drop = await drops.addVersion(at(slug), version, changes, cap, []);
      const expected = { ...changes, slug, latestVersion: 2, createdAt: start, updatedAt: later };
      expect(drop).to.deep.include(expected);
      expect(await drops.find('owner', slug)).to.deep.equal(drop);
      expect(await headOf(slug)).to.deep.equal(stored(version, 2));
      expect((await drops.list('owner', { ...newestFirst, metadata: pairs('n=2') })).total).to.equal(1);
    });

    it('leaves fields that are not given', async () => {
      const details = { description: 'd', metadata: tags('a=b') };
      const { slug, title } = await makeDrop(stores(), { ...details, lock: { id: 'l', hash: 'h' } });
      expect(await add(slug)).to.deep.include({ ...details, title, locked: true });
    });

    it('gives each of 200 parallel versions its own number', async () => {
      const { slug } = await createWith(1);
      const added = await inParallel(200, () => drops.addVersion(at(slug), aVersion(), {}, 500, []));
      const numbers = added.map((drop) => (drop as Drop).latestVersion).sort((a, b) => a - b);
      expect(numbers).to.deep.equal(Array.from({ length: 200 }, (_, i) => i + 2));
      expect(await numbersOf(slug)).to.deep.equal([...numbers].reverse().concat(1));
    });

    it('never passes the cap, however many run in parallel', async () => {
      const { slug } = await createWith(1);
      const added = await inParallel(40, () => drops.addVersion(at(slug), aVersion(), {}, 25, []));
      expect(added.filter((drop) => drop === 'version_limit')).to.have.length(16);
      expect(await numbersOf(slug)).to.have.length(25);
    });

    it('stores the document, and leaves none if it refuses the version', async () => {
      const { html, contexts } = stores();
      const { slug } = await createWith(1);
      const document = { html: Buffer.from('<p>kept'), context: Buffer.from('why') };
      const kept = aVersion(document);
      const refused = [aVersion(document), aVersion(document)] as const;
      await add(slug, kept);
      expect(await drops.addVersion(at(slug), refused[0], {}, 2, [])).to.equal('version_limit');
      expect(await drops.addVersion(at(slug, 'other'), refused[1], {}, 2, [])).to.equal(null);
      expect(Buffer.from((await html.get(kept.id)) ?? []).toString()).to.equal('<p>kept');
      expect(Buffer.from((await contexts.get(kept.id)) ?? []).toString()).to.equal('why');
      for (const { id } of refused) {
        expect([await html.get(id), await contexts.get(id)]).to.deep.equal([null, null]);
      }
    });

    it('changes nothing if the cap refuses the version', async () => {
      const { slug } = await createWith(2);
      const before = await drops.find('owner', slug);
      const version = aVersion({ createdAt: later });
      const changes = { title: 'New', metadata: tags('a=b') };
      expect(await drops.addVersion(at(slug), version, changes, 2, ['render'])).to.equal('version_limit');
      expect(await drops.find('owner', slug)).to.deep.equal(before);
      expect((await pendingTasks.find(before?.id ?? ''))?.pending).to.deep.equal([]);
    });

    it('the cap counts existing versions, not numbers', async () => {
      const { slug } = await createWith(3);
      await remove(slug, 1);
      await remove(slug, 2);
      const added = await drops.addVersion(at(slug), aVersion(), {}, 2, []);
      expect(added).to.deep.include({ latestVersion: 4 });
      expect(await drops.addVersion(at(slug), aVersion(), {}, 2, [])).to.equal('version_limit');
    });

    it('changes nothing when it is repeated, at the cap too', async () => {
      const { slug } = await createWith(1);
      const version = aVersion({ createdAt: later });
      const repeat = () => drops.addVersion(at(slug), version, { title: 'Two' }, 2, ['render']);
      const added = await inParallel(5, repeat);
      for (const drop of added) expect(drop).to.deep.equal(added[0]);
      await drops.changeDetails(at(slug), { title: 'Three' }, later + 1, []);
      expect(await repeat()).to.deep.equal(await drops.find('owner', slug));
      expect(await numbersOf(slug)).to.deep.equal([2, 1]);
    });

    it('does not bring back a version that was removed meanwhile, when it is repeated', async () => {
      const { slug } = await createWith(1);
      const version = aVersion({ createdAt: later });
      await add(slug, version);
      const removed = await remove(slug, 2);
      expect(await drops.addVersion(at(slug), version, { title: 'Two' }, cap, [])).to.deep.equal(removed);
      expect(await numbersOf(slug)).to.deep.equal([1]);
    });
  });

  describe('listVersions, findVersion and findPage of a number', () => {
    it('return all fields; the list is newest first', async () => {
      const first = aVersion({ html: Buffer.alloc(1), context: Buffer.from('why') });
      const { id: dropId, slug, title } = await makeDrop(stores(), { version: first });
      const second = aVersion({ createdAt: later, html: Buffer.alloc(2) });
      await add(slug, second);
      const newest = [ownedVersion(second, 2), ownedVersion(first, 1)];
      expect(await drops.listVersions('owner', slug)).to.deep.equal(newest);
      for (const [i, version] of [first, second].entries()) {
        const number = i + 1;
        const found = await drops.findVersion('owner', slug, number);
        expect(found).to.deep.equal({ version: ownedVersion(version, number), title, latestVersion: 2 });
        const page = await drops.findPage(slug, number);
        expect(page).to.deep.include({ dropId, latestVersion: 2, version: stored(version, number) });
      }
      expect(await drops.findVersion('owner', slug, null)).to.deep.equal(
        await drops.findVersion('owner', slug, 2),
      );
      expect(await drops.findVersion('owner', slug, 3)).to.equal(null);
      expect(await drops.findVersion('owner', 'unknown', null)).to.equal(null);
      expect(await drops.findVersion('owner', 'unknown', 1)).to.equal(null);
      expect(await drops.listVersions('owner', 'unknown')).to.equal(null);
    });
  });

  describe('publishedBy', () => {
    it('is what the version was stored with, for the first and for added ones, to its owner alone', async () => {
      const publishers = [
        { kind: 'token', id: 'f00dfeedbeef', label: '$label, "it\'s"' },
        { kind: 'token', id: 'f00dfeedbeef', label: null },
        { kind: 'session', id: 'a-session', label: 'Firefox' },
        null,
      ] as const;
      const [first, ...others] = publishers.map((publishedBy) => aVersion({ publishedBy }));
      const { slug } = await makeDrop(stores(), first && { version: first });
      for (const version of others) await add(slug, version);
      const listed = await drops.listVersions('owner', slug);
      expect(listed?.map(({ publishedBy }) => publishedBy).reverse()).to.deep.equal(publishers);
      await remove(slug, 4);
      const third = await drops.findVersion('owner', slug, 3);
      expect(third?.version.publishedBy).to.deep.equal(publishers[2]);
      expect(await drops.listVersions('other', slug)).to.equal(null);
      expect(await headOf(slug)).not.to.have.property('publishedBy');
    });
  });

  describe('sha256', () => {
    it('is what the version was stored with, or null, to its owner alone', async () => {
      const digests = ['0'.repeat(64), null, 'f'.repeat(64)];
      const [first, ...others] = digests.map((sha256) => aVersion({ sha256 }));
      const { slug } = await makeDrop(stores(), first && { version: first });
      for (const version of others) await add(slug, version);
      const listed = await drops.listVersions('owner', slug);
      expect(listed?.map(({ sha256 }) => sha256).reverse()).to.deep.equal(digests);
      expect((await drops.findVersion('owner', slug, 1))?.version.sha256).to.equal(digests[0]);
      expect(await headOf(slug)).not.to.have.property('sha256');
    });
  });

  describe('removeVersion', () => {
    it('removes an older version and keeps the latest', async () => {
      const { slug, ids } = await createWith(3);
      const drop = await remove(slug, 2);
      expect(drop).to.deep.include({ latestVersion: 3, updatedAt: later });
      expect(await drops.find('owner', slug)).to.deep.equal(drop);
      expect(await numbersOf(slug)).to.deep.equal([3, 1]);
      expect(await headOf(slug)).to.deep.include({ id: ids[2], number: 3 });
      expect(await drops.findPage(slug, 2)).to.deep.include({ version: null });
      expect(await drops.findVersion('owner', slug, 2)).to.equal(null);
    });

    it('makes the highest remaining version the latest, and uses the freed number again', async () => {
      const { slug, ids } = await createWith(3);
      await remove(slug, 2);
      expect(await remove(slug, 3)).to.deep.include({ latestVersion: 1 });
      expect(await headOf(slug)).to.deep.equal(stored(aVersion({ id: ids[0] ?? '' }), 1));
      const again = aVersion({ createdAt: later });
      expect(await add(slug, again)).to.deep.include({ latestVersion: 2 });
      expect(await headOf(slug)).to.deep.equal(stored(again, 2));
      expect(await numbersOf(slug)).to.deep.equal([2, 1]);
    });

    it('refuses the only version with last_version, and an unknown one with no_version', async () => {
      const { slug } = await createWith(1);
      const before = await drops.find('owner', slug);
      expect(await remove(slug, 1)).to.equal('last_version');
      expect(await remove(slug, 2)).to.equal('no_version');
      expect(await drops.find('owner', slug)).to.deep.equal(before);
    });

    it('never removes the last of 10 in parallel calls', async () => {
      const { slug } = await createWith(10);
      const removed = await inParallel(10, (i) => remove(slug, i + 1));
      expect(removed.filter((outcome) => outcome === 'last_version')).to.have.length(1);
      const left = await numbersOf(slug);
      expect(left).to.have.length(1);
      expect(await drops.find('owner', slug)).to.deep.include({ latestVersion: left?.[0] });
      expect(await headOf(slug)).to.deep.include({ number: left?.[0] });
    });

    it('removes a number once', async () => {
      const { slug } = await createWith(3);
      const removed = await inParallel(5, () => remove(slug, 2));
      expect(removed.filter((outcome) => outcome === 'no_version')).to.have.length(4);
      expect(await numbersOf(slug)).to.deep.equal([3, 1]);
    });

    it('keeps numbers consistent during parallel additions and removals', async () => {
      const { slug } = await createWith(5);
      await inParallel(40, (i) => (i % 2 === 0 ? add(slug) : remove(slug, (i % 5) + 1)));
      const numbers = (await numbersOf(slug)) ?? [];
      expect(new Set(numbers).size).to.equal(numbers.length);
      expect(numbers).to.deep.equal([...numbers].sort((a, b) => b - a));
      const drop = await drops.find('owner', slug);
      expect(drop?.latestVersion).to.equal(numbers[0]);
      expect(await headOf(slug)).to.deep.include({ number: numbers[0] });
    });
  });
}
