import { expect } from 'chai';
import { tokenOf } from '../../shared/accounts/account.ts';
import type { Token } from '../../shared/credentials/token.ts';
import { Tokens } from '../../shared/credentials/tokens.ts';
import { createTestClock } from '../support/clock.ts';
import { createThrottledRecordingLog } from '../worker/recording-log.ts';

interface SceneOptions {
  readonly isTaken?: () => boolean;
  readonly touches?: boolean;
}

function openScene({ isTaken = () => false, touches = true }: SceneOptions = {}) {
  const records: Token[] = [];
  const touched: number[] = [];
  /** What each touch waits for. */
  const state = { answer: Promise.resolve() };
  const clock = createTestClock();
  const log = createThrottledRecordingLog(clock);
  const tokens = new Tokens({
    clock,
    log,
    signIns: { countVerified: async () => 0 },
    limits: { take: async () => undefined },
    config: { TOKENS_PER_ACCOUNT: 200 },
    tokens: {
      async insert(token) {
        if (isTaken()) return false;
        records.push(token);
        return true;
      },
      async findByHash(hash) {
        const credential = records.find((record) => record.hash === hash);
        const account = {
          name: 'any',
          isSuspended: false,
          countsAs: 'account',
          commentsSeen: 0,
          defaultAccess: null,
        };
        return credential === undefined ? null : { credential, account };
      },
      find: async (id) => records.find((token) => token.id === id) ?? null,
      async list(_, limit, after = null) {
        const newest = records.toReversed();
        const at = after === null ? 0 : newest.findIndex(({ id }) => id === after.id) + 1;
        return newest.slice(at, at + limit);
      },
      rename: async () => null,
      revoke: async () => false,
      revokeSome: async () => 0,
      countActive: async () => records.length,
      removeExpiredBefore: async () => undefined,
      async touch(_, now) {
        touched.push(now);
        await state.answer;
        if (!touches) throw new Error('away');
      },
    },
  });
  return { records, touched, state, clock, log, tokens };
}

describe('Tokens', () => {
  it('are generated again if the id is taken, a limited number of times', async () => {
    let left = 3;
    const { tokens, records } = openScene({ isTaken: () => left-- > 0 });
    await tokens.mint('account', { label: null, scope: 'all' });
    expect(records).to.have.length(1);
    const full = openScene({ isTaken: () => true });
    let failure: unknown;
    await full.tokens.mint('account', { label: null, scope: 'all' }).catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.be.an('error');
  });

  it('are accepted if their use cannot be recorded', async () => {
    const { tokens, clock } = openScene({ touches: false });
    const token = await tokens.mint('account', { label: null, scope: 'all' });
    const caller = await tokens.authenticate(`Bearer ${token}`);
    expect(caller).to.deep.include({ accountId: 'account' });
    expect(tokenOf(caller).lastUsedAt).to.equal(clock.now());
  });

  it('are accepted without waiting for the record of their use; one record per token runs at a time', async () => {
    const { tokens, touched, state, clock } = openScene();
    const one = await tokens.mint('account', { label: null, scope: 'all' });
    const two = await tokens.mint('account', { label: null, scope: 'all' });
    let answer: () => void = () => undefined;
    state.answer = new Promise((resolve) => {
      answer = resolve;
    });
    for (let n = 0; n < 100; n++) await tokens.authenticate(`Bearer ${one}`);
    await tokens.authenticate(`Bearer ${two}`);
    expect(touched).to.have.length(2);
    answer();
    await new Promise(setImmediate);
    clock.advance(60_000);
    await tokens.authenticate(`Bearer ${one}`);
    expect(touched).to.have.length(3);
  });

  it('are listed in parts: one of expired tokens alone is empty, and names where the next begins', async () => {
    const { tokens, records, clock } = openScene();
    for (const expiresAt of [null, clock.now() + 1, clock.now() + 1])
      await tokens.mint('account', { label: null, scope: 'all', expiresAt });
    clock.advance(1);
    const account = { accountId: 'account' };
    const first = await tokens.list(account, 2);
    expect(first.tokens).to.deep.equal([]);
    expect(first.next).to.include({ id: records[1]?.id });
    expect(await tokens.list(account, 2, first.next)).to.deep.equal({ tokens: [records[0]], next: null });
  });

  it('a use that cannot be recorded is logged once a minute', async () => {
    const { tokens, touched, log } = openScene({ touches: false });
    const token = await tokens.mint('account', { label: null, scope: 'all' });
    for (let n = 0; n < 10; n++) {
      await tokens.authenticate(`Bearer ${token}`);
      await new Promise(setImmediate);
    }
    expect(touched).to.have.length(10);
    expect(log.lines.map(({ level }) => level)).to.deep.equal(['warn']);
  });
});
