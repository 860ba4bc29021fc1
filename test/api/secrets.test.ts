import { expect } from 'chai';
import { formTokensOf } from '../../api/http/form-tokens.ts';
import { hashToken } from '../../shared/credentials/token.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { type EdgeDouble, useEdgeDoubles } from '../support/edge-double.ts';
import { type GitHubDouble, startGitHubDouble } from '../support/github-double.ts';
import { startOidcServer } from '../support/oidc-server.ts';
import { createOwner, type Owner } from '../support/owner.ts';
import { createPerson, type Person } from '../support/person.ts';
import { startService, type TestService } from '../support/service.ts';
import { readAtRest } from '../support/stored.ts';

const signingSecret = 'NEEDLE-signing-secret-that-nobody-may-see';
const acceptedSecret = 'NEEDLE-accepted-secret-that-nobody-may-see';
const purgeToken = 'NEEDLE-purge-token';
const passcodes = ['NEEDLE-passcode-one', 'NEEDLE-passcode-two'];
const wrongPasscode = 'NEEDLE-passcode-wrong';
const wrongKey = 'NEEDLE-sign-in-key-wrong';
/** Stored, and not for the logs. */
const unlogged = ['KNOWN-html', 'KNOWN-context'];
/** Unknown, malformed, cut off. */
const wrongTokens = [
  'dl_0123456789abcdefghijABCDEFGHIJ2XfMUe',
  'dl_NEEDLEneedleNEEDLEneedleNEEDLEneedle',
  'dl_NEEDLEcut',
];

