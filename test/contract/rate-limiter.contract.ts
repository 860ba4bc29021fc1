import { expect } from 'chai';
import { minuteMs, windowOf } from '../../shared/domain/windows.ts';
import type { RateLimiter } from '../../shared/ports/rate-limiter.ts';
import { inParallel, later, start } from './records.ts';

const minute = windowOf(start, minuteMs);
const nextMinute = windowOf(later, minuteMs);

/** Calls of a limiter for one key in one window. */
export function countsOf(limiter: RateLimiter, limit: number, key = 'k', window = minute) {
  const quotas = [{ key, limit }];
  return {
    take: async () => (await limiter.take(quotas, window)) === null,
    giveBack: () => limiter.giveBack(quotas, window),
    /** How many of that many parallel calls are accepted. */
    takeMany: async (count: number) =>
      (await inParallel(count, () => limiter.take(quotas, window))).filter((full) => full === null).length,
  };
}

/** The behaviour of RateLimiter that all adapters share. */
export function describeRateLimiterContract(engine: string, openLimiter: () => Promise<RateLimiter>): void {
  describe(`RateLimiter (${engine})`, () => {
    let limiter: RateLimiter;

    beforeEach(async () => {
      limiter = await openLimiter();
    });

    const count = (limit: number, key = 'k', window = minute) => countsOf(limiter, limit, key, window);

    it('accepts as many as the limit, one after the other and in parallel', async () => {
      const taken = [];
      for (let i = 0; i < 5; i++) taken.push(await count(3).take());
      expect(taken).to.deep.equal([true, true, true, false, false]);
      expect(await count(60, 'parallel').takeMany(80)).to.equal(60);
      expect(await count(0, 'none').take()).to.equal(false);
    });

    it('counts each key, each window and each length of window apart', async () => {
      const others = [
        count(1, 'other'),
        count(1, 'k', nextMinute),
        count(1, 'k', { ...windowOf(start, 600_000), id: minute.id }),
      ];
      for (const each of [count(1), ...others]) expect(await each.take()).to.equal(true);
      for (const each of [count(1), ...others]) expect(await each.take()).to.equal(false);
    });

    it('does not count a refused call: after one is given back one more is accepted', async () => {
      await count(1).take();
      await count(1).takeMany(10);
      await count(1).giveBack();
      expect(await count(1).takeMany(2)).to.equal(1);
    });

    it('never counts below 0', async () => {
      await count(1).giveBack();
      await count(1, 'k', nextMinute).take();
      await count(1).take();
      for (let i = 0; i < 3; i++) await count(1).giveBack();
      expect(await count(1).takeMany(2)).to.equal(1);
      expect(await count(1, 'k', nextMinute).take()).to.equal(false);
    });

    it('counts several keys, or none of them if one has reached its limit, and says which', async () => {
      const [drop, address, network] = ['drop', 'address', 'network'].map((key, i) => ({
        key,
        limit: 3 - i,
      }));
      if (drop === undefined || address === undefined || network === undefined) throw new Error('three');
      expect(await limiter.take([drop, address, network], minute)).to.equal(null);
      for (let i = 0; i < 5; i++)
        expect(await limiter.take([drop, address, network], minute)).to.deep.equal(network);
      expect(await limiter.take([drop, address], minute)).to.equal(null);
      expect(await limiter.take([drop, address], minute)).to.deep.equal(address);
      await limiter.giveBack([drop, address, network], minute);
      expect(await limiter.take([drop, address, network], minute)).to.equal(null);
    });
  });
}
