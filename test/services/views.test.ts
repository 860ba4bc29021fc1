import { expect } from 'chai';
import type { ViewCount } from '../../shared/ports/view-counter.ts';
import { createViews } from '../../shared/services/views.ts';
import { createTestClock } from '../support/clock.ts';

interface Flush {
  readonly writer: string;
  readonly number: number;
  readonly counts: readonly ViewCount[];
}

/** A counter that notes what it is given, and whose answer can be lost after it has. */
function createCounter() {
  const flushes: Flush[] = [];
  const state = { losesAnswers: false };
  return {
    flushes,
    state,
    async add(writer: string, number: number, counts: readonly ViewCount[]) {
      flushes.push({ writer, number, counts });
      if (state.losesAnswers) throw new Error('the answer was lost');
    },
    openBatch: async () => null,
    closeBatch: async () => undefined,
    forgetWriters: async () => undefined,
  };
}

const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

describe('Views in the web process', () => {
  it('are handed on in sums for each drop and day, under numbers that rise', async () => {
    const counter = createCounter();
    const clock = createTestClock(Date.UTC(2026, 0, 15, 23, 59));
    const views = createViews({ counter, clock, log });
    views.count('a');
    views.count('a');
    views.count('b');
    clock.advance(120_000);
    views.count('a');
    await views.flush();
    views.count('b');
    await views.close();
    expect(counter.flushes.map(({ number }) => number)).to.deep.equal([1, 2]);
    expect(counter.flushes[0]?.counts).to.deep.equal([
      { dropId: 'a', day: '2026-01-15', count: 2 },
      { dropId: 'b', day: '2026-01-15', count: 1 },
      { dropId: 'a', day: '2026-01-16', count: 1 },
    ]);
  });

  it('are handed on again under the same number after an unknown outcome, and later ones under the next', async () => {
    const counter = createCounter();
    const views = createViews({ counter, clock: createTestClock(), log });
    counter.state.losesAnswers = true;
    views.count('a');
    let failure: unknown;
    await views.flush().catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.be.an('error');
    views.count('a');
    counter.state.losesAnswers = false;
    await views.close();
    const [first, again, next] = counter.flushes;
    expect(again).to.deep.equal(first);
    expect(next?.number).to.equal(2);
    expect(next?.counts.map(({ count }) => count)).to.deep.equal([1]);
    expect(counter.flushes).to.have.length(3);
  });

  it('hand on nothing when there is nothing', async () => {
    const counter = createCounter();
    const views = createViews({ counter, clock: createTestClock(), log });
    await views.close();
    expect(counter.flushes).to.deep.equal([]);
  });
});
