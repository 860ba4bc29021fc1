import { expect } from 'chai';
import type { Engine } from '../../shared/engines/engine.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { createPlainClient } from '../support/client.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { connectMcp, revisions } from '../support/mcp.ts';
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
  const listTools = (revision: (typeof revisions)[number], accept: string) => {
    const { body, headers } =
      revision === '2025-11-25' ? { body: message('tools/list'), headers: {} } : modern('tools/list');
    return owner.request('POST', '/mcp', { body, headers: { ...headers, accept } });
  };
  const dropsOf = async (owner: Owner) => (await owner.get('/api/drops')).body.pagination.total_items;

  it('405 with Allow: POST for every other method', async () => {
    for (const path of ['/mcp', '/mcp/', '/mcp/?a=1'])
      for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']) {
        const answer = await service.request(method, path, { headers: accept });
        expect(answer.status).to.equal(405);
        expect(answer.headers.allow).to.equal('POST');
        expect(answer.headers).not.to.have.property('access-control-allow-origin');
      }
  });

  it('/mcp/ is /mcp: the same answers, checks, limits and log, and no redirect', async () => {
    const own = service.config.BASE_URL;
    const path = '/mcp/';
    const to = (body: unknown, headers = {}, at = path) =>
      owner.request('POST', at, { body, headers: { ...accept, ...headers } });
    for (const at of [path, '/mcp/?session=1', `${own}/mcp/`])
      expect((await to(call(publishing), {}, at)).text, at).to.include('"latest_version":1');
    for (const revision of revisions) {
      const { sdk, call } = await connectMcp({ url: service.url }, owner, revision, path);
      expect((await call('list_drops')).error).to.equal(null);
      await sdk.close();
    }
    expectError(await to(call(publishing), { origin: 'https://evil.example' }), 403, 'forbidden');
    expect((await to(call(publishing), { origin: own })).status).to.equal(200);
    const options = { body: call(publishing), headers: accept };
    expectError(await service.request('POST', path, options), 401, 'unauthorized');
    for (const at of ['/mcp//', '/mcp/x', '/mcp/.', '/MCP/'])
      expectError(await to(call(publishing), {}, at), 404, 'not_found');
    const large = call({ name: 'publish_drop', arguments: { title: 'x', html: 'x'.repeat(300_000) } });
    expectError(
      await to(large, { 'content-length': '', 'transfer-encoding': 'chunked' }),
      411,
      'invalid_arg',
    );
    for (let at = 0; at < 60; at++) await owner.post();
    expectTooMany(await to(large), 'rate_limited');
    await service.eventually(async () => {
      expect(service.logs.filter((line) => line.includes("path: '/mcp'"))).not.to.have.length(0);
      expect(service.logs.join('\n')).not.to.include("path: '/mcp/'");
    });
  });

  it('Accept: JSON or an event stream, as the client accepts them; 406 if neither', async () => {
    const json = 'application/json';
    const stream = 'text/event-stream';
    const asRevision = null;
    for (const [given, expected] of [
      ['application/json, text/event-stream', asRevision],
      ['text/event-stream, application/json', asRevision],
      ['Application/JSON, Text/Event-Stream', asRevision],
      ['application/json;q=0.9,text/event-stream;q=0.5', asRevision],
      ['', json],
      ['  ', json],
      [',', json],
      ['*/*', json],
      ['*', json],
      ['text/html, image/gif, *; q=.2, */*; q=.2', json],
      ['application/*', json],
      ['APPLICATION/*', json],
      ['application/json', json],
      ['APPLICATION/JSON', json],
      ['application/json; charset=utf-8', json],
      ['application/json;charset=utf-8;q=0.5', json],
      ['application/json, text/plain, */*', json],
      ['text/event-stream', stream],
      ['TEXT/EVENT-STREAM;q=1.0', stream],
      ['text/*', stream],
      ['text/html,'.repeat(1_400), json],
      ['application/json;q=0, text/event-stream', stream],
      ['application/json;Q=0, */*', stream],
      ['text/event-stream;q=0, application/json', json],
      ['text/event-stream;q=0.000, */*;q=0.1', json],
      ['text/html', 406],
      ['application/xml, text/html;q=0.9', 406],
      ['*/*;q=0', 406],
      ['application/json;q=0', 406],
      ['application/json;q=0, text/event-stream;q=0', 406],
      ['application/*;q=0, text/html', 406],
    ] as const)
      for (const revision of revisions) {
        const answer = await listTools(revision, given);
        const about = `${revision} Accept: ${given}`;
        if (expected === 406) {
          expect(answer.status, about).to.equal(406);
          continue;
        }
        expect(answer.status, about).to.equal(200);
        const usual = revision === '2025-11-25' ? stream : json;
        expect(answer.headers['content-type'], about).to.equal(expected ?? usual);
        const [, data = answer.text] = /^event: message\ndata: (.*)\n\n$/.exec(answer.text) ?? [];
        expect(JSON.parse(data).result.tools, about).to.have.length(14);
      }
    const refused = await listTools('2025-11-25', 'image/png');
    expectError(refused, 406, 'invalid_arg');
    expect(refused.text).to.include('"header":"Accept"');
  });

  it('Accept in several headers counts as one list', async () => {
    const body = JSON.stringify(message('tools/list'));
    for (const [lines, status] of [
      [['application/json', 'text/event-stream'], 200],
      [['text/html', '*/*;q=0.1'], 200],
      [['text/html', 'image/png'], 406],
    ] as const) {
      const connection = await service.connect();
      const head = service.head('POST', '/mcp', {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
        'content-length': String(body.length),
      });
      const accepts = lines.map((line) => `Accept: ${line}\r\n`).join('');
      await connection.send(head.replace(/\r\n\r\n$/, `\r\n${accepts}\r\n`) + body);
      expect((await connection.answer()).status, lines.join()).to.equal(status);
      connection.close();
    }
  });

  it('errors, notifications and tools that wait are answered in the accepted form, too', async () => {
    for (const [given, type] of [
      ['application/json', 'application/json'],
      ['text/event-stream', 'text/event-stream'],
    ] as const) {
      const headers = { accept: given };
      const unknown = await owner.request('POST', '/mcp', { body: message('nope'), headers });
      expect([unknown.status, unknown.headers['content-type']]).to.deep.equal([200, type]);
      expect(unknown.text).to.include('-32601');
      const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const noted = await owner.request('POST', '/mcp', { body, headers });
      expect([noted.status, noted.text]).to.deep.equal([202, '']);
      expect(noted.headers).not.to.have.property('content-type');
      const wrong = await plainly(owner, { jsonrpc: '1.0', id: 1, method: 'tools/list' }, headers);
      expect([wrong.status, wrong.headers['content-type']]).to.deep.equal([400, 'application/json']);
      expect(wrong.body).to.have.nested.property('error.code', -32600);
      const waiting = call({ name: 'list_comments', arguments: { wait: 1 } });
      const waited = await owner.request('POST', '/mcp', { body: waiting, headers });
      expect(waited.headers['content-type']).to.equal(type);
      expect(waited.text).to.include('"data":[]');
      const line = call({ name: 'publish_drop', arguments: { title: 'a\n\ndata: x\u2028', html: 'x' } });
      const published = await owner.request('POST', '/mcp', { body: line, headers });
      const data = type === 'application/json' ? published.text : published.text.split('\n')[1]?.slice(6);
      expect(JSON.parse(data ?? '').result.structuredContent.latest_version).to.equal(1);
    }
  });

  it('params, arguments and what stands beside them may be null, and arguments their JSON text', async () => {
    const ask = async (body: unknown) =>
      (
        await owner.request<{ result?: Record<string, unknown>; error?: object }>('POST', '/mcp', {
          body,
          headers: { accept: 'application/json' },
        })
      ).body;
    for (const params of [null, {}, { cursor: null }, { _meta: null }, { _meta: { progressToken: null } }])
      expect(
        (await ask({ ...message('tools/list'), params })).result?.tools,
        JSON.stringify(params),
      ).to.be.an('array');
    for (const args of [null, '', '{}', 'null', undefined, {}]) {
      const { result } = await ask(call({ name: 'list_drops', arguments: args, _meta: null }));
      expect(result, JSON.stringify(args)).not.to.have.property('isError');
    }
    const text = JSON.stringify({ ...publishing.arguments, metadata: '{"team":"a"}', passcode: null });
    const published = await ask(call({ name: 'publish_drop', arguments: text }));
    expect(published.result).to.have.deep.nested.property('structuredContent.metadata', { team: 'a' });
    const begun = await ask(
      message('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: { roots: null, sampling: null, experimental: null },
        clientInfo: { name: 'host', version: '1', title: null, icons: null, websiteUrl: null },
        _meta: null,
      }),
    );
    expect(begun.result).to.include({ protocolVersion: '2025-11-25' });
    for (const args of ['[]', '5', '"x"', 'x', '{"title":', []]) {
      const { error, result } = await ask(call({ name: 'publish_drop', arguments: args }));
      expect(error, JSON.stringify(args)).to.be.an('object');
      expect(result).to.equal(undefined);
    }
    const { headers, body } = modern('tools/call', { ...publishing, arguments: null });
    const modernly = await owner.request('POST', '/mcp', {
      body: body,
      headers: { ...headers, 'mcp-name': 'publish_drop' },
    });
    expect(modernly.text).to.include('html_required');
  });

  it('arguments as a JSON text of more than a megabyte are read in a thread; one as deep as no body may be is not read', async () => {
    const headers = { accept: 'application/json' };
    const large = JSON.stringify({ title: 'x', html: 'x'.repeat(1_100_000) });
    const sent = await send(owner, call({ name: 'publish_drop', arguments: large }), headers);
    expect(sent.text).to.include('latest_version');
    const deep = `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const refused = await send(owner, call({ name: 'publish_drop', arguments: deep }), headers);
    expect(refused.text).to.include('"error"').and.not.include('latest_version');
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
      5,
      null,
      'x',
      {},
      { jsonrpc: '2.0', id: { a: 1 }, method: 'tools/list' },
      { jsonrpc: '1.0', id: 1, method: 'tools/list' },
      { id: 1, method: 'tools/call', params: publishing },
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
      drops: { ...methodsOf(engine.drops), list: () => Promise.reject(new Error(secret)) },
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
