import { expect } from 'chai';
import type { ViewCount } from '../../shared/views/view-store.ts';
import { Views } from '../../shared/views/views.ts';
import { createTestClock } from '../support/clock.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

/** Records the calls of `add`, whose reply may be lost. */
function createStore() {
  const calls: { writer: string; flush: number; counts: readonly ViewCount[] }[] = [];
  const state = { losesReplies: false };
  return {
    calls,
    state,
    async add(writer: string, flush: number, counts: readonly ViewCount[]) {
      calls.push({ writer, flush, counts });
      if (state.losesReplies) throw new Error('the reply was lost');
    },
  };
}

describe('Views in the web process', () => {
  function setUp(store = createStore(), clock = createTestClock()) {
    const log = createRecordingLog();
    return { store, clock, log, views: new Views({ store, clock, log }) };
  }

  it('are recorded as one sum for each drop and day, under numbers that rise', async () => {
    const { store, clock, views } = setUp(createStore(), createTestClock(Date.UTC(2026, 0, 15, 23, 59)));
    views.count('a');
    views.count('a');
    views.count('b');
    clock.advance(120_000);
    views.count('a');
    await views.flush();
    views.count('b');
    await views.close();
    expect(store.calls.map(({ flush }) => flush)).to.deep.equal([1, 2]);
    expect(store.calls[0]?.counts).to.deep.equal([
      { dropId: 'a', day: '2026-01-15', count: 2 },
      { dropId: 'b', day: '2026-01-15', count: 1 },
      { dropId: 'a', day: '2026-01-16', count: 1 },
    ]);
  });

  it('are recorded again under the same number after a lost reply, and later ones under the next', async () => {
    const { store, views } = setUp();
    store.state.losesReplies = true;
    views.count('a');
    let failure: unknown;
    await views.flush().catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.be.an('error');
    views.count('a');
    store.state.losesReplies = false;
    await views.close();
    const [first, again, next] = store.calls;
    expect(again).to.deep.equal(first);
    expect(next?.flush).to.equal(2);
    expect(next?.counts.map(({ count }) => count)).to.deep.equal([1]);
    expect(store.calls).to.have.length(3);
  });

  it('of many drops are recorded in several calls, of which only the failed one is repeated', async () => {
    const { store, views } = setUp();
    for (let drop = 0; drop < 1_200; drop++) views.count(`drop ${drop}`);
    const { add } = store;
    store.add = async (...call) => {
      store.state.losesReplies = store.calls.length === 1;
      await add(...call);
    };
    await views.flush().catch(() => undefined);
    await views.flush();
    await views.close();
    expect(store.calls.map(({ flush, counts }) => [flush, counts.length])).to.deep.equal([
      [1, 500],
      [2, 500],
      [2, 500],
      [3, 200],
    ]);
  });

  it('cause no call if there are none', async () => {
    const { store, views } = setUp();
    await views.close();
    expect(store.calls).to.deep.equal([]);
  });

  describe('while the store is down', () => {
    it('are kept as one sum for each drop, and recorded later', async () => {
      const { store, views } = setUp();
      store.state.losesReplies = true;
      for (let n = 0; n < 5; n++) {
        for (let view = 0; view < 1_000; view++) views.count(`drop ${view % 10}`);
        await views.flush().catch(() => undefined);
      }
      store.state.losesReplies = false;
      await views.close();
      const recorded = new Map(store.calls.map(({ flush, counts }) => [flush, counts]));
      expect([...recorded.keys()]).to.deep.equal([1, 2]);
      const all = [...recorded.values()];
      expect(all.map((counts) => counts.length)).to.deep.equal([10, 10]);
      expect(all.flat().reduce((sum, { count }) => sum + count, 0)).to.equal(5_000);
    });

    it('are lost at the stop, and the log says how many', async () => {
      const { store, views, log } = setUp();
      store.state.losesReplies = true;
      for (let n = 0; n < 3; n++) views.count('a');
      await views.flush().catch(() => undefined);
      for (let n = 0; n < 4; n++) views.count('b');
      await views.close();
      expect(log.lines).to.have.length(1);
      expect(log.lines[0]).to.include({ level: 'error' });
      expect(log.lines[0]?.fields).to.deep.equal({ views: 7, cause: 'Error: the reply was lost' });
    });

    it('do not keep the process from stopping, even without a reply', async () => {
      const { views, log } = setUp({ ...createStore(), add: () => new Promise<void>(() => undefined) });
      views.count('a');
      await views.close();
      expect(log.lines.map(({ fields }) => fields)).to.deep.equal([{ views: 1 }]);
    });
  });
});
