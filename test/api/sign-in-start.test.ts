import { expect } from 'chai';
import { withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import type { Answer } from '../support/client.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { type TestService, useService, useServices } from '../support/service.ts';

const minute = 60_000;

async function start(service: TestService, body?: object) {
  const answer = await service.request('POST', '/api/auth/start', body === undefined ? {} : { body });
  expect(answer.status, answer.text).to.equal(200);
  return answer.body;
}

const poll = (service: TestService, token: string) => service.get(`/api/auth/poll?token=${token}`);

/** Approves without the pages. */
async function approve(service: TestService, code: string, name = 'ada'): Promise<string> {
  const { signIns } = service.services;
  const signIn = await signIns.findByCode(code);
  const account = await signIns.signInWith(withoutClaims({ provider: 'local', subject: name, name }));
  expect(await signIns.approve(signIn?.id ?? '', account.id)).to.equal(true);
  return account.id;
}

describe('POST /api/auth/start', () => {
  const service = useService({ SIGN_IN_STARTS_PER_MINUTE: '1000' });

  it('200: code, verification_url, poll_token, expires_in, poll_interval', async () => {
    const answer = await service.request('POST', '/api/auth/start', { body: { label: 'laptop' } });
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-type']).to.match(/^application\/json\b/);
    expect(answer.headers['cache-control']).to.equal('no-store');
    const { code, poll_token, ...rest } = answer.body;
    expect(code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(poll_token).to.be.a('string').with.length.at.least(32);
    expect(rest).to.deep.equal({
      verification_url: `${service.url}/sign-in?code=${code}`,
      expires_in: 600,
      poll_interval: 2,
    });
  });

  it('the scope is optional, and becomes the scope of the token; another one than all and publish: 400 with its field', async () => {
    for (const [body, kept] of [
      [{}, undefined],
      [{ scope: 'all' }, undefined],
      [{ scope: 'publish' }, 'publish'],
    ] as const) {
      const { code, poll_token } = await start(service, body);
      await approve(service, code);
      const { api_token: token } = (await poll(service, poll_token)).body;
      expect((await service.get('/api/me', { token })).body.token?.scope).to.equal(kept);
    }
    for (const scope of ['read', '', 'ALL', null, 7, ['publish'], {}]) {
      const answer = await service.request('POST', '/api/auth/start', { body: { scope } });
      expect(expectError(answer, 400, 'invalid_arg')).to.include({ field: 'scope' });
    }
  });

  it('the label is optional, and becomes the label of the token', async () => {
    const labels: readonly (readonly [body: object | undefined, kept: string | null])[] = [
      [undefined, null],
      [{}, null],
      [{ label: null }, null],
      [{ label: '' }, ''],
      [{ name: 'x' }, null],
      [{ label: 'laptop' }, 'laptop'],
      [{ label: '<b>"&\u202e\n' }, '<b>"&\u202e\n'],
      [{ label: '🍃'.repeat(100) }, '🍃'.repeat(100)],
    ];
    for (const [body, kept] of labels) {
      const { code, poll_token } = await start(service, body);
      await approve(service, code);
      const { api_token: token } = (await poll(service, poll_token)).body;
      expect((await service.get('/api/me', { token })).body.token?.label).to.equal(kept);
    }
  });

  it('400 invalid_arg for another label, and for a body that is not an object; 400 invalid_json', async () => {
    for (const label of [1, true, {}, ['x'], 'a\0b', 'x'.repeat(101)]) {
      const answer = await service.request('POST', '/api/auth/start', { body: { label } });
      const details = expectError(answer, 400, 'invalid_arg');
      expect(details, String(label)).to.include({ field: 'label' });
      if (String(label).length > 100) expect(details.max_length).to.equal(100);
    }
    for (const [raw, code] of [
      ...['[]', 'null', '"x"', '1'].map((text) => [text, 'invalid_arg'] as const),
      ['{', 'invalid_json'] as const,
    ])
      expectError(await service.request('POST', '/api/auth/start', { raw }), 400, code);
  });

  it('codes and poll tokens are unique', async () => {
    const started = await Promise.all(Array.from({ length: 50 }, () => start(service)));
    expect(new Set(started.map(({ code }) => code))).to.have.property('size', 50);
    expect(new Set(started.map(({ poll_token }) => poll_token))).to.have.property('size', 50);
  });
});

describe('the limit of started sign-ins', () => {
  const startOwn = useServices();
  const withService = async (
    env: Record<string, string>,
    test: (service: TestService, from: (address: string) => Promise<Answer>) => Promise<void>,
  ) => {
    const service = await startOwn({ env });
    const from = (address: string) =>
      service.request('POST', '/api/auth/start', { headers: { 'x-forwarded-for': address } });
    await test(service, from);
  };
  const behindProxy = (limit: string) => ({ TRUST_PROXY: '1', SIGN_IN_STARTS_PER_MINUTE: limit });

  it('429 rate_limited after 30 a minute from one address, also in parallel', () =>
    withService({}, async (service) => {
      const all = Array.from({ length: 40 }, () => service.request('POST', '/api/auth/start'));
      const answers = await Promise.all(all);
      expect(answers.filter(({ status }) => status === 200)).to.have.length(30);
      for (const answer of answers) if (answer.status !== 200) expectTooMany(answer, 'rate_limited', 30);
      service.clock.advance(minute);
      await start(service);
    }));

  it('403 forbidden for a page of another origin; its body is not read and it does not count', () =>
    withService({}, async (service) => {
      const post = (headers: Record<string, string>) =>
        service.request('POST', '/api/auth/start', { raw: '{}', headers });
      const foreign = ['https://evil.example', 'null', `${service.url}.evil.example`, `${service.url}, null`];
      for (const origin of foreign) {
        for (let n = 0; n < 10; n++) {
          const headers = { origin, 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' };
          expectError(await post(headers), 403, 'forbidden');
        }
        const length = { 'content-type': 'application/json', 'content-length': '100' };
        const unread = await service.sendHead('POST', '/api/auth/start', { origin, ...length });
        expectError(unread, 403, 'forbidden');
      }
      for (let n = 0; n < 29; n++) await start(service);
      const own = { origin: service.url, 'content-type': 'application/json' };
      expect((await post(own)).status).to.equal(200);
      expectTooMany(await service.request('POST', '/api/auth/start'), 'rate_limited');
    }));

  it('behind a trusted proxy each network counts on its own: an IPv4 address, or an IPv6 /48 with all its addresses', () =>
    withService(behindProxy('2'), async (_, from) => {
      for (const [address, status] of [
        ['203.0.113.7', 200],
        ['203.0.113.7', 200],
        ['203.0.113.7', 429],
        ['203.0.113.8', 200],
        ['2001:db8:1:2::1', 200],
        ['2001:db8:1:2:ffff::9', 200],
        ['2001:db8:1:2::3', 429],
        ['2001:db8:1:3::1', 429],
        ['2001:db8:2::1', 200],
      ] as const)
        expect((await from(address)).status, address).to.equal(status);
    }));

  it('an IPv6 /48 may start 30 a minute, from whichever of its networks', () =>
    withService({ TRUST_PROXY: '1' }, async (_, from) => {
      for (let n = 0; n < 30; n++) expect((await from(`2001:db8:1:${n}::1`)).status).to.equal(200);
      for (let n = 30; n < 40; n++) expectTooMany(await from(`2001:db8:1:${n}::1`), 'rate_limited', 30);
    }));

  it('without a trusted proxy X-Forwarded-For is ignored', () =>
    withService({ SIGN_IN_STARTS_PER_MINUTE: '1' }, async (service, from) => {
      await start(service);
      expectTooMany(await from('203.0.113.9'), 'rate_limited');
    }));
});

describe('GET /api/auth/poll', () => {
  const service = useService({ SIGN_IN_STARTS_PER_MINUTE: '1000' });

  it('pending: no other field', async () => {
    const { poll_token } = await start(service);
    const answer = await poll(service, poll_token);
    expect(answer.status).to.equal(200);
    expect(answer.headers['cache-control']).to.equal('no-store');
    expect(answer.body).to.deep.equal({ status: 'pending' });
  });

  it('verified with api_token and user_id at the first poll, then claimed', async () => {
    const { code, poll_token } = await start(service, { label: 'laptop' });
    const userId = await approve(service, code);
    const { body } = await poll(service, poll_token);
    expect(body).to.have.all.keys('status', 'api_token', 'user_id');
    expect(body).to.include({ status: 'verified', user_id: userId });
    expect(body.api_token).to.match(/^dl_[0-9A-Za-z]{36}$/);
    expect((await poll(service, poll_token)).body).to.deep.equal({ status: 'claimed' });
    const me = await service.get('/api/me', { token: body.api_token });
    expect(me.body).to.include({ user_id: userId });
    expect(me.body.token).to.include({ label: 'laptop' });
  });

  it('20 parallel polls reveal exactly one token', async () => {
    const { code, poll_token } = await start(service);
    await approve(service, code, 'grace');
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(service, poll_token)));
    const statuses = answers.map(({ body }) => body.status).sort();
    expect(statuses).to.deep.equal([...Array(19).fill('claimed'), 'verified']);
    const tokens = answers.flatMap(({ body }) => body.api_token ?? []);
    expect(tokens).to.have.length(1);
    const list = await service.get<unknown[]>('/api/tokens', { token: tokens[0] });
    expect(list.body).to.have.length(1);
  });

  it('another device gets another token with the same user_id', async () => {
    const first = await start(service);
    const second = await start(service);
    await approve(service, first.code, 'mary');
    await approve(service, second.code, 'mary');
    const a = await poll(service, first.poll_token);
    const b = await poll(service, second.poll_token);
    expect(a.body.user_id).to.equal(b.body.user_id);
    expect(a.body.api_token).to.not.equal(b.body.api_token);
    const { id } = (await service.get('/api/me', { token: a.body.api_token })).body.token ?? { id: '' };
    await service.request('DELETE', `/api/tokens/${id}`, { token: a.body.api_token });
    expectError(await service.get('/api/me', { token: a.body.api_token }), 401, 'unauthorized');
    expect((await service.get('/api/me', { token: b.body.api_token })).status).to.equal(200);
  });

  it('expired after 600 seconds, pending or approved', async () => {
    const pending = await start(service);
    const approved = await start(service);
    await approve(service, approved.code);
    service.clock.advance(600_000 - 1);
    expect((await poll(service, pending.poll_token)).body).to.deep.equal({ status: 'pending' });
    service.clock.advance(1);
    for (const { poll_token } of [pending, approved]) {
      expect((await poll(service, poll_token)).body).to.deep.equal({ status: 'expired' });
    }
  });

  it('expired or claimed for a day, then not_found, also after the job removed the record', async () => {
    const left = await start(service);
    const used = await start(service);
    await approve(service, used.code);
    await poll(service, used.poll_token);
    service.clock.advance(600_000 + 86_400_000 - 1);
    await service.settle();
    expect((await poll(service, left.poll_token)).body).to.deep.equal({ status: 'expired' });
    expect((await poll(service, used.poll_token)).body).to.deep.equal({ status: 'claimed' });
    service.clock.advance(1);
    for (const { poll_token } of [left, used]) {
      expect((await poll(service, poll_token)).body).to.deep.equal({ status: 'not_found' });
    }
    service.clock.advance(30_000);
    await service.settle();
    expect((await poll(service, left.poll_token)).body).to.deep.equal({ status: 'not_found' });
  });

  it('not_found for an unknown poll token', async () => {
    const unknown = ['x', 'A'.repeat(43), 'A'.repeat(10_000), '%00', '%F0%9F%8D%83', "'%20OR%201=1%20--"];
    for (const token of unknown) {
      const answer = await poll(service, token);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ status: 'not_found' });
    }
  });

  it('400 token_required without token, 400 invalid_arg for a repeated one', async () => {
    for (const path of ['/api/auth/poll', '/api/auth/poll?token=', '/api/auth/poll?Token=x'])
      expectError(await service.get(path), 400, 'token_required');
    const details = expectError(await service.get('/api/auth/poll?token=a&token=b'), 400, 'invalid_arg');
    expect(details.field).to.equal('token');
  });

  it('survives a restart between start and approval', async () => {
    const { code, poll_token } = await start(service);
    await service.restart();
    await approve(service, code);
    await service.eventually(async () => {
      await service.get('/healthz'); // a kept connection may be to the stopped server
    });
    expect((await poll(service, poll_token)).body.status).to.equal('verified');
  });
});
