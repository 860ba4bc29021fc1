import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../shared/adapters/memory/rate-limiter.ts';
import { quotasOf, type Visitor } from '../../shared/domain/visitor.ts';
import type { Attempts } from '../../shared/services/attempts.ts';
import { createLimits } from '../../shared/services/limits.ts';
import { start } from '../contract/records.ts';
import { rejectionOf } from '../support/rejection.ts';

describe('Limits by address and network', () => {
  /** Limits, and the keys that they count. */
  function createScene() {
    const counted = new Set<string>();
    const memory = createMemoryRateLimiter();
    const limiter: typeof memory = {
      ...memory,
      async reserve(quotas, window) {
        const reserved = await memory.reserve(quotas, window);
        if (typeof reserved === 'object' && 'settle' in reserved) {
          for (const { key } of quotas) counted.add(key);
        }
        return reserved;
      },
    };
    const config = {
      WRITES_PER_MINUTE: 1,
      WRITES_PER_DAY: 1,
      CHANGES_PER_MINUTE: 1,
      SIGN_IN_STARTS_PER_MINUTE: 2,
      SIGN_INS_PER_ACCOUNT: 1,
    };
    const limits = createLimits({ limiter, clock: { now: () => start }, config });
    return { attempts: limits.attempts.code, counted };
  }

  const addressIn = (subnet: number): Visitor => ({
    address: `2001:db8:1:${subnet}::/64`,
    network: '2001:db8:1::/48',
  });
  const attempt = (attempts: Attempts, visitor: Visitor, isWrong = true) =>
    attempts.run({
      visitor,
      quotas: quotasOf('code', visitor, 2),
      check: async () => (isWrong ? 'wrong' : 'right'),
      counts: (result) => result === 'wrong',
    });

  it('an attempt from a network at its limit counts for no address; a refused attempt counts for neither', async () => {
    const { attempts, counted } = createScene();
    for (let n = 0; n < 50; n++) await attempt(attempts, addressIn(1)).catch(() => undefined);
    for (let n = 0; n < 18; n++) await attempt(attempts, addressIn(2 + Math.floor(n / 2)));
    const keys = counted.size;
    for (let n = 20; n < 100; n++)
      expect(await rejectionOf(attempt(attempts, addressIn(n)))).to.include({ code: 'rate_limited' });
    expect(counted).to.have.property('size', keys);
  });

  it('an IPv4 address, which is its own network, is counted once', async () => {
    const { attempts, counted } = createScene();
    await attempt(attempts, { address: '192.0.2.1', network: '192.0.2.1' });
    expect(counted).to.have.property('size', 1);
  });

  it('right attempts, and failed ones, do not count', async () => {
    const { attempts } = createScene();
    const visitor = addressIn(1);
    for (let n = 0; n < 5; n++) expect(await attempt(attempts, visitor, false)).to.equal('right');
    for (let n = 0; n < 5; n++) {
      const failing = () => Promise.reject(new Error('down'));
      const failed = attempts.run({
        visitor,
        quotas: quotasOf('code', visitor, 2),
        check: failing,
        counts: () => true,
      });
      expect(await rejectionOf(failed)).to.have.property('message', 'down');
    }
    for (let n = 0; n < 2; n++) await attempt(attempts, visitor);
    expect(await rejectionOf(attempt(attempts, visitor, false))).to.include({ code: 'rate_limited' });
  });
});
