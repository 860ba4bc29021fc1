import { expect } from 'chai';
import type { ViewCount } from '../../shared/ports/view-counter.ts';
import { createViews } from '../../shared/services/views.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

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

const log = createRecordingLog();

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

  describe('while the counter is away', () => {
    it('take as much room as there are drops viewed, and are counted when it is back', async () => {
      const counter = createCounter();
      const views = createViews({ counter, clock: createTestClock(), log });
      counter.state.losesAnswers = true;
      for (let n = 0; n < 5; n++) {
        for (let view = 0; view < 1_000; view++) views.count(`drop ${view % 10}`);
        await views.flush().catch(() => undefined);
      }
      counter.state.losesAnswers = false;
      await views.close();
      const added = new Map(counter.flushes.map(({ number, counts }) => [number, counts]));
      expect([...added.keys()]).to.deep.equal([1, 2]);
      const all = [...added.values()];
      expect(all.map((counts) => counts.length)).to.deep.equal([10, 10]);
      expect(all.flat().reduce((sum, { count }) => sum + count, 0)).to.equal(5_000);
    });

    it('are lost at the stop, and the log says how many', async () => {
      const counter = createCounter();
      const log = createRecordingLog();
      const views = createViews({ counter, clock: createTestClock(), log });
      counter.state.losesAnswers = true;
      for (let n = 0; n < 3; n++) views.count('a');
      await views.flush().catch(() => undefined);
      for (let n = 0; n < 4; n++) views.count('b');
      await views.close();
      expect(log.lines).to.have.length(1);
      expect(log.lines[0]).to.include({ level: 'error' });
      expect(log.lines[0]?.fields).to.deep.include({ views: 7 });
      expect(String(log.lines[0]?.fields.err)).to.equal('Error: the answer was lost');
    });

    it('do not hold up the stop for more than a few seconds where it says nothing at all', async () => {
      const log = createRecordingLog();
      const counter = { ...createCounter(), add: () => new Promise<void>(() => undefined) };
      const views = createViews({ counter, clock: createTestClock(), log });
      views.count('a');
      const from = performance.now();
      await views.close();
      expect(performance.now() - from).to.be.below(5_000);
      expect(log.lines.map(({ fields }) => fields)).to.deep.equal([{ views: 1 }]);
    });
  });
});
