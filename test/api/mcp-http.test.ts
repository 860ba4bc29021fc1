import { expect } from 'chai';
import type { Engine } from '../../shared/engines/engine.ts';
import { createPlainClient } from '../support/client.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { type Owner, useOwner, useService, useServices } from '../support/service.ts';
import type { WireToken } from '../support/wire.ts';

const accept = { accept: 'application/json, text/event-stream' };
const publishing = { name: 'publish_drop', arguments: { title: 'A page', html: '<p>One' } };

/** A message of revision 2025-11-25. */
const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const call = (params: object) => message('tools/call', params);

/** A message of revision 2026-07-28, which tells with each request what older revisions told at first. */
function modern(method: string, params: object = {}) {
  const about = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { ...accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  return { body: message(method, { ...params, _meta: about }), headers };
}

describe('POST /mcp over HTTP', () => {
  const service = useService();
  const owner = useOwner(service);
  const send = (owner: Owner, body: unknown, headers = {}) =>
    owner.request('POST', '/mcp', { body, headers: { ...accept, ...headers } });
  /** What the library answers has no envelope: it is an error of JSON-RPC. */
  const plainly = async (owner: Owner, body: unknown, headers = {}) => {
    const client = createPlainClient(service.url);
    const options = { token: owner.token, body, headers: { ...accept, ...headers } };
    return client.request('POST', '/mcp', options).finally(client.close);
  };
  const dropsOf = async (owner: Owner) => (await owner.get('/api/drops')).body.pagination.total_items;

  it('405 with Allow: POST for every other method', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']) {
      const answer = await service.request(method, '/mcp', { headers: accept });
      expect(answer.status).to.equal(405);
      expect(answer.headers.allow).to.equal('POST');
    }
  });

  it('403 for a page of another origin (DNS rebinding), also with a token; the service itself may', async () => {
    for (const origin of ['https://evil.example', 'null', `${service.url}.evil.example`]) {
      expectError(await send(owner, call(publishing), { origin }), 403, 'forbidden');
    }
    expect(await dropsOf(owner)).to.equal(0);
    const answer = await send(owner, call(publishing), { origin: service.url });
    expect(answer.status).to.equal(200);
    expect(answer.headers).not.to.have.property('access-control-allow-origin');
  });

  it('answers 2025-11-25 with an event, 2026-07-28 with JSON, and never with a session', async () => {
    const older = await send(owner, call(publishing), { 'mcp-session-id': 'x' });
    expect(older.headers).to.include({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const newer = modern('tools/call', publishing);
    const answer = await send(owner, newer.body, { ...newer.headers, 'mcp-name': 'publish_drop' });
    expect(answer.headers['content-type']).to.equal('application/json');
    expect(answer.body).to.have.nested.property('result.structuredContent.latest_version', 1);
    for (const { headers } of [older, answer]) expect(headers).not.to.have.property('mcp-session-id');
    expect((await send(owner, message('server/discover'))).text).to.include('-32601');
    const discover = modern('server/discover');
    const discovered = await send(owner, discover.body, discover.headers);
    expect(discovered.body).to.have.deep.nested.property('result.supportedVersions', ['2026-07-28']);
  });

  it('202 without a body for notifications and answers', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 5, result: {} },
    ]) {
      const answer = await send(owner, body);
      expect([answer.status, answer.text]).to.deep.equal([202, '']);
    }
  });

  it('refuses batches: one of a hundred calls makes nothing', async () => {
    for (const body of [Array(100).fill(call(publishing)), []])
      expectError(await send(owner, body), 400, 'invalid_arg');
    expect(await dropsOf(owner)).to.equal(0);
  });

  it('refuses what is no message, and tells no more than that', async () => {
    for (const body of [
      ...[5, null, 'x', {}, { jsonrpc: '2.0', id: { a: 1 }, method: 'tools/list' }],
      ...[
        { jsonrpc: '1.0', id: 1, method: 'tools/list' },
        { id: 1, method: 'tools/call', params: publishing },
      ],
    ]) {
      const answer = await plainly(owner, body);
      expect(answer.status, JSON.stringify(body)).to.equal(400);
      expect(answer.body).to.have.nested.property('error.code', -32600);
    }
    for (const method of ['nope', '__proto__', 'constructor', 'subscriptions/listen', 'resources/list']) {
      expect((await send(owner, message(method))).text).to.include('"code":-32601');
    }
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const refused = await send(owner, listen.body, listen.headers);
    expect(refused.body).to.have.nested.property('error.message', 'Subscription limit reached');
    expect((await plainly(owner, call(publishing), { accept: 'text/html' })).status).to.equal(406);
    expect(await dropsOf(owner)).to.equal(0);
  });

  it('tools named like parts of objects are unknown, and so are their arguments', async () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await send(owner, call({ name }))).text).to.include('No such tool');
    const raw = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_drops","arguments":{"__proto__":{"x":1}}}}`;
    const answer = await owner.request('POST', '/mcp', { raw, headers: accept });
    expect(answer.text).to.match(/no argument|"data":\[\]|\\"data\\":\[\]/);
  });

  it('control characters of arguments come back escaped', async () => {
    const args = { title: 'x', html: 'x', 'a\u0000\u001b[31m\r\n\r\ndata: {}\u2028': 1 };
    const { text } = await send(owner, call({ name: 'publish_drop', arguments: args }));
    expect(text).to.include('no argument');
    expect(text.split('\n').filter((line) => line.startsWith('data:'))).to.have.length(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in the answer
    expect(text).not.to.match(/[\u0000\u001b]/);
  });

  it('a flood of _meta, of depth or of members is refused before it is parsed', async () => {
    const flood = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`k${at}`, at]));
    const deep = JSON.parse('['.repeat(20) + ']'.repeat(20));
    for (const _meta of [flood, { deep }])
      expectError(await send(owner, message('tools/list', { _meta })), 400, 'invalid_json');
    const text = { 'content-type': 'text/plain' };
    expectError(await send(owner, message('tools/list'), text), 415, 'invalid_json');
    expectError(await owner.request('POST', '/mcp', { raw: '{', headers: accept }), 400, 'invalid_json');
  });

  it('a body above 256 KB counts as one write before it is read, and needs Content-Length', async () => {
    const large = call({ name: 'publish_drop', arguments: { title: 'x', html: 'x'.repeat(300_000) } });
    for (let at = 0; at < 59; at++) await owner.post();
    const chunked = { 'content-length': '', 'transfer-encoding': 'chunked' };
    const refused = await send(owner, large, chunked);
    expectError(refused, 411, 'invalid_arg');
    expect((await send(owner, large)).text).to.include('latest_version');
    const head = { ...accept, authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    expectTooMany(
      await service.sendHead('POST', '/mcp', { ...head, 'content-length': '300000' }),
      'rate_limited',
    );
    const tooLarge = await service.sendHead('POST', '/mcp', { ...head, 'content-length': '99999999' });
    expect(tooLarge.status).to.equal(429);
    const small = await send(owner, call(publishing), chunked);
    expect(small.text).to.include('rate_limited').and.include('retry_after_seconds');
  });

  it('the limits of the API: writes, other changes, suspended accounts, revoked tokens; reading is free', async () => {
    const slug = (await owner.create()).slug;
    const locking = { name: 'set_passcode', arguments: { slug, passcode: '' } };
    for (let at = 0; at < 59; at++) await owner.post();
    for (const name of ['publish_drop', 'update_drop', 'restore_version']) {
      const { text } = await send(owner, call({ name, arguments: { slug, html: 'x' } }));
      expect(text, name).to.include('rate_limited');
    }
    expect((await send(owner, call(locking))).text).to.include('"locked":false');

    const [account] = await service.services.moderation.findAccounts(owner.userId);
    if (account === undefined) throw new Error('there is no such account');
    await service.services.moderation.suspend(account, { by: 'root', reason: null });
    for (const params of [publishing, locking])
      expect((await send(owner, call(params))).text).to.include('This account is suspended');
    expect((await send(owner, call({ name: 'get_drop', arguments: { slug } }))).text).to.include('"etag"');
  });

  for (const params of [publishing, { name: 'list_drops' }]) {
    it(`${params.name}: 401 for a token that is revoked while the body arrives`, async () => {
      const other = await service.newToken(owner);
      const body = Buffer.from(JSON.stringify(call(params)));
      const connection = await service.connect();
      const head = { ...accept, authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
      await connection.send(service.head('POST', '/mcp', { ...head, 'content-length': String(body.length) }));
      const find = async () =>
        (await other.get<WireToken[]>('/api/tokens')).body.find(({ label }) => label === 'test');
      await service.eventually(async () => {
        expect((await find())?.last_used_at).to.be.a('number');
      });
      await other.request('DELETE', `/api/tokens/${(await find())?.id}`);
      await connection.send(body);
      const answer = await connection.answer();
      expect([answer.status, answer.text.includes('invalid_token')]).to.deep.equal([401, true]);
      connection.close();
      expect(await dropsOf(other)).to.equal(0);
    });
  }
});

describe('A failure inside a tool', () => {
  const startOwn = useServices();

  it('is logged whole, and the client gets internal_error', async () => {
    const secret = 'mongodb://user:hunter2@db';
    const adaptEngine = (engine: Engine): Engine => ({
      ...engine,
      drops: { ...engine.drops, list: () => Promise.reject(new Error(secret)) },
    });
    const service = await startOwn({ adaptEngine });
    const owner = await service.newOwner();
    const { text } = await owner.request('POST', '/mcp', {
      body: call({ name: 'list_drops' }),
      headers: accept,
    });
    expect(text).to.include('internal_error').and.not.include('hunter2');
    expect(service.logs.join('\n')).to.include('hunter2').and.include('list_drops');
  });
});
