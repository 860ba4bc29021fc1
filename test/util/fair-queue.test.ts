import { expect } from 'chai';
import { createFairQueue, type FairQueue } from '../../shared/util/fair-queue.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Works that end when they are told to, one after the other as they were begun. */
function createScene(turns: FairQueue) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  return {
    begun,
    refused,
    ask(name: string, ...lines: string[]): Promise<unknown> {
      const work = async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return name;
      };
      return turns.take(lines, work).then((result) => {
        if (result === undefined) refused.push(name);
      });
    },
    /** Ends so many works, and waits until those that follow have begun. */
    async end(count: number): Promise<void> {
      for (let n = 0; n < count; n++) {
        ends.shift()?.();
        await settled();
      }
    },
  };
}

describe('createFairQueue', () => {
  it('runs so many at a time, and those of one line in the order of asking', async () => {
    const { ask, begun, end } = createScene(createFairQueue(2, 10));
    for (const name of ['a', 'b', 'c', 'd']) void ask(name, 'line');
    expect(begun).to.deep.equal(['a', 'b']);
    await end(1);
    expect(begun).to.deep.equal(['a', 'b', 'c']);
    await end(3);
    expect(begun).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('lines take turns: a long one holds up no other', async () => {
    const { ask, begun, end } = createScene(createFairQueue(1, 100));
    for (let n = 1; n <= 50; n++) void ask(`long ${n}`, 'long');
    void ask('one', 'short');
    void ask('two', 'short');
    await end(4);
    expect(begun).to.deep.equal(['long 1', 'one', 'long 2', 'two', 'long 3']);
  });

  it('a work of two lines comes after what is asked for either', async () => {
    const { ask, begun, end } = createScene(createFairQueue(1, 100));
    void ask('first', 'x');
    for (let n = 1; n <= 5; n++) void ask(`drop ${n}`, 'drop A', `address ${n}`);
    for (let n = 1; n <= 5; n++) void ask(`address ${n}`, `drop ${n}`, 'address A');
    void ask('both', 'drop A', 'address A');
    void ask('neither', 'drop B', 'address B');
    await end(12);
    expect(begun.indexOf('neither')).to.be.below(4);
    expect(begun.at(-1)).to.equal('both');
  });

  it('newcomers never starve one that waits', async () => {
    const { ask, begun, end } = createScene(createFairQueue(1, 1_000));
    for (let n = 1; n <= 5; n++) void ask(`old ${n}`, 'old');
    for (let n = 0; n < 30; n++) {
      // Two come for each that ends.
      void ask(`new ${n}`, `newcomer ${n}`);
      void ask(`newer ${n}`, `another ${n}`);
      await end(1);
    }
    expect(begun).to.include('old 2');
    await end(70);
    expect(begun).to.include('old 5');
  });

  it('of too many it turns away who has asked for most, and forgets that they asked', async () => {
    const { ask, begun, refused, end } = createScene(createFairQueue(1, 5));
    void ask('long 0', 'long');
    for (let n = 1; n <= 20; n++) void ask(`long ${n}`, 'long');
    await settled();
    expect(refused).to.deep.equal(Array.from({ length: 15 }, (_, n) => `long ${n + 6}`));
    void ask('short', 'short');
    await end(1);
    expect(refused.at(-1)).to.equal('long 5');
    expect(begun.at(-1)).to.equal('short');
    await end(5);
    expect(begun).to.have.length(6);
    // The line ends behind its four, and not behind all that were turned away.
    void ask('long again', 'long');
    void ask('other 1', 'other');
    void ask('other 2', 'other');
    await end(1);
    expect(begun).to.include('long again');
  });

  it('a newcomer is turned away where everybody who waits has asked for less', async () => {
    const { ask, refused } = createScene(createFairQueue(1, 2));
    void ask('runs', 'a');
    void ask('b', 'b');
    void ask('c', 'c');
    void ask('a again', 'a');
    await settled();
    expect(refused).to.deep.equal(['a again']);
  });

  it('hands on what a work throws, and goes on', async () => {
    const turns = createFairQueue(1, 2);
    const failing = turns.take(['a'], () => Promise.reject(new Error('no')));
    expect(await failing.catch((error: Error) => error.message)).to.equal('no');
    expect(await turns.take(['a'], async () => 'yes')).to.equal('yes');
  });
});
