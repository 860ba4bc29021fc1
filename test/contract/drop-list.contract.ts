import { expect } from 'chai';
import type { DropQuery, NewDrop } from '../../shared/domain/drop.ts';
import { aDrop, at, aVersion, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The part of DropStore's contract that is about the owner's list. */
export function describeDropList(stores: () => Stores): void {
  /** With a title to tell it by. */
  async function create(title: string, createdAt: number, changes: Partial<NewDrop> = {}): Promise<NewDrop> {
    const drop = aDrop({ title, version: aVersion({ createdAt }), ...changes });
    const made = await stores().drops.create(drop, 500, []);
    if (typeof made === 'string') throw new Error(`Not made: ${made}`);
    return drop;
  }

  async function list(query: Partial<DropQuery> = {}): Promise<{ titles: string; total: number }> {
    const { drops, total } = await stores().drops.list('owner', {
      page: 1,
      pageSize: 50,
      sortBy: 'created_at',
      sortOrder: 'desc',
      metadata: [],
      ...query,
    });
    return { titles: drops.map(({ title }) => title).join(' '), total };
  }

  async function titles(sortBy: DropQuery['sortBy'], sortOrder: DropQuery['sortOrder']): Promise<string> {
    return (await list({ sortBy, sortOrder })).titles;
  }

  describe('list', () => {
    it('is empty for an owner without drops', async () => {
      expect(await list()).to.deep.equal({ titles: '', total: 0 });
    });

    it('contains drops as find returns them, and none of other owners', async () => {
      const { slug } = await create('mine', start, {
        metadata: new Map([
          ['b', '2'],
          ['a', '1'],
        ]),
        lock: { id: 'l', hash: 'h' },
      });
      await create('theirs', start, { ownerId: 'other' });
      const query = { page: 1, pageSize: 50, sortBy: 'created_at', sortOrder: 'desc', metadata: [] } as const;
      const { drops, total } = await stores().drops.list('owner', query);
      expect(total).to.equal(1);
      expect(drops).to.deep.equal([await stores().drops.find('owner', slug)]);
      expect([...(drops[0]?.metadata ?? [])]).to.deep.equal([
        ['b', '2'],
        ['a', '1'],
      ]);
    });

    it('sorts by creation, by the last change and by views, both ways', async () => {
      const { drops, views } = stores();
      const a = await create('a', start + 1);
      const b = await create('b', start + 2);
      const c = await create('c', start + 3);
      await drops.changeDetails(at(a.slug), {}, start + 20, []);
      await drops.changeDetails(at(c.slug), {}, start + 10, []);
      await views.add('writer', 1, [
        { dropId: b.id, day: '2026-01-31', count: 5 },
        { dropId: a.id, day: '2026-01-31', count: 3 },
      ]);
      await views.aggregate(start);
      expect(await titles('created_at', 'desc')).to.equal('c b a');
      expect(await titles('created_at', 'asc')).to.equal('a b c');
      expect(await titles('updated_at', 'desc')).to.equal('a c b');
      expect(await titles('updated_at', 'asc')).to.equal('b c a');
      expect(await titles('view_count', 'desc')).to.equal('b a c');
      expect(await titles('view_count', 'asc')).to.equal('c a b');
    });

    it('sorts views by number, not by digits', async () => {
      const few = await create('nine', start);
      const many = await create('ten', start);
      await stores().views.add('writer', 1, [
        { dropId: few.id, day: '2026-01-31', count: 9 },
        { dropId: many.id, day: '2026-01-31', count: 10 },
      ]);
      await stores().views.aggregate(start);
      expect(await titles('view_count', 'desc')).to.equal('ten nine');
    });

    it('breaks ties by the newest creation, then by id, whichever way it sorts', async () => {
      await create('old', start, { id: 'i1' });
      await create('new2', start + 1, { id: 'i3' });
      await create('new1', start + 1, { id: 'i2' });
      expect(await titles('view_count', 'desc')).to.equal('new1 new2 old');
      expect(await titles('view_count', 'asc')).to.equal('new1 new2 old');
      expect(await titles('created_at', 'desc')).to.equal('new1 new2 old');
      expect(await titles('created_at', 'asc')).to.equal('old new1 new2');
    });

    it('shows each drop on one page, and the total on all of them', async () => {
      for (let i = 0; i < 7; i++) await create(`t${i}`, start + i);
      const pages = [];
      for (const page of [1, 2, 3, 4]) pages.push(await list({ page, pageSize: 3 }));
      expect(pages).to.deep.equal([
        { titles: 't6 t5 t4', total: 7 },
        { titles: 't3 t2 t1', total: 7 },
        { titles: 't0', total: 7 },
        { titles: '', total: 7 },
      ]);
      const far = await list({ page: Number.MAX_SAFE_INTEGER, pageSize: 1_000_000 });
      expect(far).to.deep.equal({ titles: '', total: 7 });
    });

    it('contains the drops whose metadata has every given pair', async () => {
      await create('both', start + 3, {
        metadata: new Map([
          ['k', '1'],
          ['l', '2'],
        ]),
      });
      await create('one', start + 2, { metadata: new Map([['k', '1']]) });
      await create('other', start + 1, {
        metadata: new Map([
          ['k', '2'],
          ['l', '1'],
        ]),
      });
      await create('none', start);
      expect(await list({ metadata: [['k', '1']] })).to.deep.equal({ titles: 'both one', total: 2 });
      expect(
        await list({
          metadata: [
            ['k', '1'],
            ['l', '2'],
          ],
        }),
      ).to.deep.equal({ titles: 'both', total: 1 });
      expect(
        await list({
          metadata: [
            ['k', '1'],
            ['k', '1'],
          ],
        }),
      ).to.deep.equal({ titles: 'both one', total: 2 });
      expect(await list({ metadata: [['m', '1']] })).to.deep.equal({ titles: '', total: 0 });
    });

    it('matches nothing if the filter has two values for one key', async () => {
      await create('one', start, {
        metadata: new Map([
          ['k', '1'],
          ['l', '2'],
        ]),
      });
      expect(
        await list({
          metadata: [
            ['k', '1'],
            ['k', '2'],
          ],
        }),
      ).to.deep.equal({ titles: '', total: 0 });
      expect(
        await list({
          metadata: [
            ['k', '2'],
            ['l', '2'],
            ['k', '1'],
          ],
        }),
      ).to.deep.equal({ titles: '', total: 0 });
    });

    it('compares keys and values exactly: case, white space, digits, empty values', async () => {
      await create('one', start, {
        metadata: new Map([
          ['Key', ' Value'],
          ['n', '1'],
          ['e', ''],
        ]),
      });
      for (const pair of [
        ['Key', ' Value'],
        ['n', '1'],
        ['e', ''],
      ] as const) {
        expect((await list({ metadata: [pair] })).total, String(pair)).to.equal(1);
      }
      const near = [
        ['key', ' Value'],
        ['Key', ' value'],
        ['Key', 'Value'],
        ['n', '01'],
        ['n', '1.0'],
        ['e', ' '],
      ];
      for (const [key, value] of near as [string, string][]) {
        expect((await list({ metadata: [[key, value]] })).total, `${key}=${value}`).to.equal(0);
      }
    });

    it('filters by hostile keys and values as by any other', async () => {
      const pairs = [
        ['__proto__', 'x'],
        ['constructor', '{"$gt":""}'],
        ['a.b', "'; DROP TABLE drops; --"],
        ['7', '𝄞 %_*'],
      ] as const;
      await create('hostile', start + 1, { metadata: new Map(pairs) });
      await create('tame', start, { metadata: new Map([['a', 'x']]) });
      for (const pair of pairs) {
        expect(await list({ metadata: [pair] }), pair[0]).to.deep.equal({ titles: 'hostile', total: 1 });
      }
      expect(await list({ metadata: pairs })).to.deep.equal({ titles: 'hostile', total: 1 });
      expect(await list({ metadata: [['toString', 'x']] })).to.deep.equal({ titles: '', total: 0 });
    });

    it('filters by the current metadata', async () => {
      const { slug } = await create('one', start, {
        metadata: new Map([
          ['k', 'old'],
          ['same', 's'],
        ]),
      });
      const metadata = new Map([
        ['k', 'new'],
        ['same', 's'],
      ]);
      await stores().drops.changeDetails(at(slug), { metadata }, start, []);
      expect((await list({ metadata: [['k', 'old']] })).total).to.equal(0);
      expect(
        (
          await list({
            metadata: [
              ['k', 'new'],
              ['same', 's'],
            ],
          })
        ).total,
      ).to.equal(1);
    });

    it('sorts and pages filtered drops', async () => {
      for (let i = 0; i < 5; i++)
        await create(`t${i}`, start + i, {
          metadata: new Map([
            ['k', 'v'],
            ['i', `${i}`],
          ]),
        });
      await create('other', start + 9);
      const query = { pageSize: 2, sortOrder: 'asc', metadata: [['k', 'v']] } as const;
      expect(await list({ ...query, page: 2 })).to.deep.equal({ titles: 't2 t3', total: 5 });
      expect(await list({ ...query, page: 3 })).to.deep.equal({ titles: 't4', total: 5 });
      expect(await list({ ...query, page: 2, sortBy: 'view_count' })).to.deep.equal({
        titles: 't2 t1',
        total: 5,
      });
    });

    it('finds what has every word of a search in title or description, in pages', async () => {
      for (const [i, title] of ['May sales', 'June sales', 'Sales of the sea', 'Costs'].entries())
        await create(title, start + i, {
          ...(title === 'Costs' && { description: 'and no SALES in may' }),
          metadata: new Map([['kind', title.length > 9 ? 'long' : 'short']]),
        });
      await create('May sales of others', start, { ownerId: 'other' });
      const search = 'SALES';
      expect(await list({ search })).to.deep.equal({
        titles: 'Costs Sales of the sea June sales May sales',
        total: 4,
      });
      expect(await list({ search: ' may  sal ' })).to.deep.equal({ titles: 'Costs May sales', total: 2 });
      expect(await list({ search, pageSize: 3, page: 2 })).to.deep.equal({ titles: 'May sales', total: 4 });
      expect(await list({ search, pageSize: 3, page: 9 })).to.deep.equal({ titles: '', total: 4 });
      const filtered = { search, sortOrder: 'asc', metadata: [['kind', 'long']] } as const;
      expect(await list(filtered)).to.deep.equal({ titles: 'June sales Sales of the sea', total: 2 });
      expect(await list({ search: 'winter' })).to.deep.equal({ titles: '', total: 0 });
      expect((await list({ search: '  ' })).total).to.equal(4);
    });

    it('searches the current texts of drops that are not deleted', async () => {
      const { slug } = await create('old', start);
      const gone = await create('new', start);
      await stores().drops.changeDetails(at(slug), { title: 'new', description: 'words' }, start, []);
      await stores().drops.remove(at(gone.slug), start);
      expect((await list({ search: 'old' })).total).to.equal(0);
      expect(await list({ search: 'new words' })).to.deep.equal({ titles: 'new', total: 1 });
    });

    it('searches hostile texts as any others', async () => {
      const title = `.*(a+)+$ %_ ' " \\ $where {"$gt":""} [x] ?? --; \u202eabc`;
      await create(title, start);
      await create('tame', start);
      for (const word of title.split(' ')) expect((await list({ search: word })).total, word).to.equal(1);
      for (const word of ['a+b', '%%', '__', '.**', '$ne', '^'])
        expect((await list({ search: word })).total, word).to.equal(0);
    });

    it('accepts as many pairs as a request can contain', async () => {
      await create('one', start, { metadata: new Map([['k', 'v']]) });
      const pairs = Array.from({ length: 2_000 }, (_, i) => [`k${i}`, 'v'] as const);
      expect(await list({ metadata: pairs })).to.deep.equal({ titles: '', total: 0 });
    });
  });

  describe('count', () => {
    it("counts the owner's live drops", async () => {
      const { slug } = await create('a', start);
      await create('b', start);
      await create('c', start, { ownerId: 'other' });
      await stores().drops.remove(at(slug), start);
      expect(await stores().drops.count('owner')).to.equal(1);
      expect(await stores().drops.count('nobody')).to.equal(0);
    });
  });
}
