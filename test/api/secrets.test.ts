import { expect } from 'chai';
import { hashToken } from '../../shared/domain/token.ts';
import type { Engine } from '../../shared/ports/engine.ts';
import { readAtRest } from '../support/at-rest.ts';
import { type EdgeDouble, useEdgeDoubles } from '../support/edge-double.ts';
import { type GitHubDouble, startGitHubDouble } from '../support/github-double.ts';
import { createPerson, type Person } from '../support/person.ts';
import { type Owner, startService, type TestService } from '../support/service.ts';

const signingSecret = 'NEEDLE-signing-secret-that-nobody-may-see';
const acceptedSecret = 'NEEDLE-accepted-secret-that-nobody-may-see';
const purgeToken = 'NEEDLE-purge-token';
const passcodes = ['NEEDLE-passcode-one', 'NEEDLE-passcode-two'];
const wrongPasscode = 'NEEDLE-passcode-wrong';
const wrongKey = 'NEEDLE-sign-in-key-wrong';
/** Well-formed, of nobody; malformed; cut. */
const wrongTokens = [
  'dl_0123456789abcdefghijABCDEFGHIJ2XfMUe',
  'dl_NEEDLEneedleNEEDLEneedleNEEDLEneedle',
  'dl_NEEDLEcut',
];

describe('A whole life', () => {
  const edges = useEdgeDoubles();
  let double: GitHubDouble | undefined;
  let service: TestService;

  afterEach(async () => {
    await service.stop();
    await double?.close();
    double = undefined;
  });

  /** @throws where one of them is kept, or was logged; and where this could not have told */
  async function expectNowhere(
    secrets: Readonly<Record<string, string>>,
    known: { kept: readonly string[]; logged: readonly string[] },
  ): Promise<void> {
    const places: [string, string][] = [];
    for (const [name, bytes] of await readAtRest(service.config))
      places.push([name, bytes.toString('latin1')]);
    const logs = service.logs.join('\n');
    for (const text of known.kept) {
      expect(
        places.some(([, content]) => content.includes(text)),
        `${text} is kept`,
      ).to.equal(true);
    }
    for (const text of known.logged) expect(logs, 'the logs').to.include(text);
    places.push(['the logs', logs]);
    for (const [what, secret] of Object.entries(secrets)) {
      expect(secret, what).to.have.length.above(7);
      const end = secret.slice(-20); // what was encoded in part is cut into pieces
      const found = places.filter(([, content]) => content.includes(end)).map(([name]) => name);
      expect(found, `${what} is in`).to.deep.equal([]);
    }
  }

  const startSignIn = async () =>
    (await service.request('POST', '/api/auth/start', { body: { label: 'KNOWN-label' } })).body;
  const poll = async (token: string) => (await service.get(`/api/auth/poll?token=${token}`)).body;

  /** Puts what is secret where only mistaken clients put it. */
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

  /** Publishes, locks, unlocks, opens the frame, and changes the passcode. @returns what the visitor was given */
  async function live(owner: Owner): Promise<Record<string, string>> {
    const [first = '', second = ''] = passcodes;
    const { slug } = await owner.create({ title: 'KNOWN-title', passcode: first, context: 'why' });
    await owner.put(slug, { passcode: first, title: 7 });
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
    return { pass: cookieValue(cookie), grant, otherPass: cookieValue(again.cookie) };
  }

  async function ownerOf(apiToken: string): Promise<Owner> {
    const owner = await service.newOwner();
    const request: Owner['request'] = (method, path, options) =>
      owner.request(method, path, { ...options, token: apiToken });
    return {
      ...owner,
      request,
      token: apiToken,
      create: async (fields) =>
        (await request('POST', '/api/drops', { body: { html: '<p>page', ...fields } })).body,
      put: (slug, fields) => request('PUT', `/api/drops/${slug}`, { body: { html: '<p>more', ...fields } }),
    };
  }

  it('with GitHub leaves no secret at rest or in the logs', async () => {
    double = await startGitHubDouble();
    const edge: EdgeDouble = await edges.listen((_, res) => res.writeHead(500).end(purgeToken));
    const settings = { GITHUB_CLIENT_ID: double.clientId, GITHUB_CLIENT_SECRET: double.clientSecret };
    service = await startService({
      env: {
        ...settings,
        ...{ GITHUB_URL: double.url, GITHUB_API_URL: double.apiUrl },
        ...{ EDGE_PURGER: 'http', EDGE_PURGE_URL: edge.url, EDGE_PURGE_TOKEN: purgeToken },
        ...{ SIGNING_SECRET: signingSecret, SIGNING_SECRETS_ACCEPTED: acceptedSecret },
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
    const owner = await ownerOf(token);
    const given = await live(owner);
    for (const each of [token, ...wrongTokens, started.poll_token]) await mistake(each);
    await service.settle();
    expect(edge.seen[0]?.headers.authorization).to.equal(`Bearer ${purgeToken}`);
    await expectNowhere(
      {
        ...{ token, pollToken: started.poll_token, code: started.code, formToken, ...given },
        bareCode: started.code.replace('-', ''),
        ...{ signingSecret, acceptedSecret, purgeToken, clientSecret: double.clientSecret },
        ...named('passcode', [...passcodes, wrongPasscode]),
        ...named('wrong token', wrongTokens),
        ...named('cookie', cookies),
        ...named('state', states),
        ...named('code or token of the provider', double.secrets),
      },
      {
        kept: ['KNOWN-label', hashToken(token)],
        logged: ['/api/drops', 'the identity provider failed to identify a user'],
      },
    );
  });

  it('with the local sign-in key leaves no secret at rest or in the logs, but where secrets are kept', async () => {
    let engine: Engine | undefined;
    service = await startService({
      adaptEngine: (opened) => {
        engine = opened;
        return opened;
      },
    });
    const { signInKey } = service.services;
    const person: Person = createPerson(service);
    const { code, poll_token } = await startSignIn();
    const local = await person.submit(await person.open(`/sign-in?code=${code}`), {});
    await person.submit(local, { name: 'ada', key: wrongKey });
    const request = await person.submit(local, { name: 'ada', key: signInKey ?? '' });
    await person.submit(request, { decision: 'approve' });
    const { api_token: token = '' } = await poll(poll_token);
    const given = await live(await ownerOf(token));
    const keptSecret = (await engine?.secrets.keep('signing-secret', '')) ?? '';
    expect(keptSecret).to.have.length(43);
    for (const each of [token, signInKey ?? '', keptSecret]) await mistake(each);
    await expectNowhere(
      {
        ...{ token, pollToken: poll_token, code, signInKey: signInKey ?? '', wrongKey, ...given },
        keptSecret,
        ...named('passcode', [...passcodes, wrongPasscode]),
      },
      { kept: ['KNOWN-label', 'ada', hashToken(token)], logged: ['/api/drops'] },
    );
  });
});

function cookieValue(cookie: string): string {
  return cookie.slice(cookie.indexOf('=') + 1);
}

function named(what: string, secrets: readonly string[]): Record<string, string> {
  return Object.fromEntries(secrets.map((secret, i) => [`${what} ${i}`, secret]));
}
