import { expect } from 'chai';
import { minuteMs, timeWindowOf } from '../../shared/domain/time-windows.ts';
import type { Quota, RateLimiter, Reservation } from '../../shared/limits/rate-limiter.ts';
import { useEach } from '../support/between.ts';
import { inParallel, later, start } from './records.ts';

const minute = timeWindowOf(start, minuteMs);
const nextMinute = timeWindowOf(later, minuteMs);

/** Calls of a limiter for one key in one window. */
export function countsOf(limiter: RateLimiter, limit: number, key = 'k', window = minute) {
  const quotas = [{ key, limit }];
  return {
    take: async () => (await limiter.take(quotas, window)) === null,
    reserve: () => limiter.reserve(quotas, window),
    /** How many of that many parallel calls are accepted. */
    takeMany: async (count: number) =>
      (await inParallel(count, () => limiter.take(quotas, window))).filter((full) => full === null).length,
  };
}

/** The reservation, which was accepted. */
export function expectReserved(reserved: Reservation | Quota | 'busy'): Reservation {
  if (reserved === 'busy' || !('settle' in reserved))
    expect.fail(`not reserved: ${JSON.stringify(reserved)}`);
  return reserved;
}

/** The behaviour of RateLimiter that all adapters share. */
export function describeRateLimiterContract(engine: string, openLimiter: () => Promise<RateLimiter>): void {
  describe(`RateLimiter (${engine})`, () => {
    const limiter = useEach(openLimiter);

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
        count(1, 'k', { ...timeWindowOf(start, 600_000), id: minute.id }),
      ];
      for (const each of [count(1), ...others]) expect(await each.take()).to.equal(true);
      for (const each of [count(1), ...others]) expect(await each.take()).to.equal(false);
    });

    it('counts a reservation until it is settled, and then only if it is to be counted', async () => {
      const right = expectReserved(await count(2).reserve());
      const wrong = expectReserved(await count(2).reserve());
      expect(await count(2).take()).to.equal(false);
      await right.settle(false);
      await wrong.settle(true);
      expect(await count(2).takeMany(3)).to.equal(1);
    });

    it('reserve: `busy` while reservations may be taken back, then the quota that is used up', async () => {
      const quota = { key: 'k', limit: 2 };
      await count(2).take();
      const reserved = expectReserved(await count(2).reserve());
      expect(await count(2).reserve()).to.equal('busy');
      expect(await count(1).reserve(), 'used up without the reservation').to.deep.equal({
        ...quota,
        limit: 1,
      });
      await reserved.settle(false);
      await expectReserved(await count(2).reserve()).settle(true);
      expect(await count(2).reserve()).to.deep.equal(quota);
      expect(await count(0, 'none').reserve()).to.deep.equal({ key: 'none', limit: 0 });
    });

    it('reserves as many as the limit of parallel calls, whatever becomes of them', async () => {
      const all = await inParallel(80, () => count(60).reserve());
      expect(all.filter((each) => each === 'busy')).to.have.length(20);
      const reserved = all.filter((each) => each !== 'busy').map(expectReserved);
      await inParallel(60, (n) => reserved[n]?.settle(n < 50) ?? expect.fail('60 reservations'));
      expect(await count(60).takeMany(20)).to.equal(10);
    });

    it('does not count a refused call', async () => {
      const reserved = expectReserved(await count(1).reserve());
      for (let n = 0; n < 5; n++) expect(await count(1).reserve()).to.equal('busy');
      await count(1).takeMany(10);
      await reserved.settle(false);
      expect(await count(1).takeMany(2)).to.equal(1);
    });

    it('reserves several keys, or none of them if one has reached its limit', async () => {
      const drop = { key: 'drop', limit: 3 };
      const address = { key: 'address', limit: 1 };
      const reserved = expectReserved(await limiter.reserve([drop, address], minute));
      for (let n = 0; n < 5; n++) expect(await limiter.reserve([drop, address], minute)).to.equal('busy');
      await expectReserved(await limiter.reserve([drop], minute)).settle(false);
      await reserved.settle(true);
      for (let n = 0; n < 5; n++)
        expect(await limiter.reserve([drop, address], minute)).to.deep.equal(address);
      expect(await count(3, 'drop').takeMany(5)).to.equal(2);
    });

    it('counts several keys, or none of them if one has reached its limit, and says which', async () => {
      const drop = { key: 'drop', limit: 3 };
      const address = { key: 'address', limit: 2 };
      const network = { key: 'network', limit: 1 };
      expect(await limiter.take([drop, address, network], minute)).to.equal(null);
      for (let i = 0; i < 5; i++)
        expect(await limiter.take([drop, address, network], minute)).to.deep.equal(network);
      expect(await limiter.take([drop, address], minute)).to.equal(null);
      expect(await limiter.take([drop, address], minute)).to.deep.equal(address);
    });
  });
}
