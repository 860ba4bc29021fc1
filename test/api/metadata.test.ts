import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { startService, useService } from '../support/service.ts';

/** Legal by spec section 2, and a trap for objects, paths, databases or case-folding. */
const hostileKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'a.b',
  'a..b',
  '_id',
  'a.0.b',
  '0',
  '42',
  'length',
  '__defineGetter__',
  '_',
  'a-b',
  'Key',
  'key',
  'k'.repeat(64),
];

describe('Metadata', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  describe('hostile but legal keys come back as they went in and can be filtered by', () => {
    for (const key of hostileKeys) {
      it(key, async () => {
        const owner = await service.newOwner();
        const value = 'v & "w"=1';
        const raw = `{"title":"t","html":"h","metadata":{${JSON.stringify(key)}:${JSON.stringify(value)}}}`;
        const created = await owner.request('POST', '/api/drops', { raw });
        expect(created.status, created.text).to.equal(201);
        await owner.create({ metadata: { other: value } });
        expect(created.text).to.include(`"metadata":{${JSON.stringify(key)}:${JSON.stringify(value)}}`);

        const read = await owner.get(`/api/drops/${created.body.slug}`);
        expect(Object.entries(read.body.metadata)).to.deep.equal([[key, value]]);
        const found = await owner.get(`/api/drops?metadata.${key}=${encodeURIComponent(value)}`);
        expect(found.body.data.map((drop) => drop.slug)).to.deep.equal([created.body.slug]);
        expect(found.text).to.include(`"metadata":{${JSON.stringify(key)}:`);
        const missed = await owner.get(`/api/drops?metadata.${key}=other`);
        expect(missed.body.data).to.deep.equal([]);

        const path = `/api/drops/${created.body.slug}`;
        const changed = await owner.request('PATCH', path, {
          raw: `{"metadata":{${JSON.stringify(key)}:"new"}}`,
        });
        expect(Object.entries(changed.body.metadata)).to.deep.equal([[key, 'new']]);
      });
    }
  });

  it('keys that differ by case are two keys', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ metadata: { Key: '1', key: '2' } });
    expect(drop.metadata).to.deep.equal({ Key: '1', key: '2' });
    expect((await owner.get('/api/drops?metadata.Key=1')).body.data).to.have.length(1);
    expect((await owner.get('/api/drops?metadata.key=1')).body.data).to.have.length(0);
  });

  for (const [name, key] of [
    ['empty', ''],
    ['with a leading dot', '.a'],
    ['with a trailing dot', 'a.'],
    ['with a leading dash', '-a'],
    ['with a trailing dash', 'a-'],
    ['with a space', 'a b'],
    ['with a dollar', '$set'],
    ['with a slash', 'a/b'],
    ['with a NUL', 'a\u0000b'],
    ['with a line break at its end', 'a\n'],
    ['with a letter that folds to k (U+212A)', '\u212a'],
    ['with a letter that folds to s (U+017F)', '\u017f'],
    ['of 65 characters', 'k'.repeat(65)],
  ] as const) {
    it(`a key ${name}: 400 invalid_arg, in bodies and in filters`, async () => {
      const owner = await service.newOwner();
      const drop = await owner.create();
      const path = `/api/drops/${drop.slug}`;
      const metadata = { [key]: 'v' };
      expectError(await owner.post({ metadata }), 400, 'invalid_arg');
      expectError(await owner.put(drop.slug, { metadata }), 400, 'invalid_arg');
      expectError(await owner.request('PATCH', path, { body: { metadata } }), 400, 'invalid_arg');
      expectError(await owner.get(`/api/drops?metadata.${encodeURIComponent(key)}=v`), 400, 'invalid_arg');
      expect((await owner.get(path)).body.metadata).to.deep.equal({});
    });
  }

  it('10 keys are legal, 11 are 400 invalid_arg', async () => {
    const owner = await service.newOwner();
    const ofSize = (size: number) =>
      Object.fromEntries(Array.from({ length: size }, (_, index) => [`key${index}`, `${index}`]));
    expect((await owner.create({ metadata: ofSize(10) })).metadata).to.deep.equal(ofSize(10));
    expectError(await owner.post({ metadata: ofSize(11) }), 400, 'invalid_arg');
  });

  it('a value of 256 characters is legal, counted in code points; 257 are 400 invalid_arg', async () => {
    const owner = await service.newOwner();
    for (const letter of ['x', 'é', '😀']) {
      const drop = await owner.create({ metadata: { a: letter.repeat(256) } });
      expect(drop.metadata).to.deep.equal({ a: letter.repeat(256) });
      const found = await owner.get(`/api/drops?metadata.a=${encodeURIComponent(letter.repeat(256))}`);
      expect(found.body.data.map(({ slug }) => slug)).to.deep.equal([drop.slug]);
      expectError(await owner.post({ metadata: { a: letter.repeat(257) } }), 400, 'invalid_arg');
      const tooLong = `/api/drops?metadata.a=${encodeURIComponent(letter.repeat(257))}`;
      expectError(await owner.get(tooLong), 400, 'invalid_arg');
    }
  });

  it('the empty value is a value', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create({ metadata: { a: '' } });
    await owner.create({ metadata: { b: 'x' } });
    expect(drop.metadata).to.deep.equal({ a: '' });
    const found = await owner.get('/api/drops?metadata.a=');
    expect(found.body.data.map(({ slug }) => slug)).to.deep.equal([drop.slug]);
  });

  it('a value of another type: 400 invalid_arg; numbers and booleans must be stringified', async () => {
    const owner = await service.newOwner();
    for (const value of [1, true, null, ['a'], { b: 'c' }]) {
      expectError(await owner.post({ metadata: { a: value } }), 400, 'invalid_arg');
    }
  });

  it('a map of another type, or null: 400 invalid_arg', async () => {
    const owner = await service.newOwner();
    for (const metadata of [null, [], ['a'], 'a=b', 1, true]) {
      const details = expectError(await owner.post({ metadata }), 400, 'invalid_arg');
      expect(details.field).to.equal('metadata');
    }
  });

  it('a NUL in a value: 400 invalid_arg, in bodies and in filters', async () => {
    const owner = await service.newOwner();
    expectError(await owner.post({ metadata: { a: 'x\u0000' } }), 400, 'invalid_arg');
    expectError(await owner.get('/api/drops?metadata.a=x%00'), 400, 'invalid_arg');
  });

  it('values come back exactly: case, spaces, and Unicode forms are kept and told apart', async () => {
    const owner = await service.newOwner();
    const values = [' a', 'a', 'A', 'a ', 'é', 'e\u0301', '%', "'", '\\', '\u2028'];
    for (const value of values) await owner.create({ metadata: { v: value } });
    for (const value of values) {
      const found = await owner.get(`/api/drops?metadata.v=${encodeURIComponent(value)}`);
      expect(found.body.data.map((drop) => drop.metadata.v)).to.deep.equal([value]);
    }
  });
});

