import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { type OidcOptions, OidcProvider } from '../../shared/sign-ins/oidc.ts';
import { useEach } from '../support/between.ts';
import { findDeadUrl } from '../support/listen.ts';
import { startOidcServer } from '../support/oidc-server.ts';

const callbackUrl = 'https://drops.example/sign-in/oidc/callback';

describe('An OpenID provider', () => {
  const server = useEach(() => startOidcServer(callbackUrl));

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
    expect(await causeOf(signIn(connect({ clientSecret: 'wrong' })))).to.include('401');
  });

  it('a person who says no has not signed in', async () => {
    const denied = (to: URL) => {
      to.searchParams.delete('code');
      to.searchParams.set('error', 'access_denied');
    };
    expect(await signIn(connect(), denied)).to.equal(null);
  });

  it('names what is wrong with its address, without redirects', async () => {
    expect(await causeOf(connect({ issuer: `${server.issuer}/other` }).begin(callbackUrl))).to.include(
      'status 404',
    );
    expect(await causeOf(connect({ issuer: await findDeadUrl() }).begin(callbackUrl))).to.include(
      'ECONNREFUSED',
    );
  });
});
