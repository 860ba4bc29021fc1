import { expect } from 'chai';
import { withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { startGitHubDouble } from '../support/github-double.ts';
import { findDeadUrl } from '../support/listen.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import { createPerson, expectRefusal, type Person, type Shown } from '../support/person.ts';
import { type TestService, useService, useServiceBeside } from '../support/service.ts';

const callback = '/sign-in/oidc/callback';
const ample = { SIGN_IN_STARTS_PER_MINUTE: '1000', SIGN_INS_PER_ACCOUNT: '1000' };

async function start(service: TestService) {
  return (await service.request('POST', '/api/auth/start')).body;
}

async function poll(service: TestService, token: string) {
  return (await service.get(`/api/auth/poll?token=${token}`)).body;
}

function linkOf(shown: Shown): string {
  return shown.page.find('a', { class: 'button' })?.attributes.href ?? '';
}

/** Sends the form at the path. @returns the provider's address, to which the next page leads */
async function leave(person: Person, path: string, way = 'oidc'): Promise<string> {
  const leaving = await person.submit(await person.open(path), { way });
  expect(leaving.status, leaving.text).to.equal(200);
  return linkOf(leaving);
}

/** @returns the path of the callback, to which the provider sends the person back */
async function visitFrom(person: Person, provider: OidcServer, path: string): Promise<string> {
  const { pathname, search } = await provider.visit(await leave(person, path));
  expect(pathname).to.equal(callback);
  return pathname + search;
}

/** Nobody is to read in the log what would let them sign in. */
function expectNoSecrets(service: TestService, { secrets }: { readonly secrets: readonly string[] }): void {
  const logged = service.logs.join('\n');
  for (const secret of secrets.filter((each) => each !== '')) expect(logged).to.not.include(secret);
}

function reset(provider: OidcServer): void {
  const claims = {
    sub: 'ada-1',
    preferred_username: 'ada',
    email: 'ada@example.org',
    email_verified: true,
    groups: ['/staff'],
  };
  Object.assign(provider, { claims, answer: 'agrees', alter: (same: object) => same });
}

describe('Sign-in at an OpenID provider', () => {
  const [service, provider] = useServiceBeside(startOidcServer, ample);
  let person: Person;

  beforeEach(() => {
    person = createPerson(service);
    reset(provider);
  });
  const arrive = async (path = '/sign-in/browser') => person.open(await visitFrom(person, provider, path));

  it('starts a session, which is named after the provider; there is no sign-in key', async () => {
    const form = await person.open('/sign-in/browser?next=/account');
    expect(form.text).to.include('Continue with Example').and.not.include('key');
    expect(form.text).to.include(
      'From Example Dropleaf reads your user id and, as far as it gives them, your name, e-mail address and groups.',
    );
    const account = await arrive('/sign-in/browser?next=/account');
    expect([account.status, account.path]).to.deep.equal([200, '/account']);
    expect(account.page.find('h1')?.text).to.equal('ada');
    expect(account.text).to.include('with Example');
    expect((await person.get('/sign-in/local')).status).to.equal(404);
    expect((await person.post('/sign-in/local', { name: 'ada', key: '' })).status).to.equal(404);
    expect(service.services.signInKey).to.equal(null);
  });

  it('approves a device: the client gets its token, and another one of the same account the next time', async () => {
    const ids = new Set<unknown>();
    for (const _ of [1, 2]) {
      const someone = createPerson(service);
      const { code, poll_token } = await start(service);
      const request = await someone.open(await visitFrom(someone, provider, `/sign-in?code=${code}`));
      expect(request.path).to.equal('/sign-in/approve');
      expect(request.text).to.include('signed in as ada').and.include(code);
      expect((await someone.submit(request, { decision: 'approve' })).path).to.equal('/sign-in/done');
      const { status, user_id, api_token } = await poll(service, poll_token);
      expect(status).to.equal('verified');
      expect((await service.get('/api/me', { token: api_token })).body.user_id).to.equal(user_id);
      ids.add(user_id);
    }
    expect(ids.size).to.equal(1);
  });

  it('a device can be approved with another account: the provider is told to ask', async () => {
    const { code } = await start(service);
    const request = await person.open(await visitFrom(person, provider, `/sign-in?code=${code}`));
    const other = request.page.all('a').find(({ text }) => text === 'Use another account');
    expect(other?.attributes.href).to.equal(`/sign-in?code=${code}&other=1`);
    const address = new URL(await leave(person, String(other?.attributes.href)));
    expect(address.searchParams.get('prompt')).to.equal('login');
    provider.claims = { sub: 'grace-1', preferred_username: 'grace' };
    const { pathname, search } = await provider.visit(address.href);
    expect((await person.open(pathname + search)).text).to.include('signed in as grace');
  });

  it('the subject is the account, not the name or the address', async () => {
    const ids: string[] = [];
    for (const [sub, preferred_username] of [
      ['s-1', 'ada'],
      ['s-1', 'renamed'],
      ['s-2', 'ada'],
    ] as const) {
      provider.claims = { sub, preferred_username, email: 'same@example.org', email_verified: true };
      person = createPerson(service);
      const shown = await arrive('/sign-in/browser?next=/account');
      ids.push(/User id ([0-9a-f]{32})/.exec(shown.text)?.[1] ?? '');
    }
    expect(ids[1]).to.equal(ids[0]).and.not.equal(ids[2]);
  });

  it('works without an e-mail address, a name and groups', async () => {
    provider.claims = { sub: 'bare-1' };
    const shown = await arrive('/sign-in/browser?next=/account');
    expect([shown.status, shown.page.find('h1')?.text]).to.deep.equal([200, 'bare-1']);
  });

  it('a HEAD of the return uses up no code and keeps the visit', async () => {
    const back = await visitFrom(person, provider, '/sign-in/browser?next=/account');
    const head = await service.request('HEAD', back, { headers: { cookie: person.cookie } });
    expect([head.status, head.headers.location, head.cookies]).to.deep.equal([303, '/account', []]);
    expect((await person.open(back)).path).to.equal('/account');
  });

  it('403 if the person cancels, with a link to try again; nothing is approved', async () => {
    provider.answer = 'cancels';
    const refused = await arrive('/sign-in/browser?next=/account');
    expectRefusal(refused, 403, 'forbidden');
    expect(refused.text).to.include('You did not agree at Example');
    expect(linkOf(refused)).to.equal('/sign-in/browser?next=%2Faccount');
    expect(person.cookie).to.equal('');

    const { code, poll_token } = await start(service);
    const ofDevice = await arrive(`/sign-in?code=${code}`);
    expectRefusal(ofDevice, 403, 'forbidden');
    expect(ofDevice.text).to.include('Nothing was approved');
    expect(linkOf(ofDevice)).to.equal(`/sign-in?code=${code}`);
    expect(await poll(service, poll_token)).to.deep.equal({ status: 'pending' });
    provider.answer = 'agrees';
    expect((await arrive(`/sign-in?code=${code}`)).path).to.equal('/sign-in/approve');
  });

  it('403 for a changed state and a code that was used; 400 for a return without a visit and after 10 minutes', async () => {
    const back = new URL(await visitFrom(person, provider, '/sign-in/browser'), service.url);
    const visiting = person.cookie;
    back.searchParams.set('state', 'made-up');
    expectRefusal(await person.open(back.pathname + back.search), 403, 'forbidden');

    person.cookie = visiting;
    const twice = await visitFrom(person, provider, '/sign-in/browser');
    const cookie = person.cookie;
    expect((await person.open(twice)).path).to.equal('/drops');
    person.cookie = cookie;
    const replayed = await person.open(twice);
    expectRefusal(replayed, 403, 'forbidden');
    expect(replayed.text).to.include('was used already');

    expectRefusal(await createPerson(service).open(`${callback}?code=x&state=y`), 400, 'invalid_arg');
    const late = await visitFrom(person, provider, '/sign-in/browser?other=1');
    service.clock.advance(600_000);
    expectRefusal(await person.open(late), 400, 'invalid_arg');
  });

  it('503 for an ID token of another application, issuer or person, or without a right signature', async () => {
    const elsewhere = 'The answer of the identity provider is meant for somebody else.';
    for (const [change, text] of [
      [{ aud: 'another-client' }, elsewhere],
      [{ iss: 'https://evil.example' }, elsewhere],
      [{ nonce: 'of another visit' }, elsewhere],
      [{ sub: 'somebody-else' }, 'did not respond as expected'],
    ] as const) {
      provider.alter = (claims) => ({ ...claims, ...change });
      const logged = service.logs.length;
      const shown = await arrive();
      const details = expectRefusal(shown, 503, 'unavailable');
      expect(shown.answer.headers['retry-after']).to.equal(String(details.retry_after_seconds));
      expect(shown.text, JSON.stringify(change)).to.include(text);
      expect(shown.page.find('h1')?.text).to.equal('Example is unavailable');
      expect(linkOf(shown)).to.equal('/sign-in/browser?next=%2Fdrops');
      expect(service.logs.slice(logged).join('\n')).to.match(/failed to identify a user .*reason: ['"]/);
      expect(person.cookie, 'the visit is over, and no session began').to.equal('');
    }
  });

  it('a clock that is off by half a minute does not matter; one that is off by 5 minutes is named', async () => {
    const shift = (seconds: number) => {
      provider.alter = ({ iat = 0, ...claims }) => ({
        ...claims,
        iat: iat + seconds,
        exp: iat + seconds + 60,
      });
    };
    shift(-90);
    expect((await arrive()).path).to.equal('/drops');
    person = createPerson(service);
    shift(-300);
    const late = await arrive();
    expectRefusal(late, 503, 'unavailable');
    expect(late.text).to.include('The clocks of the identity provider and of this service differ');
    provider.alter = ({ iat = 0, ...claims }) => ({ ...claims, iat, nbf: iat + 300 });
    const early = await arrive();
    expectRefusal(early, 503, 'unavailable');
    expect(early.text).to.include('The clocks of the identity provider and of this service differ');
  });

  it('403 for a person in more groups than the provider names, with what to do', async () => {
    provider.alter = (claims) => ({ ...claims, _claim_names: { groups: 'src1' } });
    const shown = await arrive();
    expectRefusal(shown, 403, 'forbidden');
    expect(shown.text).to.include('more groups than the identity provider can name');
    expect(linkOf(shown)).to.equal('/sign-in/browser?next=%2Fdrops');
  });

  it('goes on after the provider has changed its keys', async () => {
    expect((await arrive()).path).to.equal('/drops');
    await provider.rotateKeys();
    const { now } = Date;
    Date.now = () => now() + 61_000; // the provider may be asked for its keys once a minute
    try {
      person = createPerson(service);
      expect((await arrive()).path).to.equal('/drops');
    } finally {
      Date.now = now;
    }
  });

  it('a sign-out ends the session, signs nobody in again, and leads to the sign-out of the provider', async () => {
    const drops = await arrive();
    const out = await person.submit(drops, {}, { action: '/sign-out' });
    expect([out.status, out.page.find('h1')?.text]).to.deep.equal([200, 'You are signed out']);
    expect(person.cookie).to.equal('');
    const button = out.page.all('a').find(({ text }) => text === 'Sign out of Example, too');
    expect(button?.attributes.href).to.equal(`${provider.issuer}/session/end`);
    expect(out.page.find('meta', { 'http-equiv': 'refresh' })).to.equal(undefined);
    expect((await person.open('/drops')).path).to.equal('/sign-in/browser?next=%2Fdrops');
    const again = await arrive();
    expect(again.path).to.equal('/drops');
    expect((await person.open('/sign-in/out')).path, 'somebody is signed in').to.equal('/drops');
  });

  it('no code, token or secret was logged', () => {
    expectNoSecrets(service, provider);
  });
});

describe('Sign-in at two providers and with the key', () => {
  async function startProviders() {
    const github = await startGitHubDouble();
    const oidc = await startOidcServer();
    const close = () => Promise.all([github.close(), oidc.close()]);
    const secrets = () => [...github.secrets, ...oidc.secrets];
    return {
      github,
      oidc,
      secrets,
      env: { ...github.env, ...oidc.env, SIGN_IN: 'oidc,local,github' },
      close,
    };
  }
  const [service, providers] = useServiceBeside(startProviders, ample);
  let person: Person;
  beforeEach(() => {
    person = createPerson(service);
    reset(providers.oidc);
  });

  it('one page has all of them, in the order of SIGN_IN, and says what each reads', async () => {
    for (const path of ['/sign-in/browser', `/sign-in?code=${(await start(service)).code}`]) {
      const { page, text } = await person.open(path);
      const labels = page.all('button').map((button) => button.text);
      const key = path.includes('browser') ? 'Sign in' : 'Continue with the sign-in key';
      const hub = new URL(providers.github.url).host;
      expect(labels).to.deep.equal(['Continue with Example', key, `Continue with ${hub}`]);
      expect(text).to.include(`From ${hub} Dropleaf reads only your public user name and user id.`);
      expect(text).to.include('From Example Dropleaf reads your user id');
    }
  });

  it('each leads to an account of its own, and a session says by which it was made', async () => {
    const ids = new Set<string>();
    const key = String(service.services.signInKey);
    await service.newOwner('octocat');
    const withKey = await person.post('/sign-in/browser', {
      way: 'local',
      name: 'octocat',
      key,
      next: '/account',
    });
    expect(withKey.headers.location).to.equal('/account');
    const shown: [Shown, string][] = [[await person.open('/account'), 'with the sign-in key']];
    for (const [way, visit, name] of [
      ['oidc', providers.oidc.visit, 'with Example'],
      ['github', providers.github.visit, `with ${new URL(providers.github.url).host}`],
    ] as const) {
      person = createPerson(service);
      const { pathname, search } = await visit(await leave(person, '/sign-in/browser?next=/account', way));
      expect(pathname).to.equal(`/sign-in/${way}/callback`);
      shown.push([await person.open(pathname + search), name]);
    }
    for (const [{ path, text }, name] of shown) {
      expect(path).to.equal('/account');
      expect(text).to.include(name);
      ids.add(/User id ([0-9a-f]{32})/.exec(text)?.[1] ?? '');
    }
    expect(ids.size).to.equal(3);
  });

  it('a device is approved by each of them', async () => {
    const { oidc, github } = providers;
    for (const [way, visit] of [
      ['oidc', oidc.visit],
      ['github', github.visit],
    ] as const) {
      const { code } = await start(service);
      const { pathname, search } = await visit(await leave(person, `/sign-in?code=${code}`, way));
      expect((await person.open(pathname + search)).path).to.equal('/sign-in/approve');
    }
    const form = await person.open(`/sign-in?code=${(await start(service)).code}`);
    expect((await person.submit(form, { way: 'local' })).path).to.equal('/sign-in/local');
  });

  it('a device is not approved by a way that the account has lost since', async () => {
    const { code, poll_token } = await start(service);
    const question = await person.open(await visitFrom(person, providers.oidc, `/sign-in?code=${code}`));
    expect(question.path).to.equal('/sign-in/approve');
    const { identities, engine } = service.services;
    const lost = { provider: `oidc:${providers.oidc.issuer}`, subject: 'ada-1' };
    const accountId = String((await engine.identities.find(lost))?.accountId);
    await identities.link(accountId, withoutClaims({ provider: 'local', subject: 'ada', name: 'ada' }));
    await identities.unlink(accountId, lost, () => true);
    expectRefusal(await person.open('/sign-in/approve'), 400, 'invalid_arg');
    expectRefusal(await person.submit(question, { decision: 'approve' }), 403, 'forbidden');
    expect((await poll(service, poll_token)).status).to.equal('pending');
  });

  it('the answer of one provider is refused for a visit to the other, and ends the visit', async () => {
    const { oidc, github } = providers;
    const asked = github.requests.length;
    for (const [way, other, visit] of [
      ['oidc', 'github', oidc.visit],
      ['github', 'oidc', github.visit],
    ] as const) {
      const { search } = await visit(await leave(person, '/sign-in/browser', way));
      const mixed = await person.open(`/sign-in/${other}/callback${search}`);
      expectRefusal(mixed, 403, 'forbidden');
      expect(mixed.text).to.match(/This sign-in was begun at .* has answered\./);
      expect(person.cookie).to.equal('');
      expectRefusal(await person.open(`/sign-in/${way}/callback${search}`), 400, 'invalid_arg');
    }
    expect(github.requests.length, 'no code was sent anywhere').to.equal(asked);
    // A code of one provider in the return of the other.
    const ofHub = await github.visit(await leave(createPerson(service), '/sign-in/browser', 'github'));
    const ofOidc = await oidc.visit(await leave(person, '/sign-in/browser', 'oidc'));
    ofOidc.searchParams.set('code', ofHub.searchParams.get('code') ?? '');
    expectRefusal(await person.open(ofOidc.pathname + ofOidc.search), 403, 'forbidden');
    expectNoSecrets(service, { secrets: providers.secrets() });
  });

  it('a wrong key shows all ways again, with what was typed; so does a way that is off', async () => {
    const wrong = await person.post('/sign-in/browser', {
      way: 'local',
      name: 'ada',
      key: 'x',
      next: '/account',
    });
    expect(wrong.status).to.equal(403);
    expect(wrong.text).to.include('Continue with Example').and.include('value="/account"');
    const off = await person.open('/sign-in/browser');
    expectRefusal(await person.submit(off, { way: 'elsewhere' }), 400, 'invalid_arg');
  });
});

describe('Sign-in with OIDC_ALLOWED_GROUPS and OIDC_OPERATOR_GROUPS', () => {
  const groups = { OIDC_ALLOWED_GROUPS: '/guests, /staff', OIDC_OPERATOR_GROUPS: '/staff/admins' };
  const [service, provider] = useServiceBeside(startOidcServer, { ...ample, ...groups });
  let person: Person;
  beforeEach(() => {
    person = createPerson(service);
    reset(provider);
  });
  const arrive = async (path = '/sign-in/browser') => person.open(await visitFrom(person, provider, path));

  it('403 for a person in none of the groups, who reads which account it is and can use another one', async () => {
    provider.claims = { sub: 'eve-1', preferred_username: 'eve', groups: ['/staff/admins', 'staff'] };
    const refused = await arrive('/sign-in/browser?next=/account');
    expectRefusal(refused, 403, 'forbidden');
    expect(refused.text).to.include('You are signed in at Example as eve');
    expect(refused.page.find('a', { class: 'button' })?.text).to.equal('Try with another account');
    expect(linkOf(refused)).to.equal('/sign-in/browser?next=%2Faccount&other=1');
    expect(person.cookie).to.equal('');
    const { code, poll_token } = await start(service);
    const ofDevice = await arrive(`/sign-in?code=${code}`);
    expectRefusal(ofDevice, 403, 'forbidden');
    expect(linkOf(ofDevice)).to.equal(`/sign-in?code=${code}&other=1`);
    expect((await poll(service, poll_token)).status).to.equal('pending');

    const address = await leave(person, linkOf(refused));
    expect(new URL(address).searchParams.get('prompt')).to.equal('login');
    reset(provider);
    const { pathname, search } = await provider.visit(address);
    expect((await person.open(pathname + search)).path).to.equal('/account');
  });

  it('sessions, tokens and approved sign-ins of a person end who is in none of the groups any more', async () => {
    const token = async () => {
      const { code, poll_token } = await start(service);
      const someone = createPerson(service);
      await someone.submit(await someone.open(await visitFrom(someone, provider, `/sign-in?code=${code}`)), {
        decision: 'approve',
      });
      return poll_token;
    };
    const { api_token } = await poll(service, await token());
    const waiting = await token();
    const undecided = createPerson(service);
    const asked = await start(service);
    const question = await undecided.open(
      await visitFrom(undecided, provider, `/sign-in?code=${asked.code}`),
    );
    const before = person;
    await arrive();
    expect((await before.open('/drops')).path).to.equal('/drops');
    person = createPerson(service);
    provider.claims = { ...provider.claims, groups: ['/elsewhere'] };
    expectRefusal(await arrive(), 403, 'forbidden');
    expect((await service.get('/api/me', { token: api_token })).status).to.equal(401);
    expect((await before.open('/drops')).path).to.equal('/sign-in/browser?next=%2Fdrops');
    expect((await poll(service, waiting)).status).to.equal('expired');
    expectRefusal(await undecided.submit(question, { decision: 'approve' }), 403, 'forbidden');
    expect((await poll(service, asked.poll_token)).status).to.equal('pending');
    reset(provider);
    const back = await arrive('/sign-in/browser?next=/account');
    expect(back.path, 'the account is still there').to.equal('/account');
  });

  it('people of an operator group may use the pages of operators, 12 hours after it was known; others find none', async () => {
    const { identities } = service.services.engine;
    const shown = await arrive('/sign-in/browser?next=/account');
    expect(shown.page.find('a', { href: '/operators' })).to.equal(undefined);
    expect((await person.get('/operators')).status).to.equal(404);
    const accountId = /User id ([0-9a-f]{32})/.exec(shown.text)?.[1] ?? '';
    const key = { provider: `oidc:${provider.issuer}`, subject: 'ada-1' };
    const now = service.clock.now();
    const claims = {
      name: 'ada',
      email: null,
      groups: ['/staff/admins'],
      refreshToken: null,
      checkedAt: now,
    };
    await identities.claim({ ...key, accountId, ...claims, createdAt: now });
    expect(await identities.note({ ...key, accountId }, claims)).to.equal(true);
    const page = await person.open('/operators');
    expect(page.status).to.equal(200);
    expect(page.text).to.include(`Callback address: ${service.url}${callback}`);
    await identities.note({ ...key, accountId }, { ...claims, checkedAt: now - 12 * 3_600_000 });
    expect((await person.get('/operators')).headers.location).to.equal('/sign-in/browser?next=%2Foperators');
    await identities.note({ ...key, accountId }, { ...claims, groups: ['/staff'] });
    expect((await person.get('/operators')).status).to.equal(404);
    await identities.remove({ ...key, accountId });
    const elsewhere = { provider: 'oidc:https://other.example', subject: 'ada-1', accountId };
    await identities.claim({ ...elsewhere, ...claims, createdAt: now });
    expect((await person.get('/operators')).status, 'groups of another provider').to.equal(404);
  });
});

describe('Sign-in while the OpenID provider is down', () => {
  const service = useService({
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_CLIENT_ID: 'dropleaf',
    OIDC_NAME: 'Example',
    SIGN_IN: 'oidc',
  });
  before(async () => service.restart({ OIDC_ISSUER: await findDeadUrl() }));

  it('503 with a link to try again, for a browser and for a device; everything else works', async () => {
    const person = createPerson(service);
    const { code, poll_token } = await start(service);
    for (const path of ['/sign-in/browser?next=/account', `/sign-in?code=${code}`]) {
      const logged = service.logs.length;
      const shown = await person.submit(await person.open(path), {});
      expectRefusal(shown, 503, 'unavailable');
      expect(shown.page.find('h1')?.text).to.equal('Example is unavailable');
      expect(shown.text).to.include('The identity provider cannot be reached.');
      expect(linkOf(shown)).to.equal(path.replace('=/', '=%2F'));
      expect(service.logs.slice(logged).join('\n')).to.include('ECONNREFUSED');
      service.clock.advance(60_000); // the same failure is logged once a minute
    }
    expect((await poll(service, poll_token)).status).to.equal('pending');
    const { slug, owner } = await service.newDrop();
    await service.settle();
    expect((await owner.get('/api/me')).status).to.equal(200);
    expect((await service.get(`/p/${slug}/raw`)).status).to.equal(200);
    expect((await service.get('/readyz')).status).to.equal(200);
  });
});
