import { expect } from 'chai';
import type { Answer, RequestOptions } from '../support/client.ts';
import { expectDrop, expectError, expectTooMany } from '../support/expect.ts';
import { useOwner, useService } from '../support/service.ts';
import type { Connection } from '../support/socket.ts';
import { readAtRest } from '../support/stored.ts';

const minutes = 60_000;
const day = 86_400_000;
const page = '<!doctype html><title>From a file</title><p>é';

describe('POST /api/uploads and PUT of the document', () => {
  const service = useService({ WRITES_PER_DAY: '4', DROPS_PER_ACCOUNT: '3' });
  const owner = useOwner(service);

  const ask = (body: object, asker = owner) => asker.request('POST', '/api/uploads', { body });

  async function addressFor(body: object): Promise<string> {
    const { status, body: upload, text } = await ask(body);
    expect(status, text).to.equal(201);
    return new URL(upload.upload_url).pathname;
  }

  /** As `curl -T` does: without a token and without a Content-Type. */
  const put = (path: string, raw: string | Uint8Array = page, headers: RequestOptions['headers'] = {}) =>
    service.request('PUT', path, { raw, headers: { 'content-type': '', ...headers } });

  const rawOf = async (slug: string) => (await owner.get(`/api/drops/${slug}/html`)).text;

  it('answers with the address, the method, the time it expires and a curl line', async () => {
    const { status, body, headers } = await ask({ title: 'A report' });
    expect(status).to.equal(201);
    expect(headers['cache-control']).to.equal('no-store');
    const { upload_url, ...rest } = body;
    expect(upload_url).to.match(new RegExp(`^${service.url}/u/[0-9A-Za-z]{32}$`));
    expect(rest).to.deep.equal({
      expires_at: service.clock.now() + 10 * minutes,
      method: 'PUT',
      curl: `curl -sS --fail-with-body -T page.html ${upload_url}`,
    });
  });

  it('makes a drop with all fields of the request, and the bytes of the document', async () => {
    const context = 'Because \0 of $this.';
    const path = await addressFor({
      title: 'A report',
      description: 'Of May',
      metadata: { project: 'demo' },
      context,
      passcode: 'open-sesame',
      expires_at: service.clock.now() + day,
    });
    const answer = await put(path);
    expect(answer.status, answer.text).to.equal(201);
    expectDrop(answer.body);
    expect(answer.body.expires_at).to.equal(service.clock.now() + day);
    const { slug } = answer.body;
    expect(answer.headers.location).to.equal(`/api/drops/${slug}`);
    expect(answer.headers.etag).to.equal('"1"');
    expect(answer.body).to.deep.include({
      title: 'A report',
      description: 'Of May',
      metadata: { project: 'demo' },
      locked: true,
    });
    expect((await owner.get(`/api/drops/${slug}`)).body).to.deep.equal(answer.body);
    expect((await owner.get(`/api/drops/${slug}/v/1`)).body.context).to.equal(context);
    expect(await rawOf(slug)).to.equal(page);
    const unlocked = await service.unlock(slug, 'open-sesame');
    expect(unlocked.status).to.equal(303);
  });

  it('makes a version of a drop, with the optional fields of PUT', async () => {
    const { slug } = await owner.create({ description: 'Stays', metadata: { a: 'b' } });
    const answer = await put(
      await addressFor({ slug, title: 'New', metadata: {}, if_match: '"1"', expires_at: null }),
    );
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.deep.include({
      title: 'New',
      description: 'Stays',
      metadata: {},
      latest_version: 2,
    });
    expect(await rawOf(slug)).to.equal(page);
  });

  it('the same bytes again get the same answer; other bytes are 409 upload_used', async () => {
    const path = await addressFor({ title: 'A report', expires_at: null });
    const first = await put(path);
    const second = await put(path);
    expect(second.status).to.equal(201);
    expect(second.body).to.deep.equal(first.body);
    expect(second.headers['idempotency-replayed']).to.equal('true');
    expect(second.headers.location).to.equal(first.headers.location);
    expectError(await put(path, `${page}!`), 409, 'upload_used');
    expect((await owner.get('/api/me')).body.drop_count).to.equal(1);
  });

  it('of 10 PUTs of different documents at once, one is published', async () => {
    const path = await addressFor({ title: 'A report' });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => put(path, `${page} ${n}`)));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    for (const answer of answers) if (answer.status !== 201) expectError(answer, 409, 'upload_used');
    expect((await owner.get('/api/me')).body.drop_count).to.equal(1);
  });

  it('404 after 10 minutes, for an unknown secret, and after the token was revoked', async () => {
    const used = await addressFor({ title: 'A report' });
    const unused = await addressFor({ title: 'A report' });
    service.clock.advance(10 * minutes - 1);
    expect((await put(used)).status).to.equal(201);
    service.clock.advance(1);
    for (const path of [used, unused, `/u/${'x'.repeat(32)}`, '/u/short', '/u/$ne'])
      expectError(await put(path), 404, 'not_found');

    const mine = await addressFor({ title: 'A' });
    const another = await service.newToken(owner);
    const { body: tokens } = await another.get<{ id: string; label: string }[]>('/api/tokens');
    const asked = tokens.find(({ label }) => label === 'test');
    await another.request('DELETE', `/api/tokens/${asked?.id}`);
    expectError(await put(mine), 404, 'not_found');
  });

  it('403 forbidden if the account was suspended since', async () => {
    const path = await addressFor({ title: 'A report' });
    await service.services.engine.accounts.setSuspended(owner.userId, service.clock.now());
    expectError(await put(path), 403, 'forbidden');
  });

  it('a token in the PUT changes nothing: the drop belongs to the account that asked', async () => {
    const path = await addressFor({ title: 'A report' });
    const other = await service.newOwner();
    const { body } = await service.request('PUT', path, {
      raw: page,
      token: other.token,
      headers: { 'content-type': 'text/html' },
    });
    expect((await owner.get(`/api/drops/${body.slug}`)).status).to.equal(200);
    expect((await other.get('/api/me')).body.drop_count).to.equal(0);
  });

  it('refuses what the direct request refuses, when it asks', async () => {
    const refusals: [object | string, number, string][] = [
      [{ title: ' ' }, 400, 'title_required'],
      [{ title: 'x', passcode: 'abc' }, 400, 'passcode_too_short'],
      [{ title: 'x', context: 'x'.repeat(65_537) }, 400, 'context_too_large'],
      [{ title: 'x', metadata: { '.': 'x' } }, 400, 'invalid_arg'],
      [{ title: 'x', html: 'x' }, 400, 'invalid_arg'],
      [{ title: 'x', expires_at: service.clock.now() }, 400, 'invalid_arg'],
      [{ title: 'x', if_match: '"1"' }, 400, 'invalid_arg'],
      [{ slug: 'a/b' }, 400, 'invalid_slug'],
      [{ slug: 7 }, 400, 'invalid_arg'],
      [{ slug: 'nosuchslug00' }, 404, 'not_found'],
      [[], 400, 'invalid_arg'],
    ];
    for (const [body, status, code] of refusals) expectError(await ask(body as object), status, code);
    const { slug } = await owner.create();
    expectError(await ask({ slug, if_match: '"2"' }), 412, 'version_conflict');
    expectError(await ask({ slug, if_match: 'x' }), 400, 'invalid_arg');
    expect((await ask({ slug, if_match: '1' })).status).to.equal(201);
    expectError(await ask({ slug, passcode: 'abcd' }), 400, 'invalid_arg');
    expectError(await ask({ slug }, await service.newOwner()), 404, 'not_found');
  });

  it('a refused document leaves the address usable: empty, not UTF-8, too large, wrong type, conflict, caps', async () => {
    const path = await addressFor({ title: 'A report' });
    expectError(await put(path, ''), 400, 'html_required');
    expect(expectError(await put(path, Buffer.from('<p>\xff', 'latin1')), 400, 'invalid_arg').field).to.equal(
      'html',
    );
    expectError(await put(path, Buffer.alloc(3 * 1024 * 1024, 'x')), 400, 'html_too_large');
    for (const [name, value] of [
      ['content-type', 'text/html; charset=utf-16'],
      ['content-type', 'text/plain'],
      ['content-type', 'multipart/form-data; boundary=x'],
      ['content-encoding', 'gzip'],
    ] as const)
      expectError(await put(path, page, { [name]: value }), 415, 'invalid_json');
    const { slug } = await owner.create();
    const version = await addressFor({ slug, if_match: '"1"' });
    await owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'Meanwhile' } });
    expectError(await put(version), 412, 'version_conflict');
    const second = await owner.create();
    await owner.create();
    expectTooMany(await put(path), 'quota_exceeded');
    await owner.request('DELETE', `/api/drops/${second.slug}`);
    const published = await put(path, page, { 'content-type': 'application/octet-stream' });
    expect(published.status, published.text).to.equal(201);
    const late = await addressFor({ slug });
    expectTooMany(await put(late), 'daily_quota_exceeded');
  });

  it('counts for the minute of the account that asked', async () => {
    const answers: Answer[] = [];
    for (let n = 0; n <= 60; n++) answers.push(await put(await addressFor({ title: 'A report' }), ''));
    const last = answers.pop();
    for (const answer of answers) expectError(answer, 400, 'html_required');
    expectTooMany(last as Answer, 'rate_limited'); // proof: the loop has run
    expectTooMany(await owner.post(), 'rate_limited');
  });

  it('a document that does not arrive whole costs its owner no write, and the address stays usable', async () => {
    const path = await addressFor({ title: 'A report' });
    const unfinished: Connection[] = [];
    for (let n = 0; n < 200; n++) {
      const connection = await service.connect();
      unfinished.push(connection);
      await connection.send(`${service.head('PUT', path, { 'content-length': '100' })}<p>`);
    }
    for (let n = 0; n < 20; n++) await service.get('/healthz'); // they were read
    expect(await writesLeft()).to.equal(60);
    service.clock.advance(minutes);
    expect((await put(path)).status).to.equal(201);
    for (const connection of unfinished) connection.close();
  });

  it('refused documents of one address cost its owner 10 writes in 10 minutes at most', async () => {
    const path = await addressFor({ title: 'A report' });
    for (let n = 0; n < 10; n++) expectError(await put(path, ''), 400, 'html_required');
    for (let n = 0; n < 60; n++) expectTooMany(await put(path, n % 2 === 0 ? page : ''), 'rate_limited');
    expect(await writesLeft()).to.equal(50);
    service.clock.advance(10 * minutes - 1);
    expect((await put(await addressFor({ title: 'Another' }))).status).to.equal(201);
  });

  /** How many writes of the minute the account has left: an invalid one takes one, and none of the day. */
  async function writesLeft(): Promise<number> {
    const invalid = () => owner.request('POST', '/api/drops', { body: {} });
    const answers = await Promise.all(Array.from({ length: 60 }, invalid));
    return answers.filter(({ status }) => status === 400).length;
  }

  it('what follows a published document costs its owner no write: 10 repeats in 10 minutes, then 429', async () => {
    const path = await addressFor({ title: 'A report' });
    const first = await put(path);
    expect(first.status).to.equal(201);
    for (let n = 0; n < 5; n++) {
      expect((await put(path)).body).to.deep.equal(first.body);
      expectError(await put(path, `${page} ${n}`), 409, 'upload_used');
    }
    const refused = await Promise.all(['', page, `${page}!`].map((raw) => put(path, raw)));
    for (const answer of refused) expectTooMany(answer, 'rate_limited');
    const another = await put(await addressFor({ title: 'Another' }));
    expect(another.status, 'another address').to.equal(201);
    expect(await writesLeft()).to.equal(58);
  });

  it('at most 100 in 10 minutes, because a context is stored before the day and the caps are checked', async () => {
    for (let at = 0; at < 100; at++) await addressFor({ title: 'A report' });
    expectTooMany(await ask({ title: 'A report' }), 'rate_limited');
    expect((await ask({ title: 'A report' }, await service.newOwner())).status).to.equal(201);
    service.clock.advance(10 * minutes);
    expect((await ask({ title: 'A report' })).status).to.equal(201);
  });

  it('neither the secret nor the passcode is stored or logged, and the upload is removed', async () => {
    const path = await addressFor({ title: 'x', context: 'NEEDLE-context', passcode: 'NEEDLE-passcode' });
    const secret = path.slice(3);
    await put(path, '');
    const stored = async () =>
      Buffer.concat([...(await readAtRest(service.config)).values()]).toString('latin1');
    const before = await stored();
    expect(before)
      .to.include('NEEDLE-context')
      .and.to.not.include('NEEDLE-passcode')
      .and.to.not.include(secret);
    expect(service.logs.join()).to.include('/u/***').and.to.not.include(secret);
    service.clock.advance(16 * minutes);
    await service.settle();
    await service.restart(); // empties the write-ahead log
    expect(await stored()).to.not.include('NEEDLE-context');
  });
});
