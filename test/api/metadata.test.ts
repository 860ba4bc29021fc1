import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useOwner, useService, useServices } from '../support/service.ts';

/** Legal by spec section 2, and a trap for objects, paths, databases or case-folding. */
const hostileKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'length',
  '__defineGetter__',
  'a.b',
  'a..b',
  '_id',
  'a.0.b',
  '0',
  '42',
  '_',
  'a-b',
  'Key',
  'key',
  'k'.repeat(64),
];

/** U+212A and U+017F fold to k and s. */
const wrongKeys = [
  '',
  '.a',
  'a.',
  '-a',
  'a-',
  'a b',
  '$set',
  'a/b',
  'a\u0000b',
  'a\n',
  '\u212a',
  '\u017f',
  'é',
  'k'.repeat(65),
];

describe('Metadata', () => {
  const startOwn = useServices();
  const service = useService({ WRITES_PER_MINUTE: '1000' });
  const owner = useOwner(service);

  for (const key of hostileKeys) {
    it(`the key ${key} comes back as it was sent, can be filtered by and changed`, async () => {
      const value = 'v & "w"=1';
      const tag = `"metadata":{${JSON.stringify(key)}:${JSON.stringify(value)}}`;
      const raw = `{"title":"t","html":"h",${tag}}`;
      const created = await owner.request('POST', '/api/drops', { raw });
      expect(created.status, created.text).to.equal(201);
      expect(created.text).to.include(tag);
      await owner.create({ metadata: { other: value } });
      const path = `/api/drops/${created.body.slug}`;
      expect(Object.entries((await owner.get(path)).body.metadata)).to.deep.equal([[key, value]]);
      const found = await owner.get(`/api/drops?metadata.${key}=${encodeURIComponent(value)}`);
      expect(found.body.data.map((drop) => drop.slug)).to.deep.equal([created.body.slug]);
      expect(found.text).to.include(tag);
      expect((await owner.get(`/api/drops?metadata.${key}=other`)).body.data).to.deep.equal([]);
      const patch = { raw: `{"metadata":{${JSON.stringify(key)}:"new"}}` };
      const changed = await owner.request('PATCH', path, patch);
      expect(Object.entries(changed.body.metadata)).to.deep.equal([[key, 'new']]);
    });
  }

  it('a key outside the rules: 400 invalid_arg, in bodies and in filters', async () => {
    const { slug } = await owner.create();
    const path = `/api/drops/${slug}`;
    for (const key of wrongKeys) {
      const metadata = { [key]: 'v' };
      const answers = await Promise.all([
        owner.post({ metadata }),
        owner.put(slug, { metadata }),
        owner.request('PATCH', path, { body: { metadata } }),
        owner.get(`/api/drops?metadata.${encodeURIComponent(key)}=v`),
      ]);
      for (const answer of answers) expectError(answer, 400, 'invalid_arg');
    }
    expect((await owner.get(path)).body.metadata).to.deep.equal({});
  });

  it('values come back exactly, and filters compare them exactly', async () => {
    const values = [' a', 'a', 'A', 'a ', '', 'é', 'e\u0301', '%', "'", '\\', '\u2028', '😀'.repeat(256)];
    for (const value of values) await owner.create({ metadata: { v: value, V: 'upper' } });
    await owner.create({ metadata: { other: '' } });
    for (const value of values) {
      const found = await owner.get(`/api/drops?metadata.v=${encodeURIComponent(value)}`);
      expect(found.body.data.map((drop) => drop.metadata)).to.deep.equal([{ v: value, V: 'upper' }]);
    }
  });

  it('a filter with an illegal value: 400 invalid_arg', async () => {
    for (const value of ['x%00', encodeURIComponent('é'.repeat(257))]) {
      const answer = await owner.get(`/api/drops?metadata.a=${value}`);
      expect(expectError(answer, 400, 'invalid_arg').field).to.equal('metadata.a');
    }
  });

  it('has as many keys as METADATA_MAX_KEYS allows', async () => {
    const mapOf = (size: number) =>
      Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, 'v']));
    expect((await (await service.newOwner()).create({ metadata: mapOf(10) })).metadata).to.deep.equal(
      mapOf(10),
    );
    const many = await startOwn({ env: { METADATA_MAX_KEYS: '500' } });
    expect((await (await many.newOwner()).create({ metadata: mapOf(500) })).metadata).to.deep.equal(
      mapOf(500),
    );
  });
});

describe('GET /api/drops?metadata.<key>', () => {
  const service = useService();

  it('keeps the drops that have all the pairs, and the pagination counts them', async () => {
    const owner = await service.newOwner();
    const one = await owner.create({ metadata: { project: 'x', env: 'prod' } });
    const two = await owner.create({ metadata: { project: 'x', env: 'test' } });
    await owner.create({ metadata: { project: 'xx', env: 'prod' } });
    await owner.create({ metadata: { other: 'x' } });
    const list = async (query: string) => (await owner.get(`/api/drops?${query}`)).body;
    const slugs = async (query: string) => (await list(query)).data.map((drop) => drop.slug);
    expect(await slugs('metadata.project=x')).to.have.members([one.slug, two.slug]);
    expect(await slugs('metadata.project=x&metadata.env=prod')).to.deep.equal([one.slug]);
    expect(await slugs('metadata.project=x&metadata.project=x')).to.have.length(2);
    expect(await slugs('metadata.project=x&metadata.project=xx')).to.deep.equal([]);
    expect(await slugs('metadata.env=prod&metadata.project=nothing')).to.deep.equal([]);
    const page = await list('metadata.project=x&pageSize=1&page=2');
    expect(page.data).to.have.length(1);
    expect(page.pagination).to.include({ total_items: 2, total_pages: 2 });
  });

  it("follows PUT, PATCH and DELETE, and never finds another account's drops", async () => {
    const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
    const { slug } = await owner.create({ metadata: { a: '1' } });
    const counts = async () => {
      const pages = ['1', '2', '3'].map((value) => owner.get(`/api/drops?metadata.a=${value}`));
      return (await Promise.all(pages)).map(({ body }) => body.pagination.total_items);
    };
    expect((await other.get('/api/drops?metadata.a=1')).body.data).to.deep.equal([]);
    await owner.put(slug, { metadata: { a: '2' } });
    expect(await counts()).to.deep.equal([0, 1, 0]);
    await owner.request('PATCH', `/api/drops/${slug}`, { body: { metadata: { a: '3' } } });
    expect(await counts()).to.deep.equal([0, 0, 1]);
    await owner.request('DELETE', `/api/drops/${slug}`);
    expect(await counts()).to.deep.equal([0, 0, 0]);
  });
});
