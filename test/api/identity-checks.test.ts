import { expect } from 'chai';
import type { Configuration } from 'oidc-provider';
import { openIdentity } from '../support/identities.ts';
import { startOidcServer } from '../support/oidc-server.ts';
import { type TestService, useServices } from '../support/service.ts';

const minute = 60_000;
const hour = 60 * minute;
const callbackUrl = 'https://drops.example/callback';

describe('What a provider says of people is asked again', () => {
  const startService = useServices();
  const closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });

  /** A service, its provider, and Ada, who has signed in there. */
  async function open(changes: Configuration = {}, env: Record<string, string> = {}) {
    const provider = await startOidcServer(callbackUrl, changes);
    closes.push(() => provider.close());
    const { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET } = provider;
    const service = await startService({ env: { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, ...env } });
    const signIn = () => signInAt(service, provider);
    return { service, provider, signIn, ada: await signIn() };
  }

  async function signInAt({ services }: TestService, provider: Awaited<ReturnType<typeof startOidcServer>>) {
    const { oidc, signIns, sessions, tokens } = services;
    if (oidc === null) throw new Error('there is no OpenID provider');
    const { url, visit } = await oidc.begin(callbackUrl);
    const person = await oidc.finish(await provider.visit(url), callbackUrl, visit);
    if (person === null) throw new Error('nobody has signed in');
    const { id } = await signIns.signInWith(person);
    const secret = await sessions.start(id, 'Firefox', person.identity.provider);
    const token = await tokens.mint(id, { label: null, scope: 'all' });
    return {
      id,
      person,
      isSignedIn: async () => (await sessions.identify(secret)) !== null,
      hasToken: () =>
        tokens.authenticate(`Bearer ${token}`).then(
          () => true,
          () => false,
        ),
      identity: () => services.engine.identities.find(person.identity),
    };
  }

  async function pass({ clock, settle }: TestService, ms: number): Promise<void> {
    clock.advance(ms);
    await settle();
  }

  const withRefresh: Configuration = { issueRefreshToken: async () => true };
  /** Refresh tokens that do not end with the person's session at the provider. */
  const outlasting = { OIDC_SCOPES: 'openid profile email offline_access' };
  const staffOnly = { OIDC_ALLOWED_GROUPS: '/staff, /guests' };

  it('a person who has left the allowed groups loses sessions and tokens; another account keeps them', async () => {
    const { service, provider, ada } = await open(withRefresh, staffOnly);
    const other = await service.newOwner();
    await pass(service, 16 * minute);
    expect([await ada.isSignedIn(), await ada.hasToken()]).to.deep.equal([true, true]);
    provider.claims = { ...provider.claims, groups: ['/others'], email: 'ada@new.example' };
    await pass(service, 16 * minute);
    expect([await ada.isSignedIn(), await ada.hasToken()]).to.deep.equal([false, false]);
    expect(await ada.identity()).to.include({ refreshToken: null, email: 'ada@new.example' });
    expect((await other.request('GET', '/api/me')).status).to.equal(200);
  });

  it('new groups and addresses count after the next check', async () => {
    const { service, provider, ada } = await open(withRefresh);
    provider.claims = { ...provider.claims, groups: ['/board'], email: 'ada@board.example' };
    await pass(service, 16 * minute);
    const entries = await service.services.readers.entriesOf(ada.id);
    expect([...entries]).to.have.members(['ada@board.example', '@board.example', 'group:/board']);
    expect(await ada.identity()).to.include({ checkedAt: service.clock.now() });
  });

  it('a sign-in that the provider has ended ends here, too, and what it said of the person is forgotten', async () => {
    const { service, ada } = await open(withRefresh, outlasting);
    await openIdentity(service, ada.person.identity).replaceToken('revoked');
    await pass(service, 16 * minute);
    expect([await ada.isSignedIn(), await ada.hasToken()]).to.deep.equal([false, false]);
    expect(await ada.identity()).to.deep.include({ refreshToken: null, email: null, groups: [] });
  });

  it('without offline_access a refusal may mean that the session there is over: as if no refresh token had been given', async () => {
    const { service, ada } = await open(withRefresh);
    await openIdentity(service, ada.person.identity).replaceToken('over');
    await pass(service, 16 * minute);
    expect([await ada.isSignedIn(), await ada.hasToken()]).to.deep.equal([true, true]);
    expect(await ada.identity()).to.include({ refreshToken: null, email: 'ada@example.org' });
    await pass(service, 12 * hour);
    const entries = await service.services.readers.entriesOf(ada.id);
    expect([...entries], 'what is too old to count').to.deep.equal([]);
  });

  it('a provider that is down, or that fails for one person, ends nobody', async () => {
    const { service, provider, ada } = await open(withRefresh, staffOnly);
    await provider.close();
    for (let n = 0; n < 3; n++) await pass(service, 16 * minute);
    expect([await ada.isSignedIn(), await ada.hasToken()]).to.deep.equal([true, true]);
    expect(await ada.identity()).to.deep.include({ email: 'ada@example.org', groups: ['/staff'] });
  });

  it('after a check that was killed, a refusal says nothing: as if no refresh token had been given', async () => {
    const { service, ada } = await open(withRefresh, outlasting);
    await openIdentity(service, ada.person.identity).replaceToken('rotated away', 'in use');
    const { checkedAt } = (await ada.identity()) ?? {};
    await pass(service, 16 * minute);
    expect([await ada.isSignedIn(), await ada.hasToken()]).to.deep.equal([true, true]);
    expect(await ada.identity()).to.include({ refreshToken: null, checkedAt, email: 'ada@example.org' });
  });

  it('an end that was killed is done by the next check', async () => {
    const { service, ada } = await open(withRefresh);
    await openIdentity(service, ada.person.identity).replaceToken('x', 'ended');
    await pass(service, 16 * minute);
    expect([await ada.isSignedIn(), await ada.hasToken()]).to.deep.equal([false, false]);
  });

  it('a sign-in during a check counts more than the check', async () => {
    const { service, signIn, ada } = await open(withRefresh);
    await openIdentity(service, ada.person.identity).replaceToken('revoked');
    const { identities } = service.services.engine;
    const list = identities.listToCheck.bind(identities);
    service.clock.advance(16 * minute);
    const due = await list(service.clock.now() - 15 * minute, 9);
    expect(due).to.have.length(1);
    await signIn();
    const [identity] = due;
    const noted =
      identity && (await identities.note(identity, { ...identity, name: 'x' }, identity.checkedAt));
    expect(noted).to.equal(false);
    expect(await list(service.clock.now() - 15 * minute, 9)).to.deep.equal([]);
  });

  it('without a refresh token sessions end 12 h after the last sign-in', async () => {
    const { service, signIn, ada } = await open();
    expect(await ada.identity()).to.include({ refreshToken: null });
    await pass(service, 6 * hour);
    const again = await signIn();
    await pass(service, 12 * hour - 1);
    expect([await ada.isSignedIn(), await again.isSignedIn()]).to.deep.equal([true, true]);
    await pass(service, 1);
    expect([await ada.isSignedIn(), await again.isSignedIn()]).to.deep.equal([false, false]);
    expect(await ada.hasToken(), 'the documents say so').to.equal(true);
  });

  it('a sign-in that gives no refresh token leaves the one of an earlier sign-in', async () => {
    let gives = true;
    const { signIn, ada } = await open({ issueRefreshToken: async () => gives });
    const { refreshToken } = (await ada.identity()) ?? {};
    expect(refreshToken).to.be.a('string');
    gives = false;
    await signIn();
    expect((await ada.identity())?.refreshToken).to.equal(refreshToken);
  });

  it('a sign-in without a refresh token after an end that was killed is not ended by the next check', async () => {
    let gives = true;
    const { service, signIn, ada } = await open({ issueRefreshToken: async () => gives });
    await openIdentity(service, ada.person.identity).replaceToken('x', 'ended');
    gives = false;
    const again = await signIn();
    await pass(service, 16 * minute);
    expect([await again.isSignedIn(), await again.hasToken()]).to.deep.equal([true, true]);
    expect(await ada.identity()).to.include({ refreshToken: null });
  });

  it('a session ends with the way by which it was made', async () => {
    const service = await startService({ env: { SIGN_IN: 'local' } });
    const { userId } = await service.newOwner();
    const { sessions } = service.services;
    const made = (provider: string) => sessions.start(userId, 'Firefox', provider);
    const secrets = [
      await made('local'),
      await made('github:https://github.com'),
      await made('oidc:https://x.example'),
    ];
    const known = await Promise.all(secrets.map((secret) => sessions.identify(secret)));
    expect(known.map((session) => session !== null)).to.deep.equal([true, false, false]);
  });
});
