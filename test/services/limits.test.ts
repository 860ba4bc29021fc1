import { expect } from 'chai';
import { createMemoryRateLimiter } from '../../shared/adapters/memory/rate-limiter.ts';
import { triesFrom, type Visitor } from '../../shared/domain/visitor.ts';
import { tryWindowMs } from '../../shared/domain/windows.ts';
import { createLimits } from '../../shared/services/limits.ts';
import { start } from '../contract/records.ts';
import { rejectionOf } from '../support/rejection.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('Limits by address and network', () => {
  const noAccount = () => Promise.reject(new Error('no limit of an address asks for an account'));
  const accounts = { takeDailyWrite: noAccount, returnDailyWrite: noAccount };

  /** Limits, and the keys that they count. */
  function createScene() {
    const counted = new Set<string>();
    const memory = createMemoryRateLimiter();
    const limiter: typeof memory = {
      ...memory,
      take(key, ...rest) {
        counted.add(key);
        return memory.take(key, ...rest);
      },
    };
    const config = {
      WRITES_PER_MINUTE: 1,
      WRITES_PER_DAY: 1,
      CHANGES_PER_MINUTE: 1,
      SIGN_IN_STARTS_PER_MINUTE: 2,
      SIGN_INS_PER_ACCOUNT: 1,
    };
    const clock = { now: () => start };
    const limits = createLimits({ limiter, accounts, clock, log: createRecordingLog(), config });
    return { limits, counted };
  }

  const of = (subnet: number): Visitor => ({
    address: `2001:db8:1:${subnet}::/64`,
    network: '2001:db8:1::/48',
  });

  const ways: [
    string,
    (limits: ReturnType<typeof createScene>['limits'], visitor: Visitor) => Promise<unknown>,
  ][] = [
    ['sign-in starts', (limits, visitor) => limits.takeSignInStart(visitor)],
    ['tries', (limits, visitor) => limits.takeTry(triesFrom('code', visitor, 2), tryWindowMs)],
  ];
  for (const [name, take] of ways) {
    it(`${name}: a network that has used up its own is counted by no further address`, async () => {
      const { limits, counted } = createScene();
      for (let n = 0; n < 20; n++) await take(limits, of(n));
      const keys = counted.size;
      for (let n = 20; n < 100; n++) {
        expect(await rejectionOf(take(limits, of(n)))).to.include({ code: 'rate_limited' });
      }
      expect(counted).to.have.property('size', keys);
    });

    it(`${name}: what an address is refused does not count for its network`, async () => {
      const { limits } = createScene();
      for (let n = 0; n < 50; n++) await take(limits, of(1)).catch(() => undefined);
      for (let n = 0; n < 18; n++) await take(limits, of(2 + Math.floor(n / 2)));
      expect(await rejectionOf(take(limits, of(99)))).to.include({ code: 'rate_limited' });
    });

    it(`${name}: an IPv4 address, which is its own network, is counted once`, async () => {
      const { limits, counted } = createScene();
      await take(limits, { address: '192.0.2.1', network: '192.0.2.1' });
      expect(counted).to.have.property('size', 1);
    });
  }
});