describe('Every kind of secret, after correct and wrong use', () => {
  const edges = useEdgeDoubles();
  let double: GitHubDouble | undefined;
  let service: TestService;

  afterEach(async () => {
    await service.stop();
    await double?.close();
    double = undefined;
  });

  /** Fails if a secret is stored or logged, or if the known texts are not, because then the search proves nothing. */
  async function expectNowhere(
    secrets: Readonly<Record<string, string>>,
    known: { stored: readonly string[]; logged: readonly string[] },
  ): Promise<void> {
    const stored = [...(await readAtRest(service.config))].map(([name, bytes]) => [
      name,
      bytes.toString('latin1'),
    ]);
    const logs = service.logs.join('\n');
    for (const text of [...unlogged, 'KNOWN-label']) expect(logs, 'the logs').to.not.include(text);
    const whereIs = (text: string) =>
      [...stored, ['the logs', logs]].filter(([, content]) => content?.includes(text)).map(([name]) => name);
    for (const text of known.stored) expect(whereIs(text), `places of ${text}`).to.not.be.empty;
    for (const text of known.logged) expect(logs, 'the logs').to.include(text);
    for (const [what, secret] of Object.entries(secrets)) {
      expect(secret, what).to.have.length.above(7);
      expect(whereIs(secret.slice(-20)), `places of ${what}`).to.deep.equal([]); // percent-encoding can split the rest
    }
  }

  const startSignIn = async () =>
    (await service.request('POST', '/api/auth/start', { body: { label: 'KNOWN-label' } })).body;
  const poll = async (token: string) => (await service.get(`/api/auth/poll?token=${token}`)).body;

  /** Sends the secret in every wrong place that a mistaken client may use. */
  async function mistake(secret: string): Promise<void> {
    const encoded = `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`;
    const halves = `${secret.slice(0, 18)}%${secret.charCodeAt(18).toString(16)}${secret.slice(19)}`;
    for (const text of [secret, encoded, halves]) {
      await service.get(`/${text}`);
      await service.get(`/p/${text}`);
      await service.get(`/p/${text}/raw`);
      await service.get(`/api/drops/${text}`, { token: secret });
      await service.request('DELETE', `/api/tokens/${text}`);
      await service.get(`/api/auth/poll/${text}?token=${text}`);
      await service.get(`/sign-in?code=${text}`);
    }
    for (const authorization of [`Basic ${secret}`, `Bearer ${secret} x`, secret]) {
      await service.get('/api/me', {
        headers: { authorization, cookie: `a=${secret}`, referer: `/?${secret}` },
      });
    }
    await service.request('POST', `/api/drops?access_token=${secret}`, { raw: `{"token": "${secret}"` });
  }

  /** Publishes, locks, unlocks, opens the frame, and changes the passcode. @returns the visitor's cookies and grant */
  async function live(owner: Owner): Promise<Record<string, string>> {
    const [first = '', second = ''] = passcodes;
    const [html, context] = unlogged;
    const { slug } = await owner.create({ title: 'KNOWN-title', html, passcode: first, context });
    await owner.put(slug, { html, context });
    await owner.put(slug, { html, context, passcode: first, title: 7 });
    await owner.request('POST', '/api/drops', { raw: `{"html":"${html}", "context":"${context}` });
    await service.unlock(slug, wrongPasscode);
    const { cookie, frame } = await service.enter(slug, first);
    expect((await service.get(frame)).status).to.equal(200);
    const grant = new URL(frame, service.url).searchParams.get('g') ?? '';
    await mistake(grant);
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: second } });
    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: `${second}\u0000` } });
    const again = await service.enter(slug, second);
    await service.settle();
    await owner.request('DELETE', `/api/drops/${slug}`);
    const parts = grant.split('.').filter(({ length }) => length > 7);
    return {
      pass: cookieValue(cookie),
      ...named('part of the grant', parts),
      otherPass: cookieValue(again.cookie),
    };
  }

  it('with GitHub: is neither stored nor logged', async () => {
    double = await startGitHubDouble();
    const edge: EdgeDouble = await edges.listen((_, res) => res.writeHead(500).end(purgeToken));
    service = await startService({
      env: {
        ...double.env,
        EDGE_PURGER: 'http',
        EDGE_PURGE_URL: edge.url,
        EDGE_PURGE_TOKEN: purgeToken,
        SIGNING_SECRET: signingSecret,
        SIGNING_SECRETS_ACCEPTED: acceptedSecret,
        CODE_TRIES: '1000',
      },
    });
    const person = createPerson(service);
    const cookies: string[] = [];
    const states: string[] = [];
    const visit = async (code: string) => {
      const leaving = await person.submit(await person.open(`/sign-in?code=${code}`), {});
      const link = leaving.page.find('a', { class: 'button' })?.attributes.href ?? '';
      cookies.push(cookieValue(person.cookie));
      states.push(new URL(link).searchParams.get('state') ?? '');
      const { pathname, search } = await (double ?? expect.fail()).visit(link);
      return pathname + search;
    };
    const started = await startSignIn();
    for (const fault of ['status 500', 'garbage', 'drop'] as const) {
      double.faults = { token: fault };
      await person.open(await visit(started.code));
      double.faults = { user: fault };
      await person.open(await visit(started.code));
    }
    double.faults = {};
    const request = await person.open(await visit(started.code));
    cookies.push(cookieValue(person.cookie));
    const formToken = request.page.find('input', { name: 'token' })?.attributes.value ?? '';
    await person.submit(request, { decision: 'approve' });
    const { api_token: token = '' } = await poll(started.poll_token);
    const given = await live(createOwner(service, '', '', token));
    for (const each of [token, ...wrongTokens, started.poll_token]) await mistake(each);
    await service.settle();
    expect(edge.seen[0]?.headers.authorization).to.equal(`Bearer ${purgeToken}`);
    await expectNowhere(
      {
        token,
        pollToken: started.poll_token,
        code: started.code,
        formToken,
        ...given,
        bareCode: started.code.replace('-', ''),
        signingSecret,
        acceptedSecret,
        purgeToken,
        clientSecret: double.clientSecret,
        ...named('passcode', [...passcodes, wrongPasscode]),
        ...named('wrong token', wrongTokens),
        ...named('cookie', cookies),
        ...named('state', states),
        ...named('code or token of the provider', double.secrets),
      },
      {
        stored: ['KNOWN-label', hashToken(token)],
        logged: ['/api/drops', 'the identity provider failed to identify a user'],
      },
    );
  });

  it('with an OpenID provider: is neither stored nor logged', async () => {
    const provider = await startOidcServer();
    service = await startService({
      env: { ...provider.env, SIGNING_SECRET: signingSecret, CODE_TRIES: '1000' },
    });
    const person = createPerson(service);
    const secrets: string[] = [];
    const visit = async (code: string) => {
      const leaving = await person.submit(await person.open(`/sign-in?code=${code}`), {});
      const link = leaving.page.find('a', { class: 'button' })?.attributes.href ?? '';
      const { searchParams } = new URL(link);
      secrets.push(
        cookieValue(person.cookie),
        searchParams.get('state') ?? '',
        searchParams.get('nonce') ?? '',
      );
      const { pathname, search } = await provider.visit(link);
      return pathname + search;
    };
    const started = await startSignIn();
    for (const change of [{ aud: 'another' }, { exp: 1 }, { sub: 'somebody-else' }]) {
      provider.alter = (claims) => ({ ...claims, ...change });
      expect((await person.open(await visit(started.code))).status).to.equal(503);
    }
    provider.alter = (claims) => claims;
    await person.open((await visit(started.code)).replace('state=', 'state=x'));
    await person.submit(await person.open(await visit(started.code)), { decision: 'approve' });
    const { api_token: token = '' } = await poll(started.poll_token);
    const given = await live(createOwner(service, '', '', token));
    await provider.close();
    await person.open('/sign-in/out?from=oidc');
    await expectNowhere(
      {
        token,
        pollToken: started.poll_token,
        ...given,
        ...named('cookie, state or nonce', secrets),
        ...named('secret, code or token of the provider', provider.secrets),
      },
      {
        stored: ['KNOWN-label', hashToken(token)],
        logged: ['/api/drops', 'the identity provider failed to identify a user'],
      },
    );
  });

  it('with the local sign-in key: is neither logged nor stored, except in the secret store', async () => {
    let engine: Engine | undefined;
    service = await startService({
      adaptEngine: (opened) => {
        engine = opened;
        return opened;
      },
    });
    const { signInKey } = service.services;
    const person: Person = createPerson(service);
    const signedIn = createPerson(service);
    await service.newOwner('ada');
    await signedIn.post('/sign-in/browser', { name: 'ada', key: signInKey ?? '' });
    const session = cookieValue(signedIn.cookie);
    const { session: stored } = (await service.services.sessions.identify(session)) ?? expect.fail();
    const [formToken] = formTokensOf(service.services.sealer, stored.id, stored.accountId);
    await signedIn.post('/account/sessions', { form_token: formToken, end: session });
    await signedIn.post(`/sign-out?form_token=${formToken}&${session}`, { form_token: formToken.slice(1) });
    const { code, poll_token } = await startSignIn();
    const local = await person.submit(await person.open(`/sign-in?code=${code}`), {});
    await person.submit(local, { name: 'ada', key: wrongKey });
    const request = await person.submit(local, { name: 'ada', key: signInKey ?? '' });
    const cookie = cookieValue(person.cookie);
    const decisionToken = request.page.find('input', { name: 'token' })?.attributes.value ?? '';
    await person.submit(request, { decision: 'approve' });
    const { api_token: token = '' } = await poll(poll_token);
    const given = await live(createOwner(service, '', '', token));
    const keptSecret = (await engine?.secrets.findOrCreate('signing-secret', '')) ?? '';
    expect(keptSecret).to.have.length(43);
    for (const each of [token, signInKey ?? '', keptSecret, session, formToken]) await mistake(each);
    await expectNowhere(
      {
        token,
        pollToken: poll_token,
        code,
        signInKey: signInKey ?? '',
        wrongKey,
        ...given,
        keptSecret,
        session,
        formToken,
        cookie,
        decisionToken,
        ...named('passcode', [...passcodes, wrongPasscode]),
      },
      {
        stored: ['KNOWN-label', 'ada', hashToken(token), stored.hash, stored.browser],
        logged: ['/api/drops', stored.id],
      },
    );
  });
});

function cookieValue(cookie: string): string {
  return cookie.slice(cookie.indexOf('=') + 1);
}

function named(what: string, secrets: readonly string[]): Record<string, string> {
  return Object.fromEntries(secrets.map((secret, i) => [`${what} ${i}`, secret]));
}
