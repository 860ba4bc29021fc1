import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { type Dashboard, openDashboard, openOperators } from '../support/dashboard.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { expectRefusal, type Shown } from '../support/person.ts';
import { type Owner, type TestService, useService, useServiceOfEach } from '../support/service.ts';
import type { WireToken } from '../support/wire.ts';

const cap = 4;
const form = { label: 'cron', days: '' };

async function startDevice(service: TestService) {
  return (await service.request('POST', '/api/auth/start', { body: { label: 'CLI' } })).body;
}

/** The page that asks for the approval of a new sign-in, and its poll token. */
async function reachApproval(service: TestService, person: Dashboard) {
  const { code, poll_token: pollToken } = await startDevice(service);
  const code_ = await person.open(`/sign-in?code=${code}`);
  return { shown: await person.submit(code_, {}, { action: '/sign-in' }), pollToken };
}

const tokensOf = async (owner: Owner) => (await owner.get<WireToken[]>('/api/tokens')).body;
const poll = async (service: TestService, token: unknown) =>
  (await service.get(`/api/auth/poll?token=${token}`)).body;

describe('The cap of tokens', () => {
  const service = useServiceOfEach({ TOKENS_PER_ACCOUNT: String(cap), SIGN_INS_PER_ACCOUNT: '1000' });

  /** Somebody with as many tokens as an account may have. */
  async function openFull(): Promise<Dashboard> {
    const person = await openDashboard(service);
    for (let n = 1; n < cap; n++) await service.newToken(person.owner, `token ${n}`);
    return person;
  }

  const choices = ({ page }: Shown) =>
    page.all('input').filter(({ attributes }) => attributes.name === 'revoke');

  it('429 quota_exceeded in the form of the dashboard, which keeps what was typed, until one is revoked', async () => {
    const person = await openFull();
    const refused = await person.post('/account/tokens', form);
    expectTooMany(refused, 'quota_exceeded', 86_400);
    const page = parsePage(refused.text);
    expect(page.find('p', { id: 'fault' })?.text).to.include('maximum of 4 active tokens: revoke one first');
    expect(page.find('input', { id: 'label' })?.attributes.value).to.equal('cron');
    const other = (await tokensOf(person.owner)).find(({ label }) => label === 'token 1'); // not the one that asks
    await person.owner.request('DELETE', `/api/tokens/${other?.id}`);
    expect((await person.post('/account/tokens', form)).status).to.equal(303);
    expectTooMany(await person.post('/account/tokens', form), 'quota_exceeded');
    expect(await tokensOf(person.owner)).to.have.length(cap);
  });

  it('of parallel forms as many are accepted as there is room for', async () => {
    const person = await openDashboard(service);
    const answers = await Promise.all(Array.from({ length: 12 }, () => person.post('/account/tokens', form)));
    expect(answers.filter(({ status }) => status === 303)).to.have.length(cap - 1);
    expect(await tokensOf(person.owner)).to.have.length(cap);
  });

  it('expired tokens do not count, and another account has its own cap', async () => {
    const person = await openFull();
    const other = (await tokensOf(person.owner)).find(({ label }) => label === 'token 1'); // not the one that asks
    await person.owner.request('DELETE', `/api/tokens/${other?.id}`);
    await person.post('/account/tokens', { ...form, days: '1' });
    expectTooMany(await person.post('/account/tokens', form), 'quota_exceeded');
    service.clock.advance(86_400_000);
    expect((await person.post('/account/tokens', form)).status).to.equal(303);
    expect((await (await openDashboard(service)).post('/account/tokens', form)).status).to.equal(303);
  });

  it('the page that approves a code says so and revokes a token of the choice; then the code is approved', async () => {
    const person = await openFull();
    const { shown, pollToken } = await reachApproval(service, person);
    expect(shown.status).to.equal(200);
    expect(shown.text).to.include('maximum of tokens').and.include('code stays valid');
    expect(shown.page.find('button', { value: 'approve' })).to.equal(undefined);
    expect(choices(shown)).to.have.length(cap);
    const refused = await person.submit(shown, { decision: 'approve' });
    expectRefusal(refused, 429, 'quota_exceeded');
    expect(choices(refused)).to.have.length(cap);
    expectRefusal(await person.submit(shown, { decision: 'revoke' }), 400, 'invalid_arg');
    expect((await poll(service, pollToken)).status, 'the code stays valid').to.equal('pending');

    const chosen = (await tokensOf(person.owner)).find(({ label }) => label !== 'test')?.id ?? '';
    expect(choices(shown).map(({ attributes }) => attributes.value)).to.include(chosen);
    const again = await person.submit(shown, { decision: 'revoke', revoke: chosen });
    expect(again.text).to.include('The token is revoked').and.not.include('maximum of tokens');
    expect((await tokensOf(person.owner)).map(({ id }) => id))
      .to.have.length(cap - 1)
      .and.not.include(chosen);
    expect((await person.submit(again, { decision: 'approve' })).path).to.equal('/sign-in/done');
    expect(await poll(service, pollToken)).to.include({ status: 'verified', user_id: person.owner.userId });
    expect(await tokensOf(person.owner)).to.have.length(cap);
  });

  it('no token of another account is revoked there, nor without the token of the form', async () => {
    const person = await openFull();
    const other = await service.newOwner();
    const [theirs] = await tokensOf(other);
    const { shown } = await reachApproval(service, person);
    const fields = { decision: 'revoke', revoke: theirs?.id ?? '' };
    expectRefusal(await person.submit(shown, fields), 404, 'not_found');
    const own = choices(shown)[0]?.attributes.value ?? '';
    const forged = { decision: 'revoke', revoke: own, token: 'x' };
    expectRefusal(await person.submit(shown, forged), 403, 'forbidden');
    expect((await other.get('/api/me')).status).to.equal(200);
    expect(await tokensOf(person.owner)).to.have.length(cap);
  });

  it('approved sign-ins count as the tokens that they get, and their polls are never refused', async () => {
    const person = await openDashboard(service);
    const pollTokens: unknown[] = [];
    for (let n = 1; n < cap; n++) {
      const { shown, pollToken } = await reachApproval(service, person);
      expect((await person.submit(shown, { decision: 'approve' })).path).to.equal('/sign-in/done');
      pollTokens.push(pollToken);
    }
    expectTooMany(await person.post('/account/tokens', form), 'quota_exceeded');
    const { shown } = await reachApproval(service, person);
    expect(shown.text).to.include('maximum of tokens');
    // Minted since, as an older process would: more than the cap.
    for (let n = 0; n < cap; n++) await service.newToken(person.owner);
    for (const token of pollTokens) expect((await poll(service, token)).status).to.equal('verified');
    expect(await tokensOf(person.owner)).to.have.length(2 * cap);
  });

  it('an approval that is repeated, or sent twice at once, is one token', async () => {
    const person = await openDashboard(service);
    for (let n = 2; n < cap; n++) await service.newToken(person.owner);
    const { shown, pollToken } = await reachApproval(service, person);
    const token = shown.page.find('input', { name: 'token' })?.attributes.value ?? '';
    const approve = () => person.post('/sign-in/approve', { token, decision: 'approve' });
    const { cookie } = person;
    const outcomes = await Promise.all([approve(), approve(), approve()]);
    person.cookie = cookie;
    expect([...outcomes, await approve()].map(({ status }) => status)).to.deep.equal(Array(4).fill(303));
    expect((await poll(service, pollToken)).status).to.equal('verified');
    expect(await tokensOf(person.owner)).to.have.length(cap);
  });
});

