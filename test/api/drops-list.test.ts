import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('GET /api/drops', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  /** An owner with drops of these titles, created a second apart. */
  async function withDrops(...titles: string[]) {
    const owner = await service.newOwner();
    for (const title of titles) {
      await owner.create({ title });
      service.clock.advance(1000);
    }
    const list = async (query = '') => {
      const answer = await owner.get(`/api/drops${query}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };
    const titlesOf = async (query: string) => (await list(query)).data.map((drop) => drop.title);
    return { owner, list, titlesOf };
  }

  it('200: {data: Drop[], pagination: Pagination}, 50 a page, newest first, of the account alone', async () => {
    const { owner, list } = await withDrops();
    const defaults = { page: 1, page_size: 50, sort_by: 'created_at', sort_order: 'desc' };
    const none = { ...defaults, total_items: 0, total_pages: 0 };
    expect(await list()).to.deep.equal({ data: [], pagination: none });
    const first = await owner.create({ description: 'd', metadata: { a: 'b' }, passcode: 'abcd' });
    service.clock.advance(1000);
    const second = await owner.create();
    await withDrops('theirs');
    const two = { ...defaults, total_items: 2, total_pages: 1 };
    expect(await list()).to.deep.equal({ data: [second, first], pagination: two });
  });

  it('page and pageSize: each drop once, in order; nothing past the end', async () => {
    const { list, titlesOf } = await withDrops('a', 'b', 'c', 'd', 'e');
    for (const [query, titles] of [
      ['?pageSize=2', ['e', 'd']],
      ['?pageSize=2&page=2', ['c', 'b']],
      ['?pageSize=2&page=3', ['a']],
      ['?pageSize=1&page=5', ['a']],
    ] as const)
      expect(await titlesOf(query), query).to.deep.equal(titles);
    expect(await titlesOf('?pageSize=200&page=1000000000')).to.deep.equal([]);
    const { data, pagination } = await list('?pageSize=2&page=4');
    expect(data).to.deep.equal([]);
    expect(pagination).to.include({ page: 4, page_size: 2, total_items: 5, total_pages: 3 });
  });

  it('sortBy and sortOrder; of equal drops the newest comes first in either order', async () => {
    const { owner, list, titlesOf } = await withDrops('a', 'b', 'c');
    for (const order of ['asc', 'desc'])
      expect(await titlesOf(`?sortBy=view_count&sortOrder=${order}`)).to.deep.equal(['c', 'b', 'a']);
    const [a, b] = (await list('?sortOrder=asc')).data;
    await owner.request('PATCH', `/api/drops/${b?.slug}`, { body: { description: 'changed' } });
    for (const slug of [a?.slug, a?.slug, b?.slug]) await service.view(`/p/${slug}`);
    await service.settle();
    for (const [field, ascending] of [
      ['created_at', ['a', 'b', 'c']],
      ['updated_at', ['a', 'c', 'b']],
      ['view_count', ['c', 'b', 'a']],
    ] as const) {
      expect(await titlesOf(`?sortBy=${field}&sortOrder=asc`), field).to.deep.equal(ascending);
      expect(await titlesOf(`?sortBy=${field}`), field).to.deep.equal(ascending.toReversed());
      const { pagination } = await list(`?sortBy=${field}`);
      expect(pagination).to.include({ sort_by: field, sort_order: 'desc' });
    }
  });

  it('drops created in the same millisecond: each is on exactly one page', async () => {
    const owner = await service.newOwner();
    const made = await Promise.all(Array.from({ length: 20 }, () => owner.create()));
    for (const sort of ['created_at', 'updated_at', 'view_count']) {
      const pages = [1, 2, 3, 4, 5, 6, 7].map((page) =>
        owner.get(`/api/drops?sortBy=${sort}&pageSize=3&page=${page}`),
      );
      const slugs = (await Promise.all(pages)).flatMap(({ body }) => body.data.map((drop) => drop.slug));
      expect(slugs).to.have.members(made.map((drop) => drop.slug));
    }
  });

  it('q: drops that have every word in title, description or metadata, beside filters, order and pages', async () => {
    const { owner, list, titlesOf } = await withDrops('Über Straßen', 'uber allem', 'ΟΔΟΣ 100%', 'Отчёт_5');
    await owner.create({ title: 'Other', description: 'STRASSEN über uns', metadata: { kind: 'other' } });
    const find = (words: string, more = '') => titlesOf(`?q=${encodeURIComponent(words)}${more}`);
    expect(await find('ÜBER strasse')).to.deep.equal(['Other', 'Über Straßen']);
    expect(await find('über', '&sortOrder=asc')).to.deep.equal(['Über Straßen', 'uber allem', 'Other']);
    expect(await find('über', '&metadata.kind=other')).to.deep.equal(['Other']);
    expect(await find('KIND=oth')).to.deep.equal(['Other']);
    expect(await find('οδος')).to.deep.equal(['ΟΔΟΣ 100%']);
    expect(await find('отчет')).to.deep.equal(['Отчёт_5']);
    expect(await find('%')).to.deep.equal(['ΟΔΟΣ 100%']);
    expect(await find('_')).to.deep.equal(['Отчёт_5']);
    expect(await find('.*')).to.deep.equal([]);
    expect(await find(' ')).to.have.length(5);
    const { data, pagination } = await list('?q=uber&pageSize=2&page=2');
    expect(data.map(({ title }) => title)).to.deep.equal(['Über Straßen']);
    expect(pagination).to.include({ page: 2, total_items: 3, total_pages: 2 });
    expect((await list(`?q=${'x'.repeat(200)}`)).data).to.deep.equal([]);
  });

  it('parameters outside their rules, or repeated: 400 invalid_arg with the field', async () => {
    const owner = await service.newOwner();
    const wrong: Readonly<Record<string, readonly string[]>> = {
      page: ['0', '-1', '1.5', 'x', '', '1e2', '0x10', '1&page=2'],
      pageSize: ['0', '201', '%205'],
      sortBy: ['title', 'CREATED_AT', '', 'created_at&sortBy=updated_at'],
      sortOrder: ['up', 'DESC'],
      q: ['a&q=b', 'x'.repeat(201), '%00'],
    };
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) {
        const answer = await owner.get(`/api/drops?${field}=${value}`);
        expect(expectError(answer, 400, 'invalid_arg').field, `${field}=${value}`).to.equal(field);
      }
    }
  });
});