describe('GET /api/drops?metadata.<key>', () => {
  const service = useService();

  it('keeps only drops that have the key with exactly the value; several pairs combine with AND', async () => {
    const owner = await service.newOwner();
    const one = await owner.create({ metadata: { project: 'x', env: 'prod' } });
    const two = await owner.create({ metadata: { project: 'x', env: 'test' } });
    await owner.create({ metadata: { project: 'xx', env: 'prod' } });
    await owner.create({ metadata: { other: 'x' } });
    const slugs = async (query: string) =>
      (await owner.get(`/api/drops?${query}`)).body.data.map((drop) => drop.slug);
    expect(await slugs('metadata.project=x')).to.have.members([one.slug, two.slug]);
    expect(await slugs('metadata.project=x&metadata.env=prod')).to.deep.equal([one.slug]);
    expect(await slugs('metadata.env=prod&metadata.project=nothing')).to.deep.equal([]);
  });

  it('the pagination counts what the filter keeps', async () => {
    const owner = await service.newOwner();
    for (const n of ['1', '2', '3', '4', '5'])
      await owner.create({ metadata: { n, parity: n === '2' ? 'e' : 'o' } });
    const answer = await owner.get('/api/drops?metadata.parity=o&pageSize=3&page=2&sortOrder=asc');
    expect(answer.body.pagination).to.include({ total_items: 4, total_pages: 2 });
    expect(answer.body.data).to.have.length(1);
  });

  it('the same pair twice matches as once; the same key with two values matches nothing', async () => {
    const owner = await service.newOwner();
    await owner.create({ metadata: { a: '1' } });
    expect((await owner.get('/api/drops?metadata.a=1&metadata.a=1')).body.data).to.have.length(1);
    const none = await owner.get('/api/drops?metadata.a=1&metadata.a=2');
    expect(none.status).to.equal(200);
    expect(none.body.data).to.deep.equal([]);
    expect(none.body.pagination).to.include({ total_items: 0, total_pages: 0 });
  });

  it("never finds somebody else's drops", async () => {
    const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
    await owner.create({ metadata: { shared: 'tag' } });
    expect((await other.get('/api/drops?metadata.shared=tag')).body.data).to.deep.equal([]);
  });

  it('may have as many keys as METADATA_MAX_KEYS can allow', async () => {
    const many = await startService({ env: { METADATA_MAX_KEYS: '500' } });
    try {
      const metadata = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, 'v']));
      const drop = await (await many.newOwner()).create({ metadata });
      expect(drop.metadata).to.deep.equal(metadata);
    } finally {
      await many.stop();
    }
  });

  it('follows PUT, PATCH and DELETE', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ metadata: { a: '1' } });
    const count = async (value: string) =>
      (await owner.get(`/api/drops?metadata.a=${value}`)).body.pagination.total_items;
    await owner.put(slug, { metadata: { a: '2' } });
    expect([await count('1'), await count('2')]).to.deep.equal([0, 1]);
    await owner.request('PATCH', `/api/drops/${slug}`, { body: { metadata: { a: '3' } } });
    expect([await count('2'), await count('3')]).to.deep.equal([0, 1]);
    await owner.request('DELETE', `/api/drops/${slug}`);
    expect(await count('3')).to.equal(0);
  });
});
