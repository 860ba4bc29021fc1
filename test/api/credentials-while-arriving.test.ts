import { expect } from 'chai';
import type { Engine } from '../../shared/engines/engine.ts';
import type { Answer } from '../support/client.ts';
import { openDashboard } from '../support/dashboard.ts';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { type Owner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

const operator = { by: 'root', reason: null };

describe('Credentials that end while a request is under way', () => {
  /** How often sessions, and the tokens of uploads, were looked up. */
  let reads = 0;
  const gate = createGate();
  afterEach(() => gate.open());

  function counting<T extends object>(port: T): T {
    return new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (name !== 'findByHash') return method.bind(target);
        return async (...args: unknown[]) => {
          const found = await method.apply(target, args);
          reads += 1;
          return found;
        };
      },
    });
  }

  const service = useService({}, (engine: Engine): Engine => {
    const { sessions, tokens, signIns } = engine;
    const counted = { sessions: counting(sessions), tokens: counting(tokens) };
    return { ...engine, ...counted, signIns: gate.wrap(signIns, ['expireByAccount']) };
  });

  /** Sends the head, waits until the credential was read, lets it end, and sends the body. */
  async function sendAround(
    [method, path, headers]: [method: string, path: string, headers: Record<string, string>],
    body: string,
    end: () => Promise<unknown>,
  ): Promise<Answer> {
    const connection = await service.connect();
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const before = reads;
    await connection.send(service.head(method, path, { ...headers, ...length }));
    await until(() => reads > before, 'the credential is known');
    await end();
    await connection.send(body);
    const answer = await connection.answer();
    connection.close();
    return answer;
  }

  const suspend = async (owner: Owner) =>
    service.services.moderation.suspend(await service.accountOf(owner), operator);

  it('a session whose account is suspended while its form arrives writes nothing: 403 forbidden', async () => {
    const { owner, slug } = await service.newDrop();
    const person = await openDashboard(service, owner);
    const fields = { description: '', tags: '', expires: '', comments: 'owner', if_match: '*' };
    const form = new URLSearchParams({ ...fields, form_token: person.formToken, title: 'Late' }).toString();
    const headers = {
      cookie: person.cookie,
      origin: service.url,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const send = (end: () => Promise<unknown>) =>
      sendAround(['POST', `/drops/${slug}/edit`, headers], form, end);
    expect((await send(async () => undefined)).status, 'it writes otherwise').to.equal(303);
    await owner.request('PATCH', `/api/drops/${slug}`, { body: { title: 'Before' } });
    expectError(await send(() => suspend(owner)), 403, 'forbidden');
    expect((await owner.get(`/api/drops/${slug}`)).body.title).to.equal('Before');
  });

  for (const [what, end, status, code] of [
    ['whose token is revoked', revoke, 404, 'not_found'],
    ['whose account is suspended', suspend, 403, 'forbidden'],
  ] as const)
    it(`an upload ${what} while the document arrives publishes nothing: ${status} ${code}`, async () => {
      const owner = await service.newOwner();
      const other = await service.newToken(owner);
      const { slug } = await owner.create();
      for (const target of [{ slug }, { title: 'A new drop' }]) {
        const made = await owner.request('POST', '/api/uploads', { body: target });
        const { pathname } = new URL(made.body.upload_url);
        const request: [string, string, Record<string, string>] = [
          'PUT',
          pathname,
          { 'content-type': 'text/html' },
        ];
        if ('title' in target)
          expectError(await sendAround(request, '<p>Late', () => end(owner)), status, code);
        else expect((await sendAround(request, '<p>In time', async () => undefined)).status).to.equal(200);
      }
      const { data } = (await other.get('/api/drops')).body;
      expect(data).to.have.length(1);
      expect(data[0]).to.include({ slug, latest_version: 2 });
    });

  async function revoke(owner: Owner) {
    const { body } = await owner.get('/api/me');
    expect((await owner.request('DELETE', `/api/tokens/${body.token?.id}`)).status).to.equal(204);
  }

  it('revoking all tokens leaves none to a poll that comes between the two steps of it', async () => {
    const owner = await service.newOwner();
    const account = await service.accountOf(owner);
    const { signIns, moderation } = service.services;
    const { body } = await service.request('POST', '/api/auth/start', { body: {} });
    const signIn = await signIns.findByCode(body.code);
    await signIns.approve(signIn?.id ?? '', owner.userId);
    gate.hold();
    const revoking = moderation.revokeTokens(account, operator);
    await until(() => gate.waiting() === 1, 'sign-ins are about to end');
    const polled = (await service.get(`/api/auth/poll?token=${body.poll_token}`)).body;
    gate.open();
    await revoking;
    expect(polled.status).to.equal('verified');
    expectError(
      await service.request('GET', '/api/drops', { token: polled.api_token }),
      401,
      'invalid_token',
    );
  });
});
