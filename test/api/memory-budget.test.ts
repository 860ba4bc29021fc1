import { expect } from 'chai';
import { MemoryBudget } from '../../api/http/memory-budget.ts';

type Held = readonly [name: string, client: string, bytes: number, memory?: object];

describe('The memory budget of clients', () => {
  /** What is held by name, and the names of what has been cut off, in order. */
  function setUp(maxBytes: number, ...first: Held[]) {
    const budget = new MemoryBudget(maxBytes);
    const gone: string[] = [];
    const hold = (...[name, client, bytes, memory]: Held) =>
      budget.reserve(client, { bytes, memory, evict: () => gone.push(name) });
    for (const each of first) hold(...each);
    return { hold, gone };
  }

  it('above the limit, the client that holds most is cut off', () => {
    const { hold, gone } = setUp(64, ['a1', 'a', 20], ['b1', 'b', 15], ['b2', 'b', 15], ['c1', 'c', 14]);
    expect(gone).to.deep.equal([]);
    hold('c2', 'c', 1);
    expect(gone).to.deep.equal(['b1']);
  });

  it('released bytes no longer count, and a release after the cut changes nothing', () => {
    const { hold, gone } = setUp(64);
    const first = hold('a1', 'a', 60);
    first.release();
    first.release();
    const second = hold('a2', 'a', 60);
    hold('b1', 'b', 10);
    expect(gone).to.deep.equal(['a2']);
    second.release();
    second.grow(100);
    hold('b2', 'b', 53);
    expect(gone).to.deep.equal(['a2']);
  });

  it('of a client, what has not grown for the longest time is cut off, and no more than needed', () => {
    const { hold, gone } = setUp(64);
    const first = hold('a1', 'a', 10);
    const second = hold('a2', 'a', 10);
    hold('a3', 'a', 10);
    second.grow(5);
    first.grow(5);
    hold('b1', 'b', 25);
    expect(gone).to.deep.equal(['a3']);
    hold('c1', 'c', 10);
    expect(gone).to.deep.equal(['a3', 'a2']);
  });

  it('a growing body is cut off if its own client holds most', () => {
    const { hold, gone } = setUp(64, ['a1', 'a', 20], ['b1', 'b', 20]);
    const growing = hold('c1', 'c', 0);
    for (let n = 0; n < 24; n++) growing.grow(1);
    expect(gone).to.deep.equal([]);
    growing.grow(1);
    expect(gone).to.deep.equal(['c1']);
  });

  it('the largest clients lose entries until all hold the same; of equal ones the first loses first', () => {
    const { hold, gone } = setUp(
      64,
      ['b1', 'b', 10],
      ['b2', 'b', 10],
      ...[1, 2, 3, 4].map((n) => [`a${n}`, 'a', 10] as const),
    );
    hold('c1', 'c', 19);
    expect(gone).to.deep.equal(['a1', 'a2']);
    hold('d1', 'd', 10);
    expect(gone).to.deep.equal(['a1', 'a2', 'b1']);
  });

  it('kept bytes count and are not cut off: the next client is', () => {
    const { hold, gone } = setUp(64);
    hold('a1', 'a', 40).pin();
    hold('a2', 'a', 5);
    hold('b1', 'b', 33);
    expect(gone).to.deep.equal(['a2', 'b1']);
  });

  it('a client within an equal share is not cut off, even if others hold too much that is kept', () => {
    const { hold, gone } = setUp(64);
    const working = hold('a1', 'a', 60);
    working.pin();
    hold('b1', 'b', 20);
    const large = hold('c1', 'c', 20);
    expect(gone).to.deep.equal([]);
    large.grow(20);
    expect(gone).to.deep.equal(['c1']);
    working.release();
    hold('d1', 'd', 44);
    expect(gone).to.deep.equal(['c1']);
    hold('e1', 'e', 1);
    expect(gone).to.deep.equal(['c1', 'd1']);
  });

  it('shared memory counts once, in equal parts for its clients', () => {
    const page = {};
    const { hold, gone } = setUp(
      64,
      ...['a', 'b', 'c', 'd'].map((client) => [`${client}1`, client, 40, page] as const),
      ...[1, 2, 3].map((n) => [`g${n}`, 'greedy', 8] as const),
    );
    expect(gone).to.deep.equal([]);
    hold('s1', 'small', 5);
    expect(gone).to.deep.equal(['g1']);
  });

  it('shared memory counts until its last holding is released', () => {
    const page = {};
    const { hold, gone } = setUp(64);
    const first = hold('a1', 'a', 40, page);
    const second = hold('a2', 'a', 40, page);
    first.release();
    hold('b1', 'b', 25);
    expect(gone).to.deep.equal(['a2']);
    second.release();
    hold('a3', 'a', 40, page);
    expect(gone).to.deep.equal(['a2', 'a3']);
  });

  it('when a client is cut off from shared memory, the part of the others grows', () => {
    const page = {};
    const own = {};
    const { hold, gone } = setUp(
      64,
      ['a1', 'a', 30, page],
      ['b1', 'b', 30, page],
      ...[2, 3, 4].map((n) => [`a${n}`, 'a', 24, own] as const),
    );
    hold('c1', 'c', 15);
    expect(gone, 'a held 39, and then b all of the page').to.deep.equal(['a1', 'b1']);
  });

  it('clients that hold the same memory cannot push out another client', () => {
    const pages = [{}, {}, {}];
    const { hold, gone } = setUp(
      64,
      ...pages.map((page, n) => [`x${n}`, 'x', 20, page] as const),
      ...pages.map((page, n) => [`y${n}`, 'y', 20, page] as const),
    );
    hold('slow', 'modest', 10);
    expect(gone).to.deep.equal(['x0', 'y0']);
  });

  describe('of 20,000 clients are counted without quadratic cost', () => {
    const count = 20_000;

    function measure(limit: number, cuts: number, use: (hold: ReturnType<typeof setUp>['hold']) => void) {
      const { hold, gone } = setUp(limit);
      const before = process.cpuUsage();
      use(hold);
      expect(process.cpuUsage(before).user / 1_000, 'milliseconds').to.be.below(3_000);
      expect(gone).to.have.length.above(cuts);
    }

    it('each with bytes of its own', () => {
      measure(100 * count, count / 2, (hold) => {
        for (let n = 0; n < count; n++) hold(`old ${n}`, `old ${n}`, 100);
        for (let n = 0; n < count; n++) hold(`new ${n}`, `new ${n}`, 60);
      });
    });

    it('all with the same memory', () => {
      const page = {};
      measure(100 * count, count - 1, (hold) => {
        for (let n = 0; n < count; n++) hold(`c ${n}`, `c ${n}`, 96 * count, page);
        for (let n = 0; n < 5 * count; n++) hold(`tiny ${n}`, `tiny ${n}`, 1);
      });
    });

    it('while kept bytes exceed the limit', () => {
      measure(100 * count, 0, (hold) => {
        hold('working', 'working', 100 * count).pin();
        for (let n = 0; n < 4 * count; n++) hold(`c ${n % count}`, `c ${n % count}`, 20);
        hold('large', 'large', 20 * count);
      });
    });
  });
});
