import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../shared/adapters/memory/rate-limiter.ts';
import { quotasOf, type Visitor } from '../../shared/domain/visitor.ts';
import { createLimits } from '../../shared/services/limits.ts';
import { start } from '../contract/records.ts';
import { rejectionOf } from '../support/rejection.ts';

describe('Limits by address and network', () => {
  const noAccount = () => Promise.reject(new Error('limits of addresses need no account'));
  const accounts = { takeDailyWrite: noAccount, returnDailyWrite: noAccount };

  /** Limits, and the keys that they count. */
  function createScene() {
    const counted = new Set<string>();
    const memory = createMemoryRateLimiter();
    const limiter: typeof memory = {
      ...memory,
      async take(quotas, window) {
        const full = await memory.take(quotas, window);
        if (full === null) for (const { key } of quotas) counted.add(key);
        return full;
      },
    };
    const config = {
      WRITES_PER_MINUTE: 1,
      WRITES_PER_DAY: 1,
      CHANGES_PER_MINUTE: 1,
      SIGN_IN_STARTS_PER_MINUTE: 2,
      SIGN_INS_PER_ACCOUNT: 1,
    };
    return { limits: createLimits({ limiter, accounts, clock: { now: () => start }, config }), counted };
  }

  type TestLimits = ReturnType<typeof createScene>['limits'];

  const addressIn = (subnet: number): Visitor => ({
    address: `2001:db8:1:${subnet}::/64`,
    network: '2001:db8:1::/48',
  });
  const attempt = (limits: TestLimits, visitor: Visitor, isWrong = true) =>
    limits.countIf(
      (result) => result === 'wrong',
      async () => (isWrong ? 'wrong' : 'right'),
      { quotas: quotasOf('code', visitor, 2) },
    );

  it('an attempt from a network at its limit counts for no address; a refused attempt counts for neither', async () => {
    const { limits, counted } = createScene();
    for (let n = 0; n < 50; n++) await attempt(limits, addressIn(1)).catch(() => undefined);
    for (let n = 0; n < 18; n++) await attempt(limits, addressIn(2 + Math.floor(n / 2)));
    const keys = counted.size;
    for (let n = 20; n < 100; n++)
      expect(await rejectionOf(attempt(limits, addressIn(n)))).to.include({ code: 'rate_limited' });
    expect(counted).to.have.property('size', keys);
  });

  it('an IPv4 address, which is its own network, is counted once', async () => {
    const { limits, counted } = createScene();
    await attempt(limits, { address: '192.0.2.1', network: '192.0.2.1' });
    expect(counted).to.have.property('size', 1);
  });

  it('right attempts, and failed ones, do not count', async () => {
    const { limits } = createScene();
    const visitor = addressIn(1);
    for (let n = 0; n < 5; n++) expect(await attempt(limits, visitor, false)).to.equal('right');
    for (let n = 0; n < 5; n++) {
      const failing = () => Promise.reject(new Error('down'));
      const failed = limits.countIf(() => true, failing, { quotas: quotasOf('code', visitor, 2) });
      expect(await rejectionOf(failed)).to.have.property('message', 'down');
    }
    for (let n = 0; n < 2; n++) await attempt(limits, visitor);
    expect(await rejectionOf(attempt(limits, visitor, false))).to.include({ code: 'rate_limited' });
  });
});
