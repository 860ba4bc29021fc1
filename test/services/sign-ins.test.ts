import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSealer } from '../../shared/adapters/jose/sealer.ts';
import { createSqliteAccountStore } from '../../shared/adapters/sqlite/account-store.ts';
import { openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteSignInStore } from '../../shared/adapters/sqlite/sign-in-store.ts';
import { createSqliteTokenStore } from '../../shared/adapters/sqlite/token-store.ts';
import { localIdentity } from '../../shared/domain/account.ts';
import { hashToken, isWellFormedToken } from '../../shared/domain/token.ts';
import type { SignInStore } from '../../shared/ports/sign-in-store.ts';
import type { TokenStore } from '../../shared/ports/token-store.ts';
import { createSignIns } from '../../shared/services/sign-ins.ts';
import { createTokens } from '../../shared/services/tokens.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const config = { SIGN_IN_TTL_SECONDS: 600, SIGN_IN_KEEP_SECONDS: 86_400, POLL_INTERVAL_SECONDS: 2 };
const requester = { address: '203.0.113.7', userAgent: 'curl/8.5.0' };
const ada = { provider: 'github:https://github.com', subject: '1815', name: 'ada' };
const ttl = 600_000;
const keep = 86_400_000;

function openScene() {
  const dir = makeTempDir();
  const db = openDatabase(join(dir, 'test.sqlite'));
  const clock = createTestClock();
  const stores = {
    signIns: createSqliteSignInStore(db),
    accounts: createSqliteAccountStore(db),
    tokens: createSqliteTokenStore(db),
  };
  const first = 'a secret of thirty-two characters';
  let { hashes } = createSealer([first], clock);
  const acceptSecrets = (...secrets: [string, ...string[]]) => {
    ({ hashes } = createSealer(secrets, clock));
  };
  const log = createRecordingLog();
  const over = ({ signIns = stores.signIns, tokens = stores.tokens }: Partial<typeof stores>) =>
    createSignIns({
      ...stores,
      signIns,
      tokens: createTokens({ tokens, clock, log }),
      sealer: { hashes: (...args) => hashes(...args) },
      clock,
      config,
    });
  const signIns = over({});

  return {
    ...stores,
    clock,
    service: signIns,
    first,
    acceptSecrets,
    /** The service over a store that behaves otherwise in places. */
    over,
    /** A sign-in that Ada has approved. */
    async approved(label: string | null = null) {
      const started = await signIns.start(label, requester);
      const signIn = await signIns.findByCode(started.code);
      const account = await signIns.signInWith(ada);
      expect(await signIns.approve(signIn?.id ?? '', account.id)).to.equal(true);
      return { ...started, id: signIn?.id ?? '', account };
    },
    async close() {
      await db.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

describe('sign-ins', () => {
  let scene: ReturnType<typeof openScene>;
  beforeEach(() => {
    scene = openScene();
  });
  afterEach(() => scene.close());

  const statusOf = async (pollToken: string) => (await scene.service.poll(pollToken)).status;

  async function idOf(code: string): Promise<string> {
    const signIn = await scene.service.findByCode(code);
    if (signIn === null) throw new Error(`no sign-in for ${code}`);
    return signIn.id;
  }

  describe('start', () => {
    it('gives a code for the human and a poll token for the client', async () => {
      const started = await scene.service.start('laptop', requester);
      expect(started.code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      expect(started.pollToken).to.match(/^[0-9A-Za-z]{43}$/);
      expect(started).to.include({ expiresInSeconds: 600, pollIntervalSeconds: 2 });
    });

    it('keeps neither of the two in the clear', async () => {
      const { code, pollToken } = await scene.service.start('laptop', requester);
      const kept = JSON.stringify(await scene.service.findByCode(code));
      expect(kept).to.include('laptop').and.include('203.0.113.7').and.include('curl');
      expect(kept).to.not.include(code).and.not.include(pollToken).and.not.include(code.replace('-', ''));
    });

    it('makes another code when a kept sign-in has it', async () => {
      let refusals = 3;
      const insert: SignInStore['insert'] = async (signIn) =>
        refusals-- > 0 ? 'code_taken' : scene.signIns.insert(signIn);
      const started = await scene.over({ signIns: { ...scene.signIns, insert } }).start(null, requester);
      expect(refusals).to.equal(-1);
      expect(await scene.service.findByCode(started.code)).to.not.equal(null);
    });
  });

  describe('findByCode', () => {
    it('takes the code however it was typed', async () => {
      const { code } = await scene.service.start(null, requester);
      for (const typed of [code, code.toLowerCase(), code.replace('-', ''), ` ${code.replace('-', ' ')} `]) {
        expect(await scene.service.findByCode(typed), typed).to.not.equal(null);
      }
    });

    it('takes it also after the signing secret was replaced', async () => {
      const { code } = await scene.service.start(null, requester);
      scene.acceptSecrets('a newer secret of thirty-two chars', scene.first);
      expect(await scene.service.findByCode(code)).to.not.equal(null);
      scene.acceptSecrets('a newer secret of thirty-two chars');
      expect(await scene.service.findByCode(code), 'when the old one is no longer accepted').to.equal(null);
    });

    it('never means two: no code is given that a sign-in has under a secret before', async () => {
      const { code } = await scene.service.start(null, requester);
      const kept = await scene.service.findByCode(code);
      scene.acceptSecrets('a newer secret of thirty-two chars', scene.first);
      const asked: string[] = [];
      const findByCode: SignInStore['findByCode'] = async (codeHash) => {
        asked.push(codeHash);
        return asked.length < 3 ? kept : null;
      };
      await scene.over({ signIns: { ...scene.signIns, findByCode } }).start(null, requester);
      expect(new Set(asked).size).to.equal(3);
    });

    it('knows no other', async () => {
      await scene.service.start(null, requester);
      for (const typed of ['', 'BCDF', 'BCDF-GHJK', 'not a code', '\0']) {
        expect(await scene.service.findByCode(typed), typed).to.equal(null);
      }
    });

    it('knows it no more once it is approved, denied or expired', async () => {
      const approved = await scene.approved();
      expect(await scene.service.findByCode(approved.code)).to.equal(null);
      const denied = await scene.service.start(null, requester);
      await scene.service.deny(await idOf(denied.code));
      expect(await scene.service.findByCode(denied.code)).to.equal(null);
      const late = await scene.service.start(null, requester);
      const id = await idOf(late.code);
      scene.clock.advance(ttl - 1);
      expect(await scene.service.findByCode(late.code)).to.not.equal(null);
      expect(await scene.service.findPending(id)).to.not.equal(null);
      scene.clock.advance(1);
      expect(await scene.service.findByCode(late.code)).to.equal(null);
      expect(await scene.service.findPending(id)).to.equal(null);
    });
  });

  describe('poll', () => {
    it('pending until somebody decides, at the cost of one read', async () => {
      let reads = 0;
      const counted = new Proxy(scene.signIns, {
        get: (store, name: keyof SignInStore) => {
          reads++;
          return store[name];
        },
      });
      const { pollToken } = await scene.service.start(null, requester);
      for (let i = 0; i < 3; i++)
        expect(await scene.over({ signIns: counted }).poll(pollToken)).to.deep.equal({ status: 'pending' });
      expect(reads).to.equal(3);
    });

    it('verified once, with the token and the user; then claimed', async () => {
      const { pollToken, account } = await scene.approved('laptop');
      const result = await scene.service.poll(pollToken);
      if (result.status !== 'verified') throw new Error(result.status);
      expect(result.userId).to.equal(account.id);
      expect(isWellFormedToken(result.apiToken)).to.equal(true);
      const record = await scene.tokens.findByHash(hashToken(result.apiToken));
      expect(record?.token).to.include({ accountId: account.id, label: 'laptop', lastUsedAt: null });
      expect(await scene.service.poll(pollToken)).to.deep.equal({ status: 'claimed' });
      expect(await scene.service.poll(pollToken)).to.deep.equal({ status: 'claimed' });
    });

    it('20 parallel polls reveal exactly one token', async () => {
      const { pollToken, account } = await scene.approved();
      const results = await Promise.all(Array.from({ length: 20 }, () => scene.service.poll(pollToken)));
      expect(results.map(({ status }) => status).sort()).to.deep.equal([
        ...Array(19).fill('claimed'),
        'verified',
      ]);
      expect(await scene.tokens.list(account.id)).to.have.length(1);
    });

    it('no token is made before the poll that claims', async () => {
      const { account } = await scene.approved();
      expect(await scene.tokens.list(account.id)).to.deep.equal([]);
    });

    it('a crash between claim and record leaves claimed and no token', async () => {
      const { pollToken, account } = await scene.approved();
      const insert = () => Promise.reject(new Error('crash'));
      const crashing = scene.over({ tokens: { ...scene.tokens, insert } });
      expect(await crashing.poll(pollToken).catch((error: Error) => error.message)).to.equal('crash');
      expect(await scene.service.poll(pollToken)).to.deep.equal({ status: 'claimed' });
      expect(await scene.tokens.list(account.id)).to.deep.equal([]);
    });

    for (const moment of ['insert', 'find'] as const) {
      it(`all tokens of the account are revoked between the claim and the token's ${moment}: none is revealed`, async () => {
        const { pollToken, account } = await scene.approved();
        const revokeAll = async () => {
          await scene.signIns.endOf(account.id);
          await scene.tokens.revokeAll(account.id);
        };
        const insert: TokenStore['insert'] = async (token) => {
          if (moment === 'insert') await revokeAll();
          const outcome = await scene.tokens.insert(token);
          if (moment === 'find') await revokeAll();
          return outcome;
        };
        const service = scene.over({ tokens: { ...scene.tokens, insert } });
        expect(await service.poll(pollToken)).to.deep.equal({ status: 'expired' });
        expect(await scene.tokens.list(account.id)).to.deep.equal([]);
        expect(await service.poll(pollToken)).to.deep.equal({ status: 'expired' });
      });
    }

    it('a token whose id is taken is made anew', async () => {
      const { pollToken, account } = await scene.approved();
      let refusals = 1;
      const insert: TokenStore['insert'] = async (token) =>
        refusals-- > 0 ? 'id_taken' : scene.tokens.insert(token);
      expect(await scene.over({ tokens: { ...scene.tokens, insert } }).poll(pollToken)).to.include({
        status: 'verified',
      });
      expect(await scene.tokens.list(account.id)).to.have.length(1);
    });

    it('expired after 600 s, before any job has written it down', async () => {
      const pending = await scene.service.start(null, requester);
      const verified = await scene.approved();
      scene.clock.advance(ttl - 1);
      expect(await statusOf(pending.pollToken)).to.equal('pending');
      scene.clock.advance(1);
      expect(await statusOf(pending.pollToken)).to.equal('expired');
      expect(await scene.service.poll(verified.pollToken)).to.deep.equal({ status: 'expired' });
      expect(await scene.tokens.list(verified.account.id)).to.deep.equal([]);
    });

    it('the same after the job has', async () => {
      const { pollToken } = await scene.service.start(null, requester);
      scene.clock.advance(ttl);
      await scene.signIns.expire(scene.clock.now());
      expect(await statusOf(pollToken)).to.equal('expired');
    });

    it('a claimed one stays claimed when its time is over', async () => {
      const { pollToken } = await scene.approved();
      await scene.service.poll(pollToken);
      scene.clock.advance(ttl);
      expect(await statusOf(pollToken)).to.equal('claimed');
    });

    it('the end that comes between look and claim is expired, and no token', async () => {
      const { pollToken, account } = await scene.approved();
      const claim: SignInStore['claim'] = async () => {
        scene.clock.advance(ttl);
        return null;
      };
      expect(await scene.over({ signIns: { ...scene.signIns, claim } }).poll(pollToken)).to.deep.equal({
        status: 'expired',
      });
      expect(await scene.tokens.list(account.id)).to.deep.equal([]);
    });

    it('expired at once when denied', async () => {
      const { code, pollToken } = await scene.service.start(null, requester);
      expect(await scene.service.deny(await idOf(code))).to.equal(true);
      expect(await scene.service.poll(pollToken)).to.deep.equal({ status: 'expired' });
    });

    it('not_found once the keep is over, whether the job has removed it or not', async () => {
      const expired = await scene.service.start(null, requester);
      const claimed = await scene.approved();
      await scene.service.poll(claimed.pollToken);
      scene.clock.advance(ttl + keep - 1);
      expect(await statusOf(expired.pollToken)).to.equal('expired');
      expect(await statusOf(claimed.pollToken)).to.equal('claimed');
      scene.clock.advance(1);
      expect(await statusOf(expired.pollToken)).to.equal('not_found');
      expect(await statusOf(claimed.pollToken)).to.equal('not_found');
      await scene.signIns.removeExpiredBefore(scene.clock.now() - keep + 1);
      expect(await statusOf(expired.pollToken)).to.equal('not_found');
    });

    it('not_found for what was never given out', async () => {
      const { code } = await scene.service.start(null, requester);
      for (const token of ['', 'x', code, 'A'.repeat(43), 'A'.repeat(10_000), '\0', "' OR 1=1 --"]) {
        expect(await scene.service.poll(token), token).to.deep.equal({ status: 'not_found' });
      }
    });
  });

  describe('approve and deny', () => {
    it('approving twice is one approval; another account cannot take it over', async () => {
      const { id, account, pollToken } = await scene.approved();
      expect(await scene.service.approve(id, account.id)).to.equal(true);
      const eve = await scene.service.signInWith({ ...ada, subject: '666', name: 'eve' });
      expect(await scene.service.approve(id, eve.id)).to.equal(false);
      expect(await scene.service.poll(pollToken)).to.include({ status: 'verified', userId: account.id });
      expect(await scene.service.approve(id, account.id)).to.equal(true);
      expect(await scene.service.approve(id, eve.id)).to.equal(false);
    });

    it('what is denied cannot be approved, and the other way round', async () => {
      const { code } = await scene.service.start(null, requester);
      const id = await idOf(code);
      const account = await scene.service.signInWith(ada);
      expect(await scene.service.deny(id)).to.equal(true);
      expect(await scene.service.deny(id)).to.equal(true);
      expect(await scene.service.approve(id, account.id)).to.equal(false);
      const approved = await scene.approved();
      expect(await scene.service.deny(approved.id)).to.equal(false);
      expect(await statusOf(approved.pollToken)).to.equal('verified');
    });

    it('too late to approve after 600 s', async () => {
      const { code, pollToken } = await scene.service.start(null, requester);
      const id = await idOf(code);
      const account = await scene.service.signInWith(ada);
      scene.clock.advance(ttl);
      expect(await scene.service.approve(id, account.id)).to.equal(false);
      expect(await statusOf(pollToken)).to.equal('expired');
    });

    it('nothing comes of an id that nobody has', async () => {
      const account = await scene.service.signInWith(ada);
      expect(await scene.service.approve('0'.repeat(32), account.id)).to.equal(false);
    });
  });

  describe('one account for one identity', () => {
    it('another machine gets a token of its own under the same user_id', async () => {
      const [first, second] = [await scene.approved('laptop'), await scene.approved('server')];
      const [a, b] = [await scene.service.poll(first.pollToken), await scene.service.poll(second.pollToken)];
      if (a.status !== 'verified' || b.status !== 'verified') throw new Error(`${a.status} ${b.status}`);
      expect(a.userId).to.equal(b.userId);
      expect(a.apiToken).to.not.equal(b.apiToken);
      const labels = (await scene.tokens.list(a.userId)).map(({ label }) => label);
      expect(labels).to.have.members(['laptop', 'server']);
      await scene.tokens.revoke(a.userId, hashToken(a.apiToken).slice(0, 12));
      expect(await scene.tokens.findByHash(hashToken(b.apiToken))).to.not.equal(null);
    });

    it('parallel first sign-ins of one identity share the account', async () => {
      const accounts = await Promise.all(Array.from({ length: 10 }, () => scene.service.signInWith(ada)));
      expect(new Set(accounts.map(({ id }) => id))).to.have.property('size', 1);
    });

    it('the same id or name at another provider is somebody else', async () => {
      const one = await scene.service.signInWith(ada);
      const other = await scene.service.signInWith({ ...ada, provider: 'github:https://git.example' });
      const local = await scene.service.signInWith({ provider: 'local', subject: 'ada', name: 'ada' });
      expect(new Set([one.id, other.id, local.id])).to.have.property('size', 3);
    });
  });
});

describe('localIdentity', () => {
  it('takes names of 1 to 39 letters, digits, dots, dashes and underscores', () => {
    for (const [typed, name] of [
      ['ada', 'ada'],
      ['  Ada.Lovelace_1-x ', 'ada.lovelace_1-x'],
      ['0', '0'],
      ['a'.repeat(39), 'a'.repeat(39)],
    ] as const) {
      expect(localIdentity(typed), typed).to.deep.equal({ provider: 'local', subject: name, name });
    }
  });

  it('takes no others', () => {
    for (const typed of [
      '',
      ' ',
      '.a',
      '-a',
      '_a',
      'a b',
      'ä',
      'a'.repeat(40),
      'a/b',
      '\u212Aelvin',
      'a\0',
    ]) {
      expect(localIdentity(typed), typed).to.equal(null);
    }
  });
});
