import { expect } from 'chai';
import type { NewDrop } from '../../shared/drops/drop.ts';
import type { DropQuery } from '../../shared/drops/drop-query.ts';
import { at, aVersion, makeDrop, newestFirst, pairs, start, tags } from './records.ts';
import type { Stores } from './stores.ts';

/** The part of DropStore's contract that is about the owner's list. */
export function describeDropList(stores: () => Stores): void {
  const create = (title: string, createdAt = start, changes: Partial<NewDrop> = {}) =>
    makeDrop(stores(), { title, version: aVersion({ createdAt }), ...changes });

  const list = (query: Partial<DropQuery> = {}) => stores().drops.list('owner', { ...newestFirst, ...query });

  type Row = readonly [query: Partial<DropQuery>, titles: string, total?: number];

  /** Each query lists these titles. Without a total it is their number. */
  async function expectLists(...rows: readonly Row[]): Promise<void> {
    for (const [query, titles, total = titles === '' ? 0 : titles.split(', ').length] of rows) {
      const listed = await list(query);
      const found = listed.drops.map(({ title }) => title).join(', ');
      expect([found, listed.total], JSON.stringify(query)).to.deep.equal([titles, total]);
    }
  }

  async function addViews(...counts: readonly (readonly [drop: { readonly id: string }, count: number])[]) {
    const day = '2026-01-31';
    const all = counts.map(([{ id }, count]) => ({ dropId: id, day, count }));
    await stores().views.add('writer', 1, all);
    await stores().views.aggregate(start);
  }

  describe('list', () => {
    it('is empty for an owner without drops', () => expectLists([{}, '']));

    it('contains drops as find returns them, and none of other owners', async () => {
      const details = { metadata: tags('b=2', 'a=1'), lock: { id: 'l', hash: 'h' } };
      const { slug } = await create('mine', start, details);
      await create('theirs', start, { ownerId: 'other' });
      const { drops, total } = await list();
      expect(total).to.equal(1);
      expect(drops).to.deep.equal([await stores().drops.find('owner', slug)]);
      expect([...(drops[0]?.metadata ?? [])]).to.deep.equal(pairs('b=2', 'a=1'));
    });

    it('sorts by creation, by the last change and by views, both ways', async () => {
      const a = await create('a', start + 1);
      const b = await create('b', start + 2);
      const c = await create('c', start + 3);
      await stores().drops.changeDetails(at(a.slug), {}, start + 20, []);
      await stores().drops.changeDetails(at(c.slug), {}, start + 10, []);
      await addViews([b, 5], [a, 3]);
      await expectLists(
        [{ sortBy: 'created_at', sortOrder: 'desc' }, 'c, b, a'],
        [{ sortBy: 'created_at', sortOrder: 'asc' }, 'a, b, c'],
        [{ sortBy: 'updated_at', sortOrder: 'desc' }, 'a, c, b'],
        [{ sortBy: 'updated_at', sortOrder: 'asc' }, 'b, c, a'],
        [{ sortBy: 'view_count', sortOrder: 'desc' }, 'b, a, c'],
        [{ sortBy: 'view_count', sortOrder: 'asc' }, 'c, a, b'],
      );
    });

    it('sorts views by number, not by digits', async () => {
      await addViews([await create('nine'), 9], [await create('ten'), 10]);
      await expectLists([{ sortBy: 'view_count' }, 'ten, nine']);
    });

    it('sorts by title without regard to case, accents and width; ties by creation, newest first', async () => {
      const titles = [
        'zebra',
        'Éclair',
        'apple\npie',
        'apple pie',
        'Ｅgg',
        '\ufdfa'.repeat(200),
        'ECLAIR',
        '🍃',
      ];
      for (const [n, title] of titles.entries()) await create(title, start + n);
      const ascending = [
        'apple pie',
        'apple\npie',
        'ECLAIR',
        'Éclair',
        'Ｅgg',
        'zebra',
        '\ufdfa'.repeat(200),
        '🍃',
      ];
      const titlesOf = async (query: Partial<DropQuery>) =>
        (await list({ sortBy: 'title', ...query })).drops.map(({ title }) => title);
      expect(await titlesOf({ sortOrder: 'asc' })).to.deep.equal(ascending);
      const [pie, otherPie, eclair, otherEclair, ...others] = ascending;
      const descending = [...others.toReversed(), eclair, otherEclair, pie, otherPie];
      expect(await titlesOf({ sortOrder: 'desc' })).to.deep.equal(descending);
      const part = { sortOrder: 'asc', pageSize: 2, page: 2 } as const;
      expect(await titlesOf(part)).to.deep.equal(ascending.slice(2, 4));
      expect(await titlesOf({ ...part, search: 'e' })).to.deep.equal(ascending.slice(2, 4));
    });

    it('sorts by the current title', async () => {
      const { slug } = await create('a');
      await create('b');
      await stores().drops.changeDetails(at(slug), { title: 'c' }, start, []);
      await expectLists([{ sortBy: 'title', sortOrder: 'asc' }, 'b, c']);
    });

    it('breaks ties by the newest creation, then by id, whichever way it sorts', async () => {
      await create('old', start, { id: 'i1' });
      await create('new2', start + 1, { id: 'i3' });
      await create('new1', start + 1, { id: 'i2' });
      await expectLists(
        [{ sortBy: 'view_count', sortOrder: 'desc' }, 'new1, new2, old'],
        [{ sortBy: 'view_count', sortOrder: 'asc' }, 'new1, new2, old'],
        [{ sortBy: 'created_at', sortOrder: 'desc' }, 'new1, new2, old'],
        [{ sortBy: 'created_at', sortOrder: 'asc' }, 'old, new1, new2'],
      );
    });

    it('shows each drop on one page, and the total on all of them', async () => {
      for (let i = 0; i < 7; i++) await create(`t${i}`, start + i);
      await expectLists(
        [{ pageSize: 3, page: 1 }, 't6, t5, t4', 7],
        [{ pageSize: 3, page: 2 }, 't3, t2, t1', 7],
        [{ pageSize: 3, page: 3 }, 't0', 7],
        [{ pageSize: 3, page: 4 }, '', 7],
        [{ pageSize: 1_000_000, page: Number.MAX_SAFE_INTEGER }, '', 7],
      );
    });

    it('contains the drops whose metadata has every given pair', async () => {
      await create('both', start + 3, { metadata: tags('k=1', 'l=2') });
      await create('one', start + 2, { metadata: tags('k=1') });
      await create('other', start + 1, { metadata: tags('k=2', 'l=1') });
      await create('none');
      await create('theirs', start, { ownerId: 'other', metadata: tags('k=1') });
      await expectLists(
        [{ metadata: pairs('k=1') }, 'both, one'],
        [{ metadata: pairs('k=1', 'l=2') }, 'both'],
        [{ metadata: pairs('k=1', 'k=1') }, 'both, one'],
        [{ metadata: pairs('m=1') }, ''],
        // two values for one key
        [{ metadata: pairs('k=1', 'k=2') }, ''],
        [{ metadata: pairs('k=2', 'l=2', 'k=1') }, ''],
      );
    });

    it('compares keys and values exactly: case, white space, digits, empty values', async () => {
      await create('one', start, { metadata: tags('Key= Value', 'n=1', 'e=') });
      for (const pair of ['Key= Value', 'n=1', 'e=']) await expectLists([{ metadata: pairs(pair) }, 'one']);
      for (const near of ['key= Value', 'Key= value', 'Key=Value', 'n=01', 'n=1.0', 'e= '])
        await expectLists([{ metadata: pairs(near) }, '']);
    });

    it('filters by hostile keys and values as by any other', async () => {
      const hostile = pairs(
        '__proto__=x',
        'constructor={"$gt":""}',
        "a.b='; DROP TABLE drops; --",
        '7=𝄞 %_*',
      );
      await create('hostile', start + 1, { metadata: new Map(hostile) });
      await create('tame', start, { metadata: tags('a=x') });
      for (const pair of hostile) await expectLists([{ metadata: [pair] }, 'hostile']);
      await expectLists([{ metadata: hostile }, 'hostile'], [{ metadata: pairs('toString=x') }, '']);
    });

    it('filters by the current metadata', async () => {
      const { slug } = await create('one', start, { metadata: tags('k=old', 'same=s') });
      await stores().drops.changeDetails(at(slug), { metadata: tags('k=new', 'same=s') }, start, []);
      await expectLists([{ metadata: pairs('k=old') }, ''], [{ metadata: pairs('k=new', 'same=s') }, 'one']);
    });

    it('sorts and pages filtered drops', async () => {
      for (let i = 0; i < 5; i++) await create(`t${i}`, start + i, { metadata: tags('k=v', `i=${i}`) });
      await create('other', start + 9);
      const query = { pageSize: 2, sortOrder: 'asc', metadata: pairs('k=v') } as const;
      await expectLists(
        [{ ...query, page: 2 }, 't2, t3', 5],
        [{ ...query, page: 3 }, 't4', 5],
        [{ ...query, page: 2, sortBy: 'view_count' }, 't2, t1', 5],
      );
    });

    it('finds what has every word of a search in title or description, in pages', async () => {
      await create('May sales', start, { metadata: tags('kind=short') });
      await create('June sales', start + 1, { metadata: tags('kind=long') });
      await create('Sales of the sea', start + 2, { metadata: tags('kind=long') });
      const description = 'and no SALES in may';
      await create('Costs', start + 3, { description, metadata: tags('kind=short') });
      await create('May sales of others', start, { ownerId: 'other' });
      const search = 'SALES';
      await expectLists(
        [{ search }, 'Costs, Sales of the sea, June sales, May sales'],
        [{ search: ' may  sal ' }, 'Costs, May sales'],
        [{ search, pageSize: 3, page: 2 }, 'May sales', 4],
        [{ search, pageSize: 3, page: 9 }, '', 4],
        [{ search, sortOrder: 'asc', metadata: pairs('kind=long') }, 'June sales, Sales of the sea'],
        [{ search: 'winter' }, ''],
        [{ search: '  ' }, 'Costs, Sales of the sea, June sales, May sales'],
      );
    });

    it('searches the current texts of drops that are not deleted', async () => {
      const { slug } = await create('old');
      const gone = await create('new');
      await stores().drops.changeDetails(at(slug), { title: 'new', description: 'words' }, start, []);
      await stores().drops.remove(at(gone.slug), start);
      await expectLists([{ search: 'old' }, ''], [{ search: 'new words' }, 'new']);
    });

    it('finds words in tags, also after a change of them', async () => {
      const { slug } = await create('one', start + 1, { metadata: tags('Straße=Grün', 'b=x') });
      await create('two', start, { description: 'x', metadata: tags('c=y z') });
      await expectLists(
        [{ search: 'STRASSE grun' }, 'one'],
        [{ search: 'c=y two' }, 'two'],
        [{ search: 'x' }, 'one, two'],
      );
      await stores().drops.changeDetails(at(slug), { metadata: tags('new=$where') }, start, []);
      await expectLists([{ search: 'grun' }, ''], [{ search: '$wh one' }, 'one']);
      await stores().drops.addVersion(at(slug), aVersion(), { metadata: tags('v=2nd') }, 9, []);
      await expectLists([{ search: '$where' }, ''], [{ search: '2ND' }, 'one']);
    });

    it('searches hostile texts as any others', async () => {
      const title = `.*(a+)+$ %_ ' " \\ $where {"$gt":""} [x] ?? --; \u202eabc`;
      await create(title);
      await create('tame');
      for (const word of title.split(' ')) await expectLists([{ search: word }, title]);
      for (const word of ['a+b', '%%', '__', '.**', '$ne', '^']) await expectLists([{ search: word }, '']);
    });

    it('accepts as many pairs as a request can contain', async () => {
      await create('one', start, { metadata: tags('k=v') });
      const metadata = Array.from({ length: 2_000 }, (_, i) => [`k${i}`, 'v'] as const);
      await expectLists([{ metadata }, '']);
    });
  });

  it("countTags counts the tags of the owner's live drops, the most frequent first, then by name", async () => {
    const { slug } = await create('a', start, { metadata: tags('k=1', 'a=$x', 'a-b=é') });
    const gone = await create('b', start, { metadata: tags('k=1', 'gone=g') });
    await create('c', start, { metadata: tags('k=1', 'k1=') });
    await create('d', start, { metadata: new Map([...tags('k1='), ['__proto__', 'p=q']]) });
    await create('e', start, { metadata: tags('expired=e'), expiresAt: start - 1 });
    await create('f', start, { ownerId: 'other', metadata: tags('other=o') });
    await stores().drops.remove(at(gone.slug), start);
    const count = async (limit: number, owner = 'owner') =>
      (await stores().drops.countTags(owner, limit)).map((tag) => [tag.key, tag.value, tag.count]);
    const all = [
      ['k1', '', 2],
      ['k', '1', 2],
      ['__proto__', 'p=q', 1],
      ['a-b', 'é', 1],
      ['a', '$x', 1],
    ];
    expect(await count(9)).to.deep.equal(all);
    expect(await count(2)).to.deep.equal(all.slice(0, 2));
    expect(await count(9, 'nobody')).to.deep.equal([]);
    await stores().drops.changeDetails(at(slug), { metadata: tags('k1=') }, start, []);
    expect(await count(2)).to.deep.equal([
      ['k1', '', 3],
      ['__proto__', 'p=q', 1],
    ]);
  });

  it("count counts the owner's live drops", async () => {
    const { slug } = await create('a');
    await create('b');
    await create('c', start, { ownerId: 'other' });
    await stores().drops.remove(at(slug), start);
    expect(await stores().drops.count('owner')).to.equal(1);
    expect(await stores().drops.count('nobody')).to.equal(0);
  });
}
