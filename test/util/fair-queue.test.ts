import { expect } from 'chai';
import { FairQueue } from '../../shared/util/fair-queue.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Starts tasks that end in the order of their start, when `end` says so. */
function createScene(queue: FairQueue) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const dropped: string[] = [];
  return {
    started,
    dropped,
    add(name: string, ...keys: string[]): Promise<unknown> {
      const task = async () => {
        started.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return name;
      };
      return queue.run(keys, task).then((result) => {
        if (result === undefined) dropped.push(name);
      });
    },
    /** Ends that many tasks, each after the next one has started. */
    async end(count: number): Promise<void> {
      for (let n = 0; n < count; n++) {
        ends.shift()?.();
        await settled();
      }
    },
  };
}

describe('A fair queue', () => {
  it('limits concurrency, and keeps the order of tasks with one key', async () => {
    const { add, started, end } = createScene(new FairQueue(2, 10));
    for (const name of ['a', 'b', 'c', 'd']) void add(name, 'key');
    expect(started).to.deep.equal(['a', 'b']);
    await end(1);
    expect(started).to.deep.equal(['a', 'b', 'c']);
    await end(3);
    expect(started).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('alternates between keys: many tasks of one key do not delay another key', async () => {
    const { add, started, end } = createScene(new FairQueue(1, 100));
    for (let n = 1; n <= 50; n++) void add(`long ${n}`, 'long');
    void add('one', 'short');
    void add('two', 'short');
    await end(4);
    expect(started).to.deep.equal(['long 1', 'one', 'long 2', 'two', 'long 3']);
  });

  it('runs a task with two keys after earlier tasks of either key', async () => {
    const { add, started, end } = createScene(new FairQueue(1, 100));
    void add('first', 'x');
    for (let n = 1; n <= 5; n++) void add(`drop ${n}`, 'drop A', `address ${n}`);
    for (let n = 1; n <= 5; n++) void add(`address ${n}`, `drop ${n}`, 'address A');
    void add('both', 'drop A', 'address A');
    void add('neither', 'drop B', 'address B');
    await end(12);
    expect(started.indexOf('neither')).to.be.below(4);
    expect(started.at(-1)).to.equal('both');
  });

  it('new keys do not starve a waiting key', async () => {
    const { add, started, end } = createScene(new FairQueue(1, 1_000));
    for (let n = 1; n <= 5; n++) void add(`old ${n}`, 'old');
    for (let n = 0; n < 30; n++) {
      // Two tasks are added for each that ends.
      void add(`new ${n}`, `new ${n}`);
      void add(`newer ${n}`, `newer ${n}`);
      await end(1);
    }
    expect(started).to.include('old 2');
    await end(70);
    expect(started).to.include('old 5');
  });

  it('drops the last task of the key with the most tasks if too many wait, and does not count it', async () => {
    const { add, started, dropped, end } = createScene(new FairQueue(1, 5));
    void add('long 0', 'long');
    for (let n = 1; n <= 20; n++) void add(`long ${n}`, 'long');
    await settled();
    expect(dropped).to.deep.equal(Array.from({ length: 15 }, (_, n) => `long ${n + 6}`));
    void add('short', 'short');
    await end(1);
    expect(dropped.at(-1)).to.equal('long 5');
    expect(started.at(-1)).to.equal('short');
    await end(5);
    expect(started).to.have.length(6);
    // The key continues after its five tasks, not after all the dropped ones.
    void add('long again', 'long');
    void add('other 1', 'other');
    void add('other 2', 'other');
    await end(1);
    expect(started).to.include('long again');
  });

  it('drops the new task if all other keys have fewer tasks', async () => {
    const { add, dropped } = createScene(new FairQueue(1, 2));
    void add('runs', 'a');
    void add('b', 'b');
    void add('c', 'c');
    void add('a again', 'a');
    await settled();
    expect(dropped).to.deep.equal(['a again']);
  });

  it('throws what the task throws, and runs the next one', async () => {
    const queue = new FairQueue(1, 2);
    const failing = queue.run(['a'], () => Promise.reject(new Error('no')));
    expect(await failing.catch((error: Error) => error.message)).to.equal('no');
    expect(await queue.run(['a'], async () => 'yes')).to.equal('yes');
  });
});
