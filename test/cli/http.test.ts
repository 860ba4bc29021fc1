import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { CliError } from '../../cli/errors.ts';
import { type Api, type ApiRequest, createApi } from '../../cli/http.ts';
import { isRecord } from '../../cli/shape.ts';

type Answer = (res: ServerResponse) => unknown;

describe('requests of the client', () => {
  let server: Server;
  let requests: IncomingMessage[];
  /** In turn; the last one is repeated. */
  let answers: Answer[];
  let waits: number[];
  let notes: string[];
  let api: Api;
  let url: string;

  before(async () => {
    server = createServer((req, res) => {
      requests.push(req);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      answer?.(res);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  });
  after(() => void server.close().closeAllConnections());
  beforeEach(() => {
    [requests, answers, waits, notes] = [[], [], [], []];
    api = createApi({
      url,
      version: '1.2.3',
      timeoutMs: 60_000,
      env: {},
      note: (text) => void notes.push(text),
      wait: async (seconds) => void waits.push(seconds),
      token: () => 'dl_secret',
      refused: () => new CliError('refused', { exitCode: 4 }),
    });
  });

  const answerJson =
    (status: number, body: object, headers: Record<string, string> = {}): Answer =>
    (res) =>
      res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const refuse = (status: number, code: string, headers: Record<string, string> = {}) =>
    answerJson(status, { error: { code, message: 'No', details: { limit: 1 } } }, headers);
  const done = answerJson(200, { ok: true });
  const cut: Answer = (res) => res.destroy();
  const keyed: ApiRequest = { json: {}, headers: { 'Idempotency-Key': 'k' } };

  async function failure(method: string, request?: ApiRequest): Promise<CliError> {
    const error = await api.request(method, '/api/x', request).then(
      () => new Error('it succeeded'),
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(CliError);
    return error as CliError; // checked above
  }

  it('send the token and the name of the client, and read JSON', async () => {
    answers = [done];
    const answer = await api.request('GET', '/api/me', { query: { a: 'b c', left: undefined } });
    expect(answer.status).to.equal(200);
    expect(answer.json(isRecord)).to.deep.equal({ ok: true });
    expect(requests[0]?.url).to.equal('/api/me?a=b+c');
    expect(requests[0]?.headers).to.include({
      authorization: 'Bearer dl_secret',
      'user-agent': 'dropleaf/1.2.3',
    });
  });

  it('send no token where none is needed', async () => {
    answers = [done];
    await api.request('POST', '/api/auth/start', { isPublic: true });
    expect(requests[0]?.headers).to.not.have.property('authorization');
  });

  it('follow no redirect, so that the token stays where it belongs', async () => {
    answers = [(res) => res.writeHead(307, { location: 'https://evil.example/' }).end()];
    expect((await failure('GET')).message).to.match(
      /answered with a redirect to https:\/\/evil\.example\/: is this the address of a Dropleaf service\?/,
    );
    expect(requests).to.have.length(1);
  });

  it('never leave the origin, whatever the path', async () => {
    for (const path of ['//evil.example/x', 'https://evil.example/x', '\\\\evil.example\\x']) {
      const error = await api.request('GET', path).catch((reason: unknown) => reason);
      expect(String(error)).to.contain('is not a path of');
    }
    expect(requests).to.have.length(0);
  });

  it('of a service that refuses throw its message, code, details and Retry-After', async () => {
    answers = [refuse(412, 'version_conflict', { 'retry-after': '7' })];
    const { message, status, code, details, retryAfterSeconds, exitCode } = await failure('PUT');
    expect({ message, status, code, details, retryAfterSeconds, exitCode }).to.deep.equal({
      message: 'No',
      status: 412,
      code: 'version_conflict',
      details: { limit: 1 },
      retryAfterSeconds: 7,
      exitCode: 6,
    });
  });

  it('that the service answers with 401 exit with 4', async () => {
    answers = [refuse(401, 'invalid_token')];
    expect((await failure('GET')).exitCode).to.equal(4);
  });

  it('wait as Retry-After says on 429, also without a key, and say so', async () => {
    answers = [refuse(429, 'rate_limited', { 'retry-after': '42' }), done];
    await api.request('POST', '/api/x', { json: {} });
    expect(waits).to.deep.equal([42]);
    expect(notes).to.deep.equal(['No (rate_limited). Trying again in 42 s.']);
  });

  it('do not wait for longer than 65 s, nor for a limit that time does not change', async () => {
    answers = [refuse(429, 'daily_quota_exceeded', { 'retry-after': '66' })];
    expect((await failure('GET')).retryAfterSeconds).to.equal(66);
    answers = [refuse(429, 'quota_exceeded', { 'retry-after': '1' })];
    expect((await failure('POST', keyed)).code).to.equal('quota_exceeded');
    expect(requests).to.have.length(2);
  });

  it('are repeated four times with growing pauses while the service is down', async () => {
    answers = [refuse(503, 'unavailable')];
    expect((await failure('GET')).status).to.equal(503);
    expect(requests).to.have.length(5);
    waits.forEach((seconds, n) => void expect(seconds).to.be.within(0.375 * 2 ** n, 0.625 * 2 ** n));
  });

  it('with their repeats stay within the timeout, except for what a limit asks to wait for', async () => {
    answers = [refuse(503, 'unavailable', { 'retry-after': '42' })];
    await failure('POST', keyed);
    expect(waits).to.deep.equal([42]);
    [waits, answers] = [[], [refuse(429, 'rate_limited', { 'retry-after': '42' })]];
    await failure('POST', keyed);
    expect(waits).to.deep.equal([42, 42, 42, 42]);
  });

  it('with a key are repeated after a lost connection, with the same key', async () => {
    answers = [cut, refuse(409, 'idempotency_key_in_use', { 'retry-after': '1' }), done];
    await api.request('POST', '/api/x', keyed);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).to.deep.equal(['k', 'k', 'k']);
  });

  for (const [what, answer] of [
    ['a lost connection', cut],
    ['503', refuse(503, 'unavailable')],
  ] as const) {
    it(`that change something without a key are not repeated after ${what}`, async () => {
      answers = [answer, done];
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        answers = [answer];
        await failure(method);
      }
      expect(requests).to.have.length(4);
    });
  }

  it('of something that is no Dropleaf service say so', async () => {
    answers = [(res) => res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here')];
    expect((await failure('GET')).message).to.match(/answered with status 404: is this the address of/);
  });

  it('of something that answers 200 without the JSON of a service say so when it is needed', async () => {
    const html: Answer = (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    const none: Answer = (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('null');
    for (const [answer, problem] of [
      [html, 'is not JSON'],
      [none, 'is not what a Dropleaf service answers'],
    ] as const) {
      answers = [answer];
      const found = await api.request('GET', '/api/x');
      expect(() => found.json(isRecord)).to.throw(CliError, problem);
      expect(found.bytes.length).to.be.above(0);
    }
  });

  it('over https to a service that speaks http say so', async () => {
    const misled = createApi({
      url: url.replace('http:', 'https:'),
      version: '1',
      timeoutMs: 60_000,
      env: {},
      note: () => undefined,
      wait: async () => undefined,
      token: () => 'x',
      refused: () => new CliError('refused'),
    });
    const error = await misled.request('GET', '/').catch((reason: unknown) => reason);
    expect(String(error)).to.match(/cannot reach https:\S+: it does not answer over https$/);
  });

  it('to a port where nothing answers say so', async () => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port } = unused.address() as AddressInfo; // it listens on a port
    await once(unused.close(), 'close');
    const nowhere = createApi({
      url: `http://127.0.0.1:${port}`,
      version: '1',
      timeoutMs: 60_000,
      env: {},
      note: () => undefined,
      wait: async () => undefined,
      token: () => 'x',
      refused: () => new CliError('refused'),
    });
    const error = await nowhere.request('GET', '/').catch((reason: unknown) => reason);
    expect(String(error)).to.contain(`cannot reach http://127.0.0.1:${port}: nothing answers there`);
  });
});
