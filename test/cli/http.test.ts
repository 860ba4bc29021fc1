import { expect } from 'chai';
import { CliError } from '../../cli/errors.ts';
import { isRecord } from '../../cli/guards.ts';
import type { ApiRequest } from '../../cli/http.ts';
import { findDeadUrl } from '../support/listen.ts';
import { type Answer, useApi } from './api.ts';

describe('requests of the client', () => {
  const server = useApi();

  const answerJson =
    (status: number, body: object, headers: Record<string, string> = {}): Answer =>
    (res) =>
      res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const refuse = (status: number, code: string, headers: Record<string, string> = {}) =>
    answerJson(status, { error: { code, message: 'No', details: { limit: 1 } } }, headers);
  const done = answerJson(200, { ok: true });
  const cut: Answer = (res) => res.destroy();
  const keyed: ApiRequest = { json: {}, headers: { 'Idempotency-Key': 'k' } };

  it('send the token and the name of the client, and read JSON', async () => {
    server.answers = [done];
    const answer = await server.request('GET', '/api/me', { query: { a: 'b c', left: undefined } });
    expect(answer.status).to.equal(200);
    expect(answer.json(isRecord)).to.deep.equal({ ok: true });
    expect(server.requests[0]?.url).to.equal('/api/me?a=b+c');
    expect(server.requests[0]?.headers).to.include({
      authorization: 'Bearer dl_secret',
      'user-agent': 'dropleaf/1.2.3',
    });
  });

  it('send no token where none is needed', async () => {
    server.answers = [done];
    await server.request('POST', '/api/auth/start', { isPublic: true });
    expect(server.requests[0]?.headers).to.not.have.property('authorization');
  });

  it('follow no redirect, so that the token stays where it belongs', async () => {
    server.answers = [(res) => res.writeHead(307, { location: 'https://evil.example/' }).end()];
    expect((await server.failure('GET')).message).to.match(
      /answered with a redirect to https:\/\/evil\.example\/: is this the address of a Dropleaf service\?/,
    );
    expect(server.requests).to.have.length(1);
  });

  it('never leave the origin, whatever the path', async () => {
    for (const path of ['//evil.example/x', 'https://evil.example/x', '\\\\evil.example\\x']) {
      const error = await server.request('GET', path).catch((reason: unknown) => reason);
      expect(String(error)).to.contain('is not a path of');
    }
    expect(server.requests).to.have.length(0);
  });

  it('of a service that refuses throw its message, code, details and Retry-After', async () => {
    server.answers = [refuse(412, 'version_conflict', { 'retry-after': '7' })];
    const { message, status, code, details, retryAfterSeconds, exitCode } = await server.failure('PUT');
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
    server.answers = [refuse(401, 'invalid_token')];
    expect((await server.failure('GET')).exitCode).to.equal(4);
  });

  it('wait as Retry-After says on 429, also without a key, and say so', async () => {
    server.answers = [refuse(429, 'rate_limited', { 'retry-after': '42' }), done];
    await server.request('POST', '/api/x', { json: {} });
    expect(server.waits).to.deep.equal([42]);
    expect(server.notes).to.deep.equal(['No (rate_limited). Trying again in 42 s.']);
  });

  it('do not wait for longer than 65 s, nor for a limit that time does not change', async () => {
    server.answers = [refuse(429, 'daily_quota_exceeded', { 'retry-after': '66' })];
    expect((await server.failure('GET')).retryAfterSeconds).to.equal(66);
    server.answers = [refuse(429, 'quota_exceeded', { 'retry-after': '1' })];
    expect((await server.failure('POST', keyed)).code).to.equal('quota_exceeded');
    expect(server.requests).to.have.length(2);
  });

  it('are repeated four times with growing pauses while the service is down', async () => {
    server.answers = [refuse(503, 'unavailable')];
    expect((await server.failure('GET')).status).to.equal(503);
    expect(server.requests).to.have.length(5);
    server.waits.forEach((seconds, n) => void expect(seconds).to.be.within(0.375 * 2 ** n, 0.625 * 2 ** n));
  });

  it('with their repeats stay within the timeout, except for what a limit asks to wait for', async () => {
    server.answers = [refuse(503, 'unavailable', { 'retry-after': '42' })];
    await server.failure('POST', keyed);
    expect(server.waits).to.deep.equal([42]);
    server.waits = [];
    server.answers = [refuse(429, 'rate_limited', { 'retry-after': '42' })];
    await server.failure('POST', keyed);
    expect(server.waits).to.deep.equal([42, 42, 42, 42]);
  });

  it('with a key are repeated after a lost connection, with the same key', async () => {
    server.answers = [cut, refuse(409, 'idempotency_key_in_use', { 'retry-after': '1' }), done];
    await server.request('POST', '/api/x', keyed);
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).to.deep.equal(['k', 'k', 'k']);
  });

  for (const [what, answer] of [
    ['a lost connection', cut],
    ['503', refuse(503, 'unavailable')],
  ] as const) {
    it(`that change something without a key are not repeated after ${what}`, async () => {
      server.answers = [answer, done];
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        server.answers = [answer];
        await server.failure(method);
      }
      expect(server.requests).to.have.length(4);
    });
  }

  it('of something that is no Dropleaf service say so', async () => {
    server.answers = [(res) => res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here')];
    expect((await server.failure('GET')).message).to.match(
      /answered with status 404: is this the address of/,
    );
  });

  it('of something that answers 200 without the JSON of a service say so when it is needed', async () => {
    const html: Answer = (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    const none: Answer = (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('null');
    for (const [answer, problem] of [
      [html, 'is not JSON'],
      [none, 'is not what a Dropleaf service answers'],
    ] as const) {
      server.answers = [answer];
      const found = await server.request('GET', '/api/x');
      expect(() => found.json(isRecord)).to.throw(CliError, problem);
      expect(found.bytes.length).to.be.above(0);
    }
  });

  it('over https to a service that speaks http say so', async () => {
    const misled = server.apiWith({ url: server.apiUrl.replace('http:', 'https:') });
    const error = await misled.request('GET', '/').catch((reason: unknown) => reason);
    expect(String(error)).to.match(/cannot reach https:\S+: it does not answer over https$/);
  });

  it('to a port where nothing answers say so', async () => {
    const url = await findDeadUrl();
    const nowhere = server.apiWith({ url });
    const error = await nowhere.request('GET', '/').catch((reason: unknown) => reason);
    expect(String(error)).to.contain(`cannot reach ${url}: nothing answers there`);
  });
});
