import { expect } from 'chai';
import { createUnreadMemory } from '../../api/unread-memory.ts';

type Held = readonly [name: string, client: string, bytes: number, memory?: object];

describe('The memory of unread answers', () => {
  /** Answers by name: whose, and of which memory; those without a memory have one of their own. */
  function hold(...answers: Held[]) {
    const held = createUnreadMemory<string>();
    for (const [name, client, bytes, memory = {}] of answers) held.add(name, { client, memory, bytes });
    return held;
  }

  it('nothing goes while there is room', () => {
    const held = hold(['a1', 'a', 50], ['b1', 'b', 50]);
    expect(held.shrinkTo(100)).to.deep.equal([]);
    expect(held.shrinkTo(99)).to.deep.equal(['a1']);
  });

  it('of one client the oldest goes, and no more than need be', () => {
    const held = hold(['a1', 'a', 10], ['a2', 'a', 10], ['a3', 'a', 10]);
    expect(held.shrinkTo(25)).to.deep.equal(['a1']);
    expect(held.shrinkTo(10)).to.deep.equal(['a2']);
  });

  it('the client that holds the most goes first, however long others have waited', () => {
    const held = hold(
      ['slow', 'modest', 10],
      ['g1', 'greedy', 10],
      ['g2', 'greedy', 10],
      ['g3', 'greedy', 10],
    );
    expect(held.shrinkTo(30)).to.deep.equal(['g1']);
    held.add('g4', { client: 'greedy', memory: {}, bytes: 10 });
    expect(held.shrinkTo(30)).to.deep.equal(['g2']);
  });

  it('what comes is what goes where it is more than others hold', () => {
    const held = hold(['a1', 'a', 10], ['b1', 'b', 10], ['large', 'c', 100]);
    expect(held.shrinkTo(100)).to.deep.equal(['large']);
  });

  it('one that has become the smaller goes no further; of equals the one that came first', () => {
    const held = hold(['b1', 'b', 10], ['b2', 'b', 10], ['a1', 'a', 10], ['a2', 'a', 10], ['a3', 'a', 10]);
    expect(held.shrinkTo(30)).to.deep.equal(['a1', 'b1']);
    expect(held.shrinkTo(10)).to.deep.equal(['a2', 'b2']);
  });

  it('one goes as far as the largest of the others, wherever it stands among them', () => {
    const held = hold(
      ...([1, 2, 3, 4] as const).map((n) => [`g${n}`, 'greedy', 10] as const),
      ['m1', 'middling', 25],
      ['s1', 'small', 5],
    );
    expect(held.shrinkTo(40)).to.deep.equal(['g1', 'g2', 'm1']);
  });

  it('a client counts by its bytes, not by its answers', () => {
    const held = hold(['a1', 'a', 1], ['a2', 'a', 1], ['a3', 'a', 1], ['b1', 'b', 10]);
    expect(held.shrinkTo(5)).to.deep.equal(['b1']);
  });

  it('what several wait for counts once', () => {
    const page = {};
    const held = hold(['a1', 'a', 60, page], ['a2', 'a', 60, page], ['b1', 'b', 60, page]);
    expect(held.shrinkTo(60)).to.deep.equal([]);
  });

  it('what many clients wait for is held by each in part: none of them goes for one who holds more', () => {
    const page = {};
    const held = hold(
      ...['a', 'b', 'c', 'd'].map((client) => [`${client}1`, client, 60, page] as const),
      ...([1, 2, 3, 4] as const).map((n) => [`g${n}`, 'greedy', 10] as const),
    );
    expect(held.shrinkTo(70)).to.deep.equal(['g1', 'g2', 'g3']);
  });

  it('clients that share all they hold are counted with it: they cannot press others out', () => {
    const pages = [{}, {}, {}];
    const held = hold(
      ['slow', 'modest', 10],
      ...pages.map((page, n) => [`x${n}`, 'x', 20, page] as const),
      ...pages.map((page, n) => [`y${n}`, 'y', 20, page] as const),
    );
    expect(held.shrinkTo(50)).to.deep.equal(['x0', 'y0']);
  });

  it('of one client that goes first which the fewest wait for: it frees something sooner', () => {
    const page = {};
    const held = hold(['a1', 'a', 10, page], ['a2', 'a', 10, page], ['a3', 'a', 10], ['a4', 'a', 10]);
    expect(held.shrinkTo(20)).to.deep.equal(['a3']);
    expect(held.shrinkTo(5)).to.deep.equal(['a4', 'a1', 'a2']);
  });

  it('where nothing is waited for by one alone, by the fewest, and all of the client’s at once', () => {
    const [two, three] = [{}, {}];
    const held = hold(
      ...([1, 2, 3] as const).map((n) => [`a${n}`, 'a', 10, three] as const),
      ...([4, 5] as const).map((n) => [`a${n}`, 'a', 10, two] as const),
    );
    expect(held.shrinkTo(19)).to.deep.equal(['a4', 'a5']);
  });

  it('once a client is cut off from what it shared, the others hold more of it, and it is their turn', () => {
    const [page, own] = [{}, {}];
    const held = hold(
      ['c1', 'c', 65],
      ['b1', 'b', 100, page],
      ['a1', 'a', 100, page],
      ...([2, 3, 4] as const).map((n) => [`a${n}`, 'a', 20, own] as const),
    );
    expect(held.shrinkTo(90)).to.deep.equal(['a1', 'b1']);
  });

  it('what has ended holds nothing: not for its client, not for who shared it', () => {
    const page = {};
    const held = hold(['a1', 'a', 40, page], ['b1', 'b', 40, page], ['a2', 'a', 45], ['b2', 'b', 30]);
    held.remove('a1');
    held.remove('a1');
    expect(held.shrinkTo(100), 'all of the page is b’s now').to.deep.equal(['b1']);
    held.add('c1', { client: 'c', memory: page, bytes: 40 });
    held.remove('b1');
    held.remove('b2');
    expect(held.shrinkTo(85)).to.deep.equal([]);
    expect(held.shrinkTo(84)).to.deep.equal(['a2']);
    held.add('c2', { client: 'c', memory: page, bytes: 40 });
    expect(held.shrinkTo(40)).to.deep.equal([]);
    expect(held.shrinkTo(39)).to.deep.equal(['c1', 'c2']);
  });

  it('a page is held until the last answer has ended that waits for it', () => {
    const page = {};
    const held = hold(['a1', 'a', 40, page], ['a2', 'a', 40, page]);
    held.remove('a1');
    expect(held.shrinkTo(39)).to.deep.equal(['a2']);
  });

  it('who is left with what was shared waits for it alone', () => {
    const [page, two, three] = [{}, {}, {}];
    const held = hold(
      ...([1, 2] as const).map((n) => [`b${n}`, 'b', 5, two] as const),
      ['b3', 'b', 100, page],
      ['a1', 'a', 100, page],
      ...([2, 3, 4] as const).map((n) => [`a${n}`, 'a', 10, three] as const),
    );
    expect(held.shrinkTo(110)).to.deep.equal(['a1', 'b3']);
  });

  it('the end of what was cut off, which is told later, changes nothing for those who wait on', () => {
    const [page, two, four] = [{}, {}, {}];
    const held = hold(
      ...([1, 2] as const).map((n) => [`b${n}`, 'b', 1, two] as const),
      ['b3', 'b', 90, page],
      ['c1', 'c', 90, page],
      ['a1', 'a', 90, page],
      ...([2, 3, 4, 5] as const).map((n) => [`a${n}`, 'a', 40, four] as const),
      ['d1', 'd', 50],
    );
    expect(held.shrinkTo(170)).to.deep.equal(['a1', 'd1']);
    held.remove('a1');
    expect(held.shrinkTo(130)).to.deep.equal(['b1', 'b2']);
  });
});
