import { expect } from 'chai';
import type { Token } from '../../shared/domain/token.ts';
import { hashToken } from '../../shared/domain/token.ts';
import { createTokens } from '../../shared/services/tokens.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

function openScene({ isTaken = (): boolean => false, touches = true } = {}) {
  const records: Token[] = [];
  const touched: number[] = [];
  const clock = createTestClock();
  const tokens = createTokens({
    clock,
    log: createRecordingLog(),
    tokens: {
      async insert(token) {
        if (isTaken()) return 'id_taken';
        records.push(token);
        return 'inserted';
      },
      findByHash: async (hash) => records.find((token) => token.hash === hash) ?? null,
      list: async () => records,
      revoke: async () => false,
      async touch(_, now) {
        if (!touches) throw new Error('away');
        touched.push(now);
      },
    },
  });
  return { records, touched, clock, tokens };
}

describe('Tokens', () => {
  it('are kept as a hash, with the label and the time', async () => {
    const { tokens, records, clock } = openScene();
    const token = await tokens.mint('account', 'cron');
    const kept = { accountId: 'account', label: 'cron', createdAt: clock.now(), lastUsedAt: null };
    expect(records).to.have.length(1);
    expect(records[0]).to.include({ ...kept, hash: hashToken(token) });
    expect(JSON.stringify(records)).to.not.include(token);
  });

  it('are drawn again where the id is taken, and not for ever', async () => {
    let left = 3;
    const { tokens, records } = openScene({ isTaken: () => left-- > 0 });
    await tokens.mint('account', null);
    expect(records).to.have.length(1);
    const full = openScene({ isTaken: () => true });
    let failure: unknown;
    await full.tokens.mint('account', null).catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.be.an('error');
  });

  it('work where their use cannot be noted', async () => {
    const { tokens, clock } = openScene({ touches: false });
    const token = await tokens.mint('account', null);
    const caller = await tokens.authenticate(`Bearer ${token}`);
    expect(caller).to.deep.include({ accountId: 'account', ownerId: 'account' });
    expect(caller.token.lastUsedAt).to.equal(clock.now());
  });
});
