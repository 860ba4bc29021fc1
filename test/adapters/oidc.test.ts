import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import type { JWTPayload } from 'jose';
import { DropError } from '../../shared/domain/errors.ts';
import { type OidcOptions, OidcProvider } from '../../shared/sign-ins/oidc.ts';
import { useEach, useOnce } from '../support/between.ts';
import { findDeadUrl } from '../support/listen.ts';
import { startOidcServer } from '../support/oidc-server.ts';

const callbackUrl = 'https://drops.example/sign-in/oidc/callback';

describe('An OpenID provider', () => {
  const server = useEach(() => startOidcServer(callbackUrl));
  const refreshing = useOnce(() => startOidcServer(callbackUrl, { issueRefreshToken: () => true }));

  function connect(changes: Partial<OidcOptions> = {}): OidcProvider {
    const { issuer, clientId, clientSecret } = server;
    const rules = { groupsClaim: 'groups', trustsEmail: false };
    const scopes = 'openid profile email';
    return new OidcProvider({
      issuer,
      clientId,
      clientSecret,
      name: 'Example',
      scopes,
      ...rules,
      ...changes,
    });
  }

  async function signIn(provider = connect(), change: (returnedTo: URL) => void = () => undefined) {
    const { url, visit } = await provider.begin(callbackUrl);
    const returnedTo = await server.visit(url);
    change(returnedTo);
    return provider.finish(returnedTo, callbackUrl, visit);
  }

  async function causeOf(attempt: Promise<unknown>): Promise<string> {
    const error = await attempt.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(DropError).with.property('code', 'unavailable');
    return JSON.stringify(Reflect.get(Object(error), 'cause'));
  }

  it('says who the person is, their verified address in lower case, and their groups', async () => {
    const person = await signIn();
    expect(person).to.deep.include({
      identity: { provider: `oidc:${server.issuer}`, subject: 'ada-1', name: 'ada' },
      email: 'ada@example.org',
      groups: ['/staff'],
    });
  });

  it('the setting may be the address of the discovery document, or have a slash at its end', async () => {
    for (const issuer of [`${server.issuer}/.well-known/openid-configuration`, `${server.issuer}/`])
      expect((await signIn(connect({ issuer })))?.identity.provider).to.equal(`oidc:${server.issuer}`);
  });

  it('an address that nobody has verified counts only where the operator trusts it', async () => {
    for (const [verified, counts] of [
      [true, true],
      ['true', true],
      [false, false],
      ['false', false],
      [undefined, false],
    ] as const) {
      server.claims = { sub: 'ada-1', email: 'ada@example.org', email_verified: verified };
      expect((await signIn())?.email, String(verified)).to.equal(counts ? 'ada@example.org' : null);
      expect((await signIn(connect({ trustsEmail: true })))?.email).to.equal('ada@example.org');
    }
  });

  it('null: another visit, a changed state, or a code that was used', async () => {
    const provider = connect();
    const mine = await provider.begin(callbackUrl);
    const theirs = await provider.begin(callbackUrl);
    const returnedTo = await server.visit(mine.url);
    expect(await provider.finish(returnedTo, callbackUrl, theirs.visit)).to.equal(null);
    expect(await provider.finish(returnedTo, callbackUrl, mine.visit)).to.not.equal(null);
    expect(await provider.finish(returnedTo, callbackUrl, mine.visit), 'used').to.equal(null);
  });

  it('a nonce of another visit, another issuer and a wrong secret are refused', async () => {
    const provider = connect();
    const { url, visit } = await provider.begin(callbackUrl);
    const returnedTo = await server.visit(url);
    expect(await causeOf(provider.finish(returnedTo, callbackUrl, { ...visit, nonce: 'other' }))).to.include(
      'nonce',
    );
    const mixUp = (to: URL) => to.searchParams.set('iss', 'https://evil.example');
    expect(await causeOf(signIn(connect(), mixUp))).to.include('iss');
    expect(await causeOf(signIn(connect(), (to) => to.searchParams.delete('iss')))).to.include('iss');
    expect(await causeOf(signIn(connect({ clientSecret: 'wrong' })))).to.include('401');
  });

  it('an ID token for another client, of another issuer or out of its time is refused; a minute is no matter', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const wrong: readonly (readonly [JWTPayload, string])[] = [
      [{ aud: 'another-client' }, 'aud'],
      [{ aud: ['dropleaf', 'another-client'], azp: 'another-client' }, 'azp'],
      [{ iss: 'https://evil.example' }, 'iss'],
      [{ exp: now - 300 }, 'exp'],
      [{ nbf: now + 300 }, 'nbf'],
    ];
    for (const [claims, cause] of wrong) {
      server.alter = (said) => ({ ...said, ...claims });
      expect(await causeOf(signIn()), cause).to.include(cause);
    }
    for (const claims of [{ exp: now - 30 }, { nbf: now + 30 }]) {
      server.alter = (said) => ({ ...said, ...claims });
      expect(await signIn(), JSON.stringify(claims)).to.not.equal(null);
    }
  });

  it('an ID token with a signature of somebody else is refused', async () => {
    server.changes.set('/jwks', () => ({ keys: [] }));
    expect(await causeOf(signIn())).to.include('no applicable keys');
  });

  it('keys that change between two sign-ins are read at once', async () => {
    const provider = connect();
    expect(await signIn(provider)).to.not.equal(null);
    await server.rotateKeys();
    expect(await signIn(provider)).to.not.equal(null);
  });

  it('what the UserInfo endpoint says of somebody else is refused', async () => {
    server.changes.set('/me', (answer) => ({ ...answer, sub: 'bob-1' }));
    expect(await causeOf(signIn())).to.include('sub');
  });

  it('an address is verified by the source that names it', async () => {
    server.alter = (said) => ({ ...said, email: 'ada@example.org', email_verified: true });
    server.changes.set('/me', ({ sub }) => ({ sub, email: 'root@example.org' }));
    expect((await signIn())?.email).to.equal('ada@example.org');
  });

  it('groups that the provider names elsewhere, as Entra does, are refused with the cure', async () => {
    const elsewhere = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://x' } },
    };
    server.changes.set('/me', ({ groups, ...answer }) => ({ ...answer, ...elsewhere }));
    const error = await signIn().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(DropError).with.property('code', 'forbidden');
  });

  it('groups are read again with the refresh token until the provider has ended the sign-in', async () => {
    const provider = connect({ issuer: refreshing.issuer });
    const { url, visit } = await provider.begin(callbackUrl);
    const person = await provider.finish(await refreshing.visit(url), callbackUrl, visit);
    const first = person?.refreshToken ?? '';
    refreshing.claims = { sub: 'ada-1', groups: [] };
    expect(await causeOf(provider.refresh(first, 'bob-1'))).to.include('somebody else');
    const next = await provider.refresh(first, 'ada-1');
    expect(next).to.deep.include({ email: null, groups: [] });
    refreshing.changes.set('/token', ({ id_token, ...answer }) => answer);
    refreshing.claims = { sub: 'ada-1', groups: ['/ops'] };
    const last = await provider.refresh(next?.refreshToken ?? '', 'ada-1');
    expect(last, 'without an ID token').to.deep.include({ groups: ['/ops'] });
    refreshing.changes.set(
      '/.well-known/openid-configuration',
      ({ userinfo_endpoint, ...document }) => document,
    );
    const other = connect({ issuer: refreshing.issuer });
    expect(await causeOf(other.refresh(last?.refreshToken ?? '', 'ada-1'))).to.include('says nothing');
    expect(await provider.refresh('unknown', 'ada-1')).to.equal(null);
    const answer = JSON.stringify({ error: 'interaction_required' }); // Entra's policies
    refreshing.instead.set('/token', (_, res) =>
      res.writeHead(400, { 'content-type': 'application/json' }).end(answer),
    );
    refreshing.changes.clear();
    expect(await connect({ issuer: refreshing.issuer }).refresh('known', 'ada-1')).to.equal(null);
  });

  it('a person who says no has not signed in', async () => {
    const denied = (to: URL) => {
      to.searchParams.delete('code');
      to.searchParams.set('error', 'access_denied');
    };
    expect(await signIn(connect(), denied)).to.equal(null);
  });

  it('names what is wrong with its discovery document, and follows no redirect', async () => {
    const causeWith = async (answer: RequestListener) => {
      server.instead.set('/.well-known/openid-configuration', answer);
      return causeOf(connect().begin(callbackUrl));
    };
    const location = `${server.issuer}/elsewhere`;
    expect(await causeWith((_, res) => res.writeHead(302, { location }).end())).to.include(location);
    expect(await causeWith((_, res) => res.end('<!doctype html>'))).to.include('no discovery document');
    expect(await causeWith((_, res) => res.end('{"issuer":"https://login.example/a"}'))).to.include(
      `OIDC_ISSUER is ${server.issuer}/, and its document names the issuer https://login.example/a`,
    );
    expect(await causeWith((_, res) => res.end(`{"issuer":"${server.issuer}"}`))).to.include(
      'authorization_endpoint, token_endpoint, jwks_uri',
    );
    server.instead.clear();
    for (const name of ['authorization_endpoint', 'end_session_endpoint']) {
      server.changes.set('/.well-known/openid-configuration', (document) => ({
        ...document,
        [name]: 'javascript:x',
      }));
      expect(await causeOf(connect().begin(callbackUrl))).to.include(`${name} that is not https`);
    }
  });

  it('waits for no answer longer than its time, and reads none without end', async () => {
    server.instead.set('/me', () => undefined);
    expect(await causeOf(signIn(connect({ timeoutMs: 200 })))).to.include('TimeoutError');
    server.instead.set('/me', (_, res) => res.end('x'.repeat(2 * 1024 * 1024)));
    expect(await causeOf(signIn())).to.include('larger than');
  });

  it('names what is wrong with its address', async () => {
    expect(await causeOf(connect({ issuer: `${server.issuer}/other` }).begin(callbackUrl))).to.include(
      'status 404',
    );
    expect(await causeOf(connect({ issuer: await findDeadUrl() }).begin(callbackUrl))).to.include(
      'ECONNREFUSED',
    );
  });
});

describe('A client of an OpenID provider', () => {
  const method = { post: 'client_secret_post', none: 'none' } as const;

  for (const [title, auth] of Object.entries(method)) {
    it(`authenticates by ${title} where the provider takes nothing else`, async () => {
      const changes = {
        token_endpoint_auth_method: auth,
        ...(auth === 'none' && { client_secret: undefined }),
      };
      const server = await startOidcServer(callbackUrl, { clientAuthMethods: [auth] }, changes);
      try {
        const { issuer, clientId, clientSecret } = server;
        const rules = { groupsClaim: 'groups', trustsEmail: false };
        const provider = new OidcProvider({
          issuer,
          clientId,
          clientSecret,
          name: 'X',
          scopes: 'openid',
          ...rules,
        });
        const { url, visit } = await provider.begin(callbackUrl);
        const person = await provider.finish(await server.visit(url), callbackUrl, visit);
        expect(person?.identity.subject).to.equal('ada-1');
      } finally {
        await server.close();
      }
    });
  }
});