describe('The rate of new tokens', () => {
  const service = useServiceOfEach({ NEW_TOKENS_PER_ACCOUNT: '3', SIGN_INS_PER_ACCOUNT: '1000' });

  it('429 quota_exceeded after so many in ten minutes, by the form and by approvals together', async () => {
    const person = await openDashboard(service);
    for (let n = 0; n < 2; n++) expect((await person.post('/account/tokens', form)).status).to.equal(303);
    const first = await reachApproval(service, person);
    expect((await person.submit(first.shown, { decision: 'approve' })).path).to.equal('/sign-in/done');
    const second = await reachApproval(service, person);
    const refused = await person.submit(second.shown, { decision: 'approve' });
    expectRefusal(refused, 429, 'quota_exceeded');
    expect(refused.text).to.include('At most 3 new tokens in 10 minutes');
    expect(refused.page.find('button', { value: 'approve' }), 'to be pressed later').to.not.equal(undefined);
    expectTooMany(await person.post('/account/tokens', form), 'quota_exceeded', 570);
    expect((await poll(service, first.pollToken)).status).to.equal('verified');
    service.clock.advance(570_000);
    expect((await person.submit(refused, { decision: 'approve' })).path).to.equal('/sign-in/done');
    expect((await poll(service, second.pollToken)).status).to.equal('verified');
  });

  it('a deletion of the account does not begin it again', async () => {
    const person = await openDashboard(service);
    const { name, userId } = person.owner;
    for (let n = 0; n < 3; n++) await person.post('/account/tokens', form);
    await person.owner.request('DELETE', `/api/me?confirm=${userId}`);
    const next = await openDashboard(service, await service.newOwner(name));
    expectTooMany(await next.post('/account/tokens', form), 'quota_exceeded');
  });
});

