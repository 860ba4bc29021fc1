import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { minuteMs, timeWindowOf } from '../../shared/domain/time-windows.ts';
import { Attempts } from '../../shared/limits/attempts.ts';
import { MemoryRateLimiter } from '../../shared/limits/memory.ts';
import type { RateLimiter } from '../../shared/limits/rate-limiter.ts';
import { expectReserved } from '../contract/rate-limiter.contract.ts';
import { inParallel, start } from '../contract/records.ts';
import { rejectionOf } from '../support/rejection.ts';

interface Try {
  readonly address?: string;
  readonly drop?: string;
  readonly limit?: number;
  readonly isRight: boolean;
}

const refused = new DropError('rate_limited', 'too many');

/** Attempts at drops, of one process. Each takes a turn of the event loop. */
function createScene(limiter: Pick<RateLimiter, 'reserve'>, pause?: () => Promise<void>) {
  const deps = { limiter, clock: { now: () => start }, ...(pause && { pause }) };
  const attempts = new Attempts(deps, minuteMs, () => refused);
  const state = { running: 0, most: 0, checked: [] as string[] };
  return {
    state,
    run: ({ address = 'a', drop = 'd', limit = 10, isRight }: Try) =>
      attempts.run({
        visitor: { address, network: address },
        quotas: [{ key: drop, limit }],
        async act() {
          state.running += 1;
          state.most = Math.max(state.most, state.running);
          await new Promise(setImmediate);
          state.running -= 1;
          state.checked.push(`${address} at ${drop}`);
          return isRight;
        },
        counts: (result) => !result,
      }),
  };
}

/** The results of that many parallel attempts, or the codes of their errors. */
async function many(count: number, run: (n: number) => Promise<boolean>): Promise<(boolean | string)[]> {
  return inParallel(count, (n) => run(n).catch((error: DropError) => error.code));
}

const countOf = (results: readonly (boolean | string)[], what: boolean | string) =>
  results.filter((result) => result === what).length;

describe('Attempts, of which only failed ones count', () => {
  it('30 parallel right ones succeed, one at a time, also beside 9 wrong ones of 10', async () => {
    const { run, state } = createScene(new MemoryRateLimiter());
    for (let n = 0; n < 9; n++) await run({ isRight: false });
    expect(countOf(await many(30, () => run({ isRight: true })), true)).to.equal(30);
    expect(
      countOf(await many(30, (n) => run({ address: `${n}`, isRight: true })), true),
      'other addresses',
    ).to.equal(30);
    expect(state.most).to.equal(1);
  });

  it('many attempts of one network delay no other, at its drop or elsewhere', async () => {
    const { run, state } = createScene(new MemoryRateLimiter());
    const flood = inParallel(100, (n) => run({ drop: `d${n % 2}`, isRight: true }));
    await inParallel(2, (n) => run({ address: 'quiet', drop: `d${n}`, isRight: true }));
    expect(state.checked.length).to.be.below(8);
    await flood;
  });

  it('many networks at one drop delay no other drop', async () => {
    const { run, state } = createScene(new MemoryRateLimiter());
    const flood = inParallel(100, (n) => run({ address: `a${n}`, isRight: true }));
    await run({ address: 'quiet', drop: 'quiet', isRight: true });
    expect(state.checked.length).to.be.below(8);
    await flood;
  });

  it('unavailable for the network, or the drop, with the most waiting attempts when too many wait', async () => {
    for (const nameOf of [() => 'a', (n: number) => `a${n}`]) {
      const { run } = createScene(new MemoryRateLimiter());
      const flood = many(300, (n) => run({ address: nameOf(n), isRight: true }));
      expect(await run({ address: 'quiet', drop: 'quiet', isRight: true })).to.equal(true);
      const results = await flood;
      expect(countOf(results, 'unavailable')).to.be.within(98, 100);
      expect(countOf(results, true)).to.equal(300 - countOf(results, 'unavailable'));
    }
  });

  it('waits for those that another process checks, and lets other attempts pass meanwhile', async () => {
    const limiter = new MemoryRateLimiter();
    const other = createScene(limiter);
    const reserved = await limiter.reserve([{ key: 'd', limit: 1 }], timeWindowOf(start, minuteMs));
    const waiting = other.run({ limit: 1, isRight: true });
    expect(await other.run({ address: 'b', drop: 'else', isRight: true })).to.equal(true);
    expect(other.state.checked).to.deep.equal(['b at else']);
    await expectReserved(reserved).settle(false);
    expect(await waiting).to.equal(true);
  });

  it('unavailable, and not checked, if those of another process are never settled', async () => {
    let paused = 0;
    const pause = async () => {
      paused += 1;
    };
    const { run, state } = createScene({ reserve: async () => 'busy' }, pause);
    expect(await rejectionOf(run({ isRight: true }))).to.include({ code: 'unavailable' });
    expect(paused).to.be.within(10, 100);
    expect(state.checked).to.deep.equal([]);
  });
});
