import { expect } from 'chai';
import type { Identity } from '../../shared/accounts/account.ts';
import { newId } from '../../shared/domain/ids.ts';
import { type ProviderPerson, withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { useServiceOfEach } from '../support/service.ts';

const minute = 60_000;
const github: Identity = { provider: 'github:https://github.com', subject: '1815', name: 'ada' };
const oidc: Identity = { provider: 'oidc:https://login.example', subject: 'ada-1', name: 'Ada L.' };

const anyWay = () => true;

describe('Whose account an identity is', () => {
  const service = useServiceOfEach();
  const signIn = (person: ProviderPerson) => service.services.signIns.signInWith(person);
  const at = (identity: Identity, claims: Partial<ProviderPerson> = {}) => ({
    ...withoutClaims(identity),
    ...claims,
  });
  const storedOf = (identity: Identity) => service.services.engine.identities.find(identity);

  it('each sign-in notes what the provider says; the refresh token is sealed', async () => {
    const said = { email: 'ada@example.org', groups: ['/staff'], refreshToken: 'refresh-secret-1' };
    const { id } = await signIn(at(oidc, said));
    const first = await storedOf(oidc);
    expect(first).to.deep.include({ ...oidc, accountId: id, email: said.email, groups: said.groups });
    expect(first?.refreshToken).to.be.a('string').that.does.not.include('refresh-secret-1');
    service.clock.advance(minute);
    await signIn(at({ ...oidc, name: 'Ada B.' }));
    const now = service.clock.now();
    const second = { name: 'Ada B.', email: null, groups: [], checkedAt: now }; // the person can sign in without a token
    expect(await storedOf(oidc)).to.deep.equal({ ...first, ...second });
  });

  it('an account of an earlier release has no record, and gets it when its owner signs in', async () => {
    const { accounts } = service.services.engine;
    const { id } = await accounts.findOrCreate(github, newId(service.clock.now()), service.clock.now());
    expect(await service.services.signIns.hasAccount(github)).to.equal(true);
    expect((await signIn(at({ ...github, name: 'hubot' }))).identity.name).to.equal('hubot');
    expect(await storedOf(github)).to.include({ accountId: id });
  });

  it('50 parallel first sign-ins create one account', async () => {
    const accounts = await Promise.all(Array.from({ length: 50 }, () => signIn(at(oidc))));
    expect(new Set(accounts.map(({ id }) => id)).size).to.equal(1);
  });

  it('a sign-in that was killed before the account was created: the next one creates it with the id of the record', async () => {
    const accountId = newId(service.clock.now());
    const { identities } = service.services.engine;
    const rest = { email: null, refreshToken: null, checkedAt: 1, createdAt: 1 };
    await identities.claim({ ...oidc, ...rest, groups: [], accountId });
    expect(await service.services.signIns.hasAccount(oidc)).to.equal(true);
    expect((await signIn(at(oidc))).id).to.equal(accountId);
  });

  it('an account that a process of an earlier release has created for an identity keeps it', async () => {
    const { identities, accounts } = service.services.engine;
    const now = service.clock.now();
    const rest = { email: null, refreshToken: null, checkedAt: 1, createdAt: 1 };
    await identities.claim({ ...oidc, ...rest, groups: [], accountId: newId(now) });
    const { id } = await accounts.findOrCreate(oidc, newId(now), now);
    expect((await signIn(at(oidc))).id).to.equal(id);
    expect(await storedOf(oidc)).to.include({ accountId: id });
  });

  it('the record of a deleted account is replaced', async () => {
    const { identities, accounts } = service.services.engine;
    const { id } = await signIn(at(oidc));
    const stored = await storedOf(oidc);
    await accounts.markDeleted(id, service.clock.now(), ['hash']);
    expect(await service.services.signIns.hasAccount(oidc)).to.equal(false);
    const next = await signIn(at(oidc));
    expect(next.id).to.not.equal(id);
    expect(await storedOf(oidc)).to.include({ accountId: next.id });
    expect(await identities.listOfAccount(id)).to.deep.equal([]);
    expect(stored).to.include({ accountId: id });
  });

  it('never links by e-mail', async () => {
    const email = 'ada@example.org';
    const one = await signIn(at(github, { email }));
    const other = await signIn(at(oidc, { email }));
    expect(one.id).to.not.equal(other.id);
  });

  it('a linked identity signs in to the account, whose name stays that of its own identity', async () => {
    const { identities } = service.services;
    const { id } = await signIn(at(github));
    expect(await identities.link(id, at(oidc, { email: 'ada@example.org' }))).to.equal(true);
    expect(await identities.link(id, at(oidc)), 'again').to.equal(true);
    const account = await signIn(at(oidc, { email: 'ada@example.org' }));
    expect(account).to.deep.include({ id, identity: github });
    expect(await identities.list(account)).to.have.length(2);
    const readers = await service.services.readers.entriesOf(id);
    expect([...readers]).to.have.members(['ada@example.org', '@example.org']);
  });

  it('refuses an identity that has an account, also one without a record, and takes that of a deleted one', async () => {
    const { identities, engine } = service.services;
    const { id } = await signIn(at(github));
    const other = await signIn(at(oidc));
    expect(await identities.link(id, at(oidc))).to.equal(false);
    await engine.identities.remove({ ...oidc, accountId: other.id });
    expect(await identities.link(id, at(oidc)), 'of an earlier release').to.equal(false);
    await engine.accounts.markDeleted(other.id, service.clock.now(), ['hash']);
    expect(await identities.link(id, at(oidc)), 'deleted').to.equal(true);
    expect((await signIn(at(oidc))).id).to.equal(id);
  });

  it('of a link and a first sign-in at the same moment one wins, and the other sees it', async () => {
    const { identities } = service.services;
    const { id } = await signIn(at(github));
    const [isLinked, account] = await Promise.all([identities.link(id, at(oidc)), signIn(at(oidc))]);
    expect(isLinked).to.equal(account.id === id);
    expect(await storedOf(oidc)).to.include({ accountId: account.id });
  });

  it('the own identity is removed: the account has the name of the next one, and the old one is free', async () => {
    const { identities } = service.services;
    const { id } = await signIn(at(github));
    await identities.link(id, at(oidc));
    await identities.unlink(id, github, anyWay);
    expect(await signIn(at(oidc))).to.deep.include({ id, identity: oidc });
    expect((await signIn(at(github))).id, 'a new account').to.not.equal(id);
  });

  it('never removes the last way, or the last that people can use; parallel removals leave one', async () => {
    const { identities } = service.services;
    const account = await signIn(at(github));
    const fails = (attempt: Promise<void>) =>
      attempt.then(
        () => 'done',
        (error) => error.code,
      );
    expect(await fails(identities.unlink(account.id, github, anyWay))).to.equal('forbidden');
    await identities.link(account.id, at(oidc));
    expect(await fails(identities.unlink(account.id, oidc, (way) => way === 'oidc'))).to.equal('forbidden');
    await Promise.all([github, oidc].map((each) => fails(identities.unlink(account.id, each, anyWay))));
    const found = await Promise.all([github, oidc].map((each) => service.services.signIns.hasAccount(each)));
    expect(found.filter(Boolean).length).to.be.at.least(1);
  });

  it('a person who deletes an account with two identities continues its counts by either', async () => {
    const { identities, accounts } = service.services;
    const { id } = await signIn(at(github));
    await identities.link(id, at(oidc));
    await accounts.remove({ accountId: id });
    expect(await storedOf(oidc), 'removed').to.equal(null);
    for (const identity of [oidc, github])
      expect(await signIn(at(identity)), identity.provider).to.include({ countsAs: id });
  });

  it('a suspended account keeps its ways, and signs in by each', async () => {
    const { identities, engine } = service.services;
    const { id } = await signIn(at(github));
    await identities.link(id, at(oidc));
    await engine.accounts.setSuspended(id, service.clock.now());
    for (const identity of [github, oidc])
      expect((await signIn(at(identity))).suspendedAt).to.equal(service.clock.now());
  });
});
