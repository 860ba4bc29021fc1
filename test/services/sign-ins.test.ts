import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { localIdentity } from '../../shared/accounts/account.ts';
import { SqliteAccounts } from '../../shared/accounts/sqlite.ts';
import type { TokenStore } from '../../shared/credentials/credential-stores.ts';
import { SqliteTokens } from '../../shared/credentials/sqlite.ts';
import { Tokens } from '../../shared/credentials/tokens.ts';
import { Identities } from '../../shared/identities/identities.ts';
import { SqliteIdentities } from '../../shared/identities/sqlite.ts';
import { JoseSealer } from '../../shared/secrets/jose.ts';
import type { Sealer } from '../../shared/secrets/sealer.ts';
import { withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import type { SignInStore } from '../../shared/sign-ins/sign-in-store.ts';
import { SignIns } from '../../shared/sign-ins/sign-ins.ts';
import { SqliteSignIns } from '../../shared/sign-ins/sqlite.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { useEach } from '../support/between.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const config = {
  SIGN_IN_TTL_SECONDS: 600,
  SIGN_IN_KEEP_SECONDS: 86_400,
  POLL_INTERVAL_SECONDS: 2,
  LOCAL_ACCOUNTS_MAX: 10_000,
  TOKENS_PER_ACCOUNT: 200,
  OIDC_ALLOWED_GROUPS: '',
};
const requester = { requesterAddress: '203.0.113.7', requesterAgent: 'curl/8.5.0' };
const ada = { provider: 'github:https://github.com', subject: '1815', name: 'ada' };
const ttlMs = 600_000;

function openScene() {
  const dir = makeTempDir();
  const db = openDatabase(join(dir, 'test.sqlite'));
  const clock = createTestClock();
  const stores = {
    signIns: new SqliteSignIns(db),
    accounts: new SqliteAccounts(db),
    tokens: new SqliteTokens(db),
  };
  const older = 'a secret of thirty-two characters';
  const newer = 'a newer secret of thirty-two chars';
  let current = new JoseSealer([older], clock);
  const acceptSecrets = (...secrets: [string, ...string[]]) => {
    current = new JoseSealer(secrets, clock);
  };
  const sealer: Pick<Sealer, 'hashes' | 'seal' | 'open'> = {
    hashes: (...args) => current.hashes(...args),
    seal: (...args) => current.seal(...args),
    open: (...args) => current.open(...args),
  };
  const { accounts } = stores;
  const identities = new Identities({
    identities: new SqliteIdentities(db),
    accounts,
    sealer,
    clock,
    config,
  });
  const log = createRecordingLog();
  const limits = { take: async () => undefined };
  /** The service over stores with some methods replaced. */
  const serviceWith = (changes: { signIns?: Partial<SignInStore>; tokens?: Partial<TokenStore> }) => {
    const tokenStore = { ...methodsOf(stores.tokens), ...changes.tokens };
    return new SignIns({
      ...stores,
      identities,
      signIns: { ...methodsOf(stores.signIns), ...changes.signIns },
      tokens: new Tokens({ ...stores, tokens: tokenStore, limits, clock, log, config }),
      sealer,
      clock,
      config,
    });
  };
  const service = serviceWith({});

  return {
    ...stores,
    clock,
    service,
    serviceWith,
    /** Restarts with these signing secrets; the first one signs. */
    acceptSecrets,
    older,
    newer,
    /** A sign-in that Ada has approved. */
    async approved() {
      const started = await service.start({ label: null, scope: 'all' }, requester);
      const id = (await service.findByCode(started.code))?.id ?? '';
      const account = await service.signInWith(withoutClaims(ada));
      expect(await service.approve(id, account.id)).to.equal(true);
      return { ...started, id, account };
    },
    async close() {
      await db.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

// What a client or a user can observe is tested over HTTP: test/api/sign-in-start.test.ts and sign-in-pages.test.ts.
describe('sign-ins', () => {
  const scene = useEach(openScene);

  it('draws another code if a stored sign-in has the code', async () => {
    let refusals = 3;
    const insert: SignInStore['insert'] = async (signIn) =>
      refusals-- > 0 ? false : scene.signIns.insert(signIn);
    const started = await scene
      .serviceWith({ signIns: { insert } })
      .start({ label: null, scope: 'all' }, requester);
    expect(refusals).to.equal(-1);
    expect(await scene.service.findByCode(started.code)).to.not.equal(null);
  });

  it('finds a code that was hashed with an older accepted secret, and draws none that exists under one', async () => {
    const { code } = await scene.service.start({ label: null, scope: 'all' }, requester);
    const stored = await scene.service.findByCode(code);
    scene.acceptSecrets(scene.newer, scene.older);
    expect(await scene.service.findByCode(code)).to.deep.equal(stored);
    const asked: string[] = [];
    const findByCode: SignInStore['findByCode'] = async (codeHash) => {
      asked.push(codeHash);
      return asked.length < 3 ? stored : null;
    };
    await scene.serviceWith({ signIns: { findByCode } }).start({ label: null, scope: 'all' }, requester);
    expect(new Set(asked).size, 'three codes were drawn').to.equal(3);
    scene.acceptSecrets(scene.newer);
    expect(await scene.service.findByCode(code), 'the older secret is no longer accepted').to.equal(null);
  });

  it('creates no token before the poll that claims', async () => {
    const { account } = await scene.approved();
    expect(await scene.tokens.list(account.id, 9)).to.deep.equal([]);
  });

  it('a crash between claim and token leaves the sign-in claimed, without a token', async () => {
    const { pollToken, account } = await scene.approved();
    const insert = () => Promise.reject(new Error('crash'));
    const crashing = scene.serviceWith({ tokens: { insert } });
    expect(await crashing.poll(pollToken).catch((error: Error) => error.message)).to.equal('crash');
    expect(await scene.service.poll(pollToken)).to.deep.equal({ status: 'claimed' });
    expect(await scene.tokens.list(account.id, 9)).to.deep.equal([]);
  });

  for (const moment of ['before', 'after'] as const) {
    it(`returns no token if all tokens are revoked between the claim and the answer, ${moment} the token is stored`, async () => {
      const { pollToken, account } = await scene.approved();
      const revokeAll = async () => {
        await scene.signIns.expireByAccount(account.id);
        await scene.tokens.revokeSome(account.id, 9);
      };
      const insert: TokenStore['insert'] = async (token) => {
        if (moment === 'before') await revokeAll();
        const outcome = await scene.tokens.insert(token);
        if (moment === 'after') await revokeAll();
        return outcome;
      };
      const service = scene.serviceWith({ tokens: { insert } });
      for (let i = 0; i < 2; i++) expect(await service.poll(pollToken)).to.deep.equal({ status: 'expired' });
      expect(await scene.tokens.list(account.id, 9)).to.deep.equal([]);
    });
  }

  it('draws another token if the id of the token is taken', async () => {
    const { pollToken, account } = await scene.approved();
    let refusals = 1;
    const insert: TokenStore['insert'] = async (token) =>
      refusals-- > 0 ? false : scene.tokens.insert(token);
    const service = scene.serviceWith({ tokens: { insert } });
    expect(await service.poll(pollToken)).to.include({ status: 'verified' });
    expect(await scene.tokens.list(account.id, 9)).to.have.length(1);
  });

  it('a sign-in that expires between the read and the claim is expired, without a token', async () => {
    const { pollToken, account } = await scene.approved();
    const claim: SignInStore['claim'] = async () => {
      scene.clock.advance(ttlMs);
      return null;
    };
    const service = scene.serviceWith({ signIns: { claim } });
    expect(await service.poll(pollToken)).to.deep.equal({ status: 'expired' });
    expect(await scene.tokens.list(account.id, 9)).to.deep.equal([]);
  });

  it('expired stays expired after the job, and claimed stays claimed', async () => {
    const { pollToken } = await scene.service.start({ label: null, scope: 'all' }, requester);
    const claimed = await scene.approved();
    await scene.service.poll(claimed.pollToken);
    scene.clock.advance(ttlMs);
    await scene.signIns.expire(scene.clock.now());
    expect(await scene.service.poll(pollToken)).to.deep.equal({ status: 'expired' });
    expect(await scene.service.poll(claimed.pollToken)).to.deep.equal({ status: 'claimed' });
  });

  it('a decision can be repeated, but not changed, and no other account can take it over', async () => {
    const { id, account, pollToken } = await scene.approved();
    const eve = await scene.service.signInWith(withoutClaims({ ...ada, subject: '666', name: 'eve' }));
    const decide = async () => [
      await scene.service.approve(id, account.id),
      await scene.service.approve(id, eve.id),
      await scene.service.deny(id),
    ];
    expect(await decide(), 'approved').to.deep.equal([true, false, false]);
    expect(await scene.service.poll(pollToken)).to.include({ status: 'verified', userId: account.id });
    expect(await decide(), 'claimed').to.deep.equal([true, false, false]);
    const denied =
      (
        await scene.service.findByCode(
          (
            await scene.service.start({ label: null, scope: 'all' }, requester)
          ).code,
        )
      )?.id ?? '';
    for (let i = 0; i < 2; i++) expect(await scene.service.deny(denied)).to.equal(true);
    expect(await scene.service.approve(denied, account.id)).to.equal(false);
    expect(await scene.service.approve('0'.repeat(32), account.id), 'unknown id').to.equal(false);
  });
});

it('localIdentity: 1 to 39 letters, digits, ".", "-" and "_", beginning with a letter or digit', () => {
  for (const typed of ['ada', '  Ada.Lovelace_1-x ', '0', 'a'.repeat(39)]) {
    const name = typed.trim().toLowerCase();
    expect(localIdentity(typed), typed).to.deep.equal({ provider: 'local', subject: name, name });
  }
  for (const typed of ['', ' ', '.a', '-a', '_a', 'a b', 'ä', 'a'.repeat(40), 'a/b', '\u212Aelvin', 'a\0'])
    expect(localIdentity(typed), typed).to.equal(null);
});
