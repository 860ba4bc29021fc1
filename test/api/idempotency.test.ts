import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { notFound } from '../../shared/domain/errors.ts';
import type { Answer } from '../support/client.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { writeWith } from '../support/keyed.ts';
import { rejectionOf } from '../support/rejection.ts';
import { type Owner, useService } from '../support/service.ts';
import { exchange } from '../support/socket.ts';
import { readAtRest } from '../support/stored.ts';

const day = 24 * 3_600_000;

describe('Idempotency-Key', () => {
  const service = useService({ WRITES_PER_DAY: '5', DROPS_PER_ACCOUNT: '3', VERSIONS_PER_DROP: '4' });
  let owner: Owner;
  let key: string;

  beforeEach(async () => {
    owner = await service.newOwner();
    key = randomUUID();
  });

  const countDrops = async () => (await owner.get('/api/me')).body.drop_count;
  const countVersions = async (slug: string) =>
    (await owner.get<unknown[]>(`/api/drops/${slug}/versions`)).body.length;

  function expectReplay(answer: Answer, first: Answer): void {
    expect(answer.status, answer.text).to.equal(first.status);
    expect(answer.headers['idempotency-replayed']).to.equal('true');
    for (const name of ['location', 'etag', 'content-type'])
      expect(answer.headers[name]).to.equal(first.headers[name]);
    expect(answer.body).to.deep.equal(first.body);
  }

  it('a repeated POST makes one drop, takes one write of the day, and gets the same answer', async () => {
    const first = await writeWith(owner, key, 'POST', '/api/drops');
    expect(first.status).to.equal(201);
    expect(first.headers).to.not.have.property('idempotency-replayed');
    for (let n = 0; n < 6; n++) expectReplay(await writeWith(owner, key, 'POST', '/api/drops'), first);
    expect(await countDrops()).to.equal(1);
    expect((await owner.put(first.body.slug)).status).to.equal(200);
  });

  it('a repeated PUT and a repeated restore make one version each, also at the cap of versions', async () => {
    const { slug } = await owner.create();
    for (const [method, path] of [
      ['PUT', `/api/drops/${slug}`],
      ['POST', `/api/drops/${slug}/v/1/restore`],
      ['PUT', `/api/drops/${slug}`],
    ] as const) {
      key = randomUUID();
      const first = await writeWith(owner, key, method, path);
      expect(first.status, first.text).to.equal(200);
      expectReplay(await writeWith(owner, key, method, path), first);
    }
    expect(await countVersions(slug)).to.equal(4);
  });

  it('of 10 requests at once one writes; the others are replays, or 409 with Retry-After', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => writeWith(owner, key, 'POST', '/api/drops')),
    );
    const done = answers.filter(({ status }) => status === 201);
    expect(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).to.have.length(1);
    for (const answer of answers.filter((one) => !done.includes(one))) {
      const { retry_after_seconds } = expectError(answer, 409, 'idempotency_key_in_use');
      expect(retry_after_seconds).to.equal(1);
      expect(answer.headers['retry-after']).to.equal('1');
    }
    expect(await countDrops()).to.equal(1);
  });

  it('a replay shows the drop as it is now, whatever If-Match says, and also after a takedown', async () => {
    const { slug } = await owner.create();
    const path = `/api/drops/${slug}`;
    const write = () => writeWith(owner, key, 'PUT', path, { headers: { 'if-match': '"1"' } });
    expect((await write()).status).to.equal(200);
    await owner.request('PATCH', path, { body: { title: 'New' } });
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'phishing' });
    const replay = await write();
    expect(replay.status, replay.text).to.equal(200);
    expect(replay.body).to.include({ title: 'New', latest_version: 2 });
    expect(replay.headers.etag).to.equal((await owner.get(path)).headers.etag);
  });

  it('a replay is 404 if the drop was deleted', async () => {
    const first = await writeWith(owner, key, 'POST', '/api/drops');
    await owner.request('DELETE', `/api/drops/${first.body.slug}`);
    expectError(await writeWith(owner, key, 'POST', '/api/drops'), 404, 'not_found');
    await service.settle(); // the record of the drop is gone
    expectError(await writeWith(owner, key, 'POST', '/api/drops'), 404, 'not_found');
  });

  it('a repeat takes no write of the minute, also when none is left; at most WRITES_PER_MINUTE repeats a minute', async () => {
    const first = await writeWith(owner, key, 'POST', '/api/drops');
    const repeat = () => writeWith(owner, key, 'POST', '/api/drops');
    for (let n = 0; n < 50; n++) expectReplay(await repeat(), first);
    const invalid = () => owner.request('POST', '/api/drops', { body: {} });
    const others = await Promise.all(Array.from({ length: 60 }, invalid));
    expect(others.filter(({ status }) => status === 400)).to.have.length(59);
    expectTooMany(await invalid(), 'rate_limited');
    for (let n = 0; n < 9; n++) expectReplay(await repeat(), first);
    const reused = writeWith(owner, key, 'POST', '/api/drops', { body: { title: 'Another', html: 'x' } });
    expectError(await reused, 422, 'idempotency_key_reused');
    expectTooMany(await repeat(), 'rate_limited');
  });

  it('422 for the same key with another body, method or URL; the first request still has its answer', async () => {
    const first = await writeWith(owner, key, 'POST', '/api/drops');
    const { slug } = first.body;
    for (const other of [
      await writeWith(owner, key, 'POST', '/api/drops', { body: { title: 'Another', html: 'x' } }),
      await writeWith(owner, key, 'PUT', `/api/drops/${slug}`),
      await writeWith(owner, key, 'POST', `/api/drops/${slug}/v/1/restore`),
      await writeWith(owner, key, 'POST', '/api/drops?x=1'),
    ]) {
      expect(expectError(other, 422, 'idempotency_key_reused').field).to.equal('Idempotency-Key');
    }
    expectReplay(await writeWith(owner, key, 'POST', '/api/drops'), first);
    expect(await countVersions(slug)).to.equal(1);
  });

  it('a text/html body counts with its query', async () => {
    const headers = { 'content-type': 'text/html' };
    const html = (query: string) =>
      writeWith(owner, key, 'POST', `/api/drops?title=${query}`, { raw: '<p>x', headers });
    const first = await html('one');
    expect(first.status, first.text).to.equal(201);
    expectReplay(await html('one'), first);
    expectError(await html('two'), 422, 'idempotency_key_reused');
  });

  it('keys of different accounts and different letters have nothing in common', async () => {
    const other = await service.newOwner();
    const answers = [
      await writeWith(owner, 'Key', 'POST', '/api/drops'),
      await writeWith(owner, 'key', 'POST', '/api/drops'),
      await writeWith(other, 'key', 'POST', '/api/drops'),
    ];
    expect(new Set(answers.map(({ body }) => body.slug)).size).to.equal(3);
  });

  it('another token of the account replays', async () => {
    const first = await writeWith(owner, key, 'POST', '/api/drops');
    expectReplay(await writeWith(await service.newToken(owner), key, 'POST', '/api/drops'), first);
  });

  it('a refused request frees its key: invalid, absent, conflict, caps and quota', async () => {
    const write = (path: string, body: object, headers = {}) =>
      writeWith(owner, key, path === '/api/drops' ? 'POST' : 'PUT', path, { body, headers });
    expectError(await write('/api/drops', { html: 'x' }), 400, 'title_required');
    expectError(await write('/api/drops/none', { html: 'x' }), 404, 'not_found');
    const one = await owner.create();
    await owner.create();
    await owner.create();
    const path = `/api/drops/${one.slug}`;
    expectTooMany(await write('/api/drops', { title: 'x', html: 'x' }), 'quota_exceeded');
    expectError(await write(path, { html: 'x' }, { 'if-match': '"7"' }), 412, 'version_conflict');
    expect((await write(path, { html: 'last' })).status).to.equal(200);
    await owner.put(String(one?.slug));
    key = randomUUID();
    expectTooMany(await write(path, { html: 'x' }), 'daily_quota_exceeded');
    service.clock.advance(day);
    expect((await write(path, { html: 'y' })).status).to.equal(200);
    expect((await write(path, { html: 'y' })).headers['idempotency-replayed']).to.equal('true');
  });

  it('after 24 hours the key is free again', async () => {
    const first = await writeWith(owner, key, 'POST', '/api/drops');
    service.clock.advance(day);
    expectReplay(await writeWith(owner, key, 'POST', '/api/drops'), first);
    service.clock.advance(1);
    const next = await writeWith(owner, key, 'POST', '/api/drops');
    expect(next.status).to.equal(201);
    expect(next.headers).to.not.have.property('idempotency-replayed');
    expect(next.body.slug).to.not.equal(first.body.slug);
  });

  it('then its next request counts as a write of the minute, and not as a repeat', async () => {
    expect((await writeWith(owner, key, 'POST', '/api/drops')).status).to.equal(201);
    service.clock.advance(day + 1);
    await Promise.all(Array.from({ length: 60 }, () => owner.request('POST', '/api/drops', { body: {} })));
    expectTooMany(await writeWith(owner, key, 'POST', '/api/drops'), 'rate_limited');
  });

  it('400 invalid_arg, which names the header, for a key that is not 1 to 255 visible ASCII characters, or two keys', async () => {
    for (const wrong of ['a b', ' ', 'x'.repeat(256), 'schlüssel', 'a, b']) {
      const answer = await writeWith(owner, wrong, 'POST', '/api/drops');
      expect(expectError(answer, 400, 'invalid_arg').field, wrong).to.equal('Idempotency-Key');
    }
    const length = { authorization: `Bearer ${owner.token}`, 'content-length': '0' };
    for (const [one, two] of [
      ['a', 'b'],
      ['', ''],
    ] as const) {
      const twice = { ...length, 'Idempotency-Key': one, 'idempotency-key': two };
      const answer = await exchange(service.url, service.head('POST', '/api/drops', twice));
      expect(expectError(answer, 400, 'invalid_arg').field).to.equal('Idempotency-Key');
      expect(answer.text).to.include('Idempotency-Key must be');
    }
    expect(await countDrops()).to.equal(0);
    for (const right of ['x'.repeat(255), '"~!,'])
      expect((await writeWith(owner, right, 'POST', '/api/drops')).status).to.equal(201);
  });

  it('neither the key nor a hash of the request that could be computed without it is stored', async () => {
    const raw = JSON.stringify({ title: 'x', html: 'KNOWN-html', passcode: 'NEEDLE-passcode' });
    const { body } = await writeWith(owner, 'NEEDLE-key', 'POST', '/api/drops', { raw });
    expect(body.locked).to.equal(true);
    const stored = Buffer.concat([...(await readAtRest(service.config)).values()]).toString('latin1');
    const digest = createHash('sha256').update(raw);
    const request = createHash('sha256').update('POST /api/drops\n').update(digest.copy().digest());
    expect(stored).to.include('KNOWN-html').and.to.not.include('NEEDLE');
    for (const hash of [digest, request]) expect(stored).to.not.include(hash.digest('hex'));
  });

  it('a refused attempt beside one that writes by an id leaves the key to that one: a repeat writes nothing', async () => {
    const { idempotency, tokens } = service.services;
    const caller = await tokens.authenticate(`Bearer ${owner.token}`);
    const request = { key, hash: 'a'.repeat(64) };
    const written: string[] = [];
    const attempt = (write: (id?: string) => Promise<string>) =>
      idempotency.onceById(caller, request, write, async (id) => id);
    const first = await attempt(async (id = '') => {
      const refused = attempt(() => Promise.reject(notFound('drop')));
      expect(await rejectionOf(refused)).to.include({ code: 'not_found' });
      written.push(id);
      return id;
    });
    const again = await attempt(async (id = '') => {
      written.push(id);
      return id;
    });
    expect(again).to.deep.equal({ ...first, isReplayed: true });
    expect(written).to.deep.equal([first.written]);
  });

  it('requests that are no writes ignore the header', async () => {
    const { slug } = await owner.create();
    for (const title of ['one', 'two']) {
      const options = { body: { title }, headers: { 'idempotency-key': 'a b' } };
      const { body } = await owner.request('PATCH', `/api/drops/${slug}`, options);
      expect(body.title).to.equal(title);
    }
  });
});
