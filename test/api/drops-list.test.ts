import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('GET /api/drops', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  /** An owner with drops named by the titles, a second apart. */
  async function withDrops(titles: readonly string[]) {
    const owner = await service.newOwner();
    for (const title of titles) {
      await owner.create({ title });
      service.clock.advance(1000);
    }
    const titlesOf = async (query: string) => {
      const answer = await owner.get(`/api/drops${query}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.data.map((drop) => drop.title);
    };
    return { owner, titlesOf };
  }

  it('200: {data: Drop[], pagination: Pagination}, 50 a page, newest creation first', async () => {
    const { owner } = await withDrops(['a', 'b']);
    const answer = await owner.get('/api/drops');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.have.all.keys('data', 'pagination');
    answer.body.data.forEach(expectDrop);
    expect(answer.body.data.map((drop) => drop.title)).to.deep.equal(['b', 'a']);
    expect(answer.body.pagination).to.deep.equal({
      page: 1,
      page_size: 50,
      total_items: 2,
      total_pages: 1,
      sort_by: 'created_at',
      sort_order: 'desc',
    });
  });

  it('a drop in the list is the same as the drop read by itself', async () => {
    const { owner } = await withDrops([]);
    const drop = await owner.create({ description: 'd', metadata: { a: 'b' }, passcode: 'abcd' });
    expect((await owner.get('/api/drops')).body.data).to.deep.equal([drop]);
  });

  it('nothing: data is empty and total_pages 0', async () => {
    const { owner } = await withDrops([]);
    const answer = await owner.get('/api/drops');
    expect(answer.body.data).to.deep.equal([]);
    expect(answer.body.pagination).to.include({ page: 1, total_items: 0, total_pages: 0 });
  });

  it("only the caller's own drops", async () => {
    const { owner } = await withDrops(['mine']);
    const other = await withDrops(['theirs']);
    expect((await owner.get('/api/drops')).body.data.map((drop) => drop.title)).to.deep.equal(['mine']);
    expect(await other.titlesOf('')).to.deep.equal(['theirs']);
  });

  it('page and pageSize: each drop once, in order; past the end nothing', async () => {
    const { owner, titlesOf } = await withDrops(['a', 'b', 'c', 'd', 'e']);
    expect(await titlesOf('?pageSize=2')).to.deep.equal(['e', 'd']);
    expect(await titlesOf('?pageSize=2&page=2')).to.deep.equal(['c', 'b']);
    expect(await titlesOf('?pageSize=2&page=3')).to.deep.equal(['a']);
    expect(await titlesOf('?pageSize=2&page=4')).to.deep.equal([]);
    expect(await titlesOf('?pageSize=200&page=1000000000')).to.deep.equal([]);
    const answer = await owner.get('/api/drops?pageSize=2&page=4');
    expect(answer.body.pagination).to.include({ page: 4, page_size: 2, total_items: 5, total_pages: 3 });
  });

  it('sortBy created_at, sortOrder asc: oldest first', async () => {
    const { titlesOf } = await withDrops(['a', 'b', 'c']);
    expect(await titlesOf('?sortOrder=asc')).to.deep.equal(['a', 'b', 'c']);
    expect(await titlesOf('?sortBy=created_at&sortOrder=desc')).to.deep.equal(['c', 'b', 'a']);
  });

  it('sortBy updated_at: by the last change', async () => {
    const { owner, titlesOf } = await withDrops(['a', 'b', 'c']);
    const [b] = (await owner.get('/api/drops?sortOrder=asc&pageSize=1&page=2')).body.data;
    await owner.request('PATCH', `/api/drops/${b?.slug}`, { body: { description: 'changed' } });
    expect(await titlesOf('?sortBy=updated_at')).to.deep.equal(['b', 'c', 'a']);
    expect(await titlesOf('?sortBy=updated_at&sortOrder=asc')).to.deep.equal(['a', 'c', 'b']);
  });

  it('sortBy view_count: by views', async () => {
    const { owner, titlesOf } = await withDrops(['a', 'b', 'c']);
    const [a, b] = (await owner.get('/api/drops?sortOrder=asc')).body.data;
    for (const slug of [a?.slug, a?.slug, b?.slug]) await service.view(`/p/${slug}`);
    await service.settle();
    expect(await titlesOf('?sortBy=view_count')).to.deep.equal(['a', 'b', 'c']);
    expect(await titlesOf('?sortBy=view_count&sortOrder=asc')).to.deep.equal(['c', 'b', 'a']);
    const answer = await owner.get('/api/drops?sortBy=view_count&sortOrder=asc');
    expect(answer.body.data.map((drop) => drop.view_count)).to.deep.equal([0, 1, 2]);
    expect(answer.body.pagination).to.include({ sort_by: 'view_count', sort_order: 'asc' });
  });

  it('ties: by newest creation, in either order', async () => {
    const { titlesOf } = await withDrops(['a', 'b', 'c']);
    expect(await titlesOf('?sortBy=view_count&sortOrder=asc')).to.deep.equal(['c', 'b', 'a']);
    expect(await titlesOf('?sortBy=view_count&sortOrder=desc')).to.deep.equal(['c', 'b', 'a']);
  });

  it('ties of the same moment: a fixed order, so that pages neither repeat nor miss a drop', async () => {
    const owner = await service.newOwner();
    const made = await Promise.all(Array.from({ length: 20 }, () => owner.create()));
    for (const sort of ['created_at', 'updated_at', 'view_count']) {
      const pages = await Promise.all(
        [1, 2, 3, 4, 5, 6, 7].map((page) => owner.get(`/api/drops?sortBy=${sort}&pageSize=3&page=${page}`)),
      );
      const slugs = pages.flatMap((page) => page.body.data.map((drop) => drop.slug));
      expect(slugs).to.have.members(made.map((drop) => drop.slug));
    }
  });

  it('parameters outside their rules: 400 invalid_arg with the field', async () => {
    const owner = await service.newOwner();
    const wrong: readonly (readonly [string, string])[] = [
      ['page', '0'],
      ['page', '-1'],
      ['page', '1.5'],
      ['page', 'x'],
      ['page', ''],
      ['page', '1e2'],
      ['page', '0x10'],
      ['pageSize', '0'],
      ['pageSize', '201'],
      ['pageSize', ' 5'],
      ['sortBy', 'title'],
      ['sortBy', 'CREATED_AT'],
      ['sortBy', ''],
      ['sortOrder', 'up'],
      ['sortOrder', 'DESC'],
    ];
    for (const [name, value] of wrong) {
      const answer = await owner.get(`/api/drops?${name}=${encodeURIComponent(value)}`);
      expect(expectError(answer, 400, 'invalid_arg').field, `${name}=${value}`).to.equal(name);
    }
  });

  it('a parameter that may come once comes twice: 400 invalid_arg', async () => {
    const owner = await service.newOwner();
    expectError(await owner.get('/api/drops?page=1&page=2'), 400, 'invalid_arg');
    expectError(await owner.get('/api/drops?sortBy=created_at&sortBy=updated_at'), 400, 'invalid_arg');
  });

  it('pageSize 1 and 200: legal', async () => {
    const owner = await service.newOwner();
    expect((await owner.get('/api/drops?pageSize=1')).body.pagination.page_size).to.equal(1);
    expect((await owner.get('/api/drops?pageSize=200')).body.pagination.page_size).to.equal(200);
  });

  it('unknown parameters: ignored', async () => {
    const owner = await service.newOwner();
    await owner.create();
    const answer = await owner.get(
      '/api/drops?page_size=0&sort_by=x&utm_source=y&metadata=z&Page=7&__proto__=1',
    );
    expect(answer.status).to.equal(200);
    expect(answer.body.data).to.have.length(1);
    expect(answer.body.pagination).to.include({ page: 1, page_size: 50 });
  });
});
