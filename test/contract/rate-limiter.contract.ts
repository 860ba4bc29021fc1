import { expect } from 'chai';
import { minuteOf, windowOf } from '../../shared/domain/windows.ts';
import type { RateLimiter } from '../../shared/ports/rate-limiter.ts';
import { inParallel, later, start } from './records.ts';

/** What any limiter must do for RateLimiter. */
export function describeRateLimiterContract(engine: string, openLimiter: () => Promise<RateLimiter>): void {
  describe(`RateLimiter (${engine})`, () => {
    const minute = minuteOf(start);
    const nextMinute = minuteOf(later);
    let limiter: RateLimiter;

    beforeEach(async () => {
      limiter = await openLimiter();
    });

    it('lets the limit through and no more', async () => {
      const taken = [];
      for (let i = 0; i < 5; i++) taken.push(await limiter.take('k', 3, minute));
      expect(taken).to.deep.equal([true, true, true, false, false]);
    });

    it('lets exactly 60 of 80 through that come at once', async () => {
      const taken = await inParallel(80, () => limiter.take('k', 60, minute));
      expect(taken.filter(Boolean)).to.have.length(60);
    });

    it('lets none through where the limit is 0', async () => {
      expect(await limiter.take('k', 0, minute)).to.equal(false);
    });

    it('counts anew in the next window, which is the one it is told', async () => {
      await limiter.take('k', 1, minute);
      expect(await limiter.take('k', 1, nextMinute)).to.equal(true);
      expect(await limiter.take('k', 1, minute)).to.equal(false);
    });

    it('counts each key by itself, and each length of window', async () => {
      await limiter.take('k', 1, minute);
      expect(await limiter.take('other', 1, minute)).to.equal(true);
      expect(await limiter.take('k', 1, { ...windowOf(start, 600_000), id: minute.id })).to.equal(true);
    });

    it('does not count what it refused: one given back makes room for one', async () => {
      await limiter.take('k', 1, minute);
      await inParallel(10, () => limiter.take('k', 1, minute));
      await limiter.giveBack('k', minute);
      expect(await limiter.take('k', 1, minute)).to.equal(true);
      expect(await limiter.take('k', 1, minute)).to.equal(false);
    });

    it('makes no room by giving back what was not taken', async () => {
      await limiter.giveBack('k', minute);
      await limiter.take('k', 1, nextMinute);
      await limiter.take('k', 1, minute);
      for (let i = 0; i < 3; i++) await limiter.giveBack('k', minute);
      expect(await limiter.take('k', 1, minute)).to.equal(true);
      expect(await limiter.take('k', 1, minute)).to.equal(false);
      expect(await limiter.take('k', 1, nextMinute)).to.equal(false);
    });
  });
}