describe('An account with more tokens than a page has', () => {
  const many = 1_030;
  const service = useService();

  async function fill(owner: Owner): Promise<void> {
    const { tokens } = service.services;
    for (let made = 0; made < many; made += 10) {
      service.clock.advance(1);
      await Promise.all(
        Array.from({ length: 10 }, () => tokens.mint(owner.userId, { label: 'old', scope: 'all' })),
      );
    }
  }

  /** The parts of the list, each by the address that the one before names. */
  async function readAll(owner: Owner): Promise<WireToken[][]> {
    const parts: WireToken[][] = [];
    let path: string | null = '/api/tokens';
    while (path !== null) {
      const answer: Answer<WireToken[]> = await owner.get<WireToken[]>(path);
      parts.push(answer.body);
      const [, next] = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? '')) ?? [];
      path = next === undefined ? null : next.slice(service.url.length);
    }
    return parts;
  }

  it('GET /api/tokens has the newest 1,000 as an array, and Link leads to the others', async () => {
    const owner = await service.newOwner();
    await fill(owner);
    const parts = await readAll(owner);
    expect(parts.map(({ length }) => length)).to.deep.equal([1_000, 31]);
    const all = parts.flat();
    expect(new Set(all.map(({ id }) => id)).size).to.equal(many + 1);
    const times = all.map(({ created_at }) => created_at);
    expect(times).to.deep.equal([...times].sort((a, b) => b - a));
    for (const cursor of ['', 'x', '1-2', '-1-0123456789ab'])
      expectError(await owner.get(`/api/tokens?cursor=${cursor}`), 400, 'invalid_arg');
    const empty = await owner.get('/api/tokens?cursor=0-0123456789ab');
    expect([empty.status, empty.body]).to.deep.equal([200, []]);

    const person = await openDashboard(service, owner);
    const rows = ({ page }: Shown) =>
      page.all('a').filter(({ attributes }) => /^\/account\/tokens\/\w{12}$/.test(attributes.href ?? ''));
    const first = await person.open('/account');
    expect(rows(first)).to.have.length(50);
    expect(first.text).to.include('1,000 or more of 200');
    const older = first.page.find('a', { rel: 'next' })?.attributes.href ?? '';
    const second = await person.open(older.split('#')[0] ?? '');
    expect(rows(second)).to.have.length(50);
    expect(rows(second).map(({ attributes }) => attributes.href)).to.not.include.members(
      rows(first).map(({ attributes }) => attributes.href),
    );
    expect(second.page.find('a', { rel: 'first' })?.attributes.href).to.equal('/account#tokens');
    const { id } = all.at(-1) ?? { id: '' };
    expect((await person.open(`/account/tokens/${id}`)).status, 'the oldest one').to.equal(200);
  });

  it('operators see parts, and revoking all of them leaves none', async () => {
    const [operator, person] = await openOperators(service);
    await fill(person.owner);
    const path = `/operators/accounts/${person.owner.userId}`;
    const shown = await operator.open(path);
    expect(shown.text).to.include('1,000 tokens or more');
    const codes = (text: string) => text.match(/<code class="soft small">\w{12}<\/code>/g) ?? [];
    expect(codes(shown.answer.text)).to.have.length(20);
    const older = shown.page.find('a', { rel: 'next' })?.attributes.href ?? '';
    const next = await operator.open(older.split('#')[0] ?? '');
    expect(codes(next.answer.text)).to.have.length(20);
    const asked = await operator.open(`${path}/revoke-tokens`);
    await operator.submit(asked, { reason: 'leaked' });
    expectError(await person.owner.get('/api/me'), 401, 'unauthorized');
    expect(await service.services.engine.tokens.list(person.owner.userId, 9)).to.deep.equal([]);
    expect((await operator.open('/operators/log')).text).to.include(`tokens ${many + 1}`);
  });

  it('its deletion refuses all of them at once; the job removes what the request leaves', async () => {
    const owner = await service.newOwner();
    await fill(owner);
    const last = await service.newToken(owner);
    expect((await owner.request('DELETE', `/api/me?confirm=${owner.userId}`)).status).to.equal(204);
    const { tokens } = service.services.engine;
    expect(await tokens.list(owner.userId, 9), 'the request removes a part').to.have.length(9);
    for (const { token } of [owner, last])
      expectError(await service.get('/api/drops', { token }), 401, 'invalid_token');
    service.clock.advance(10_000);
    await service.settle();
    expect(await tokens.list(owner.userId, 9)).to.deep.equal([]);
  });
});

describe('Sessions of an account', () => {
  const service = useService();

  it('are at most 100: a further sign-in ends the one that was not used for longest', async () => {
    const { sessions, engine } = service.services;
    const owner = await service.newOwner();
    const secrets: string[] = [];
    for (let n = 0; n < 100; n++) {
      service.clock.advance(1_000);
      secrets.push(await sessions.start(owner.userId, 'Test browser', 'local'));
    }
    service.clock.advance(60_000);
    const [oldest = '', second = ''] = secrets;
    await sessions.identify(oldest);
    await service.settle();
    const newest = await sessions.start(owner.userId, 'Test browser', 'local');
    expect(await engine.sessions.list(owner.userId, 200)).to.have.length(100);
    for (const secret of [oldest, newest]) expect(await sessions.identify(secret)).to.not.equal(null);
    expect(await sessions.identify(second)).to.equal(null);
  });
});
