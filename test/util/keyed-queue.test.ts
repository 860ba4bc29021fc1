import { expect } from 'chai';
import { KeyedQueue } from '../../shared/util/keyed-queue.ts';

/** Tasks that end when they are told to, and which of them began. */
function createTasks() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    begun,
    end: (name: string, error?: Error) => ends.get(name)?.(error),
    task: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    },
  };
}

describe('A keyed queue', () => {
  it('runs so many tasks of a key at once, in the order of arrival, and other keys beside them', async () => {
    const queue = new KeyedQueue(2, 10);
    const { begun, end, task } = createTasks();
    const a1 = queue.run('a', task('a1'));
    const a2 = queue.run('a', task('a2'));
    const a3 = queue.run('a', task('a3'));
    const a4 = queue.run('a', task('a4'));
    const b1 = queue.run('b', task('b1'));
    expect(begun).to.deep.equal(['a1', 'a2', 'b1']);
    end('a2');
    expect(await a2).to.equal('a2');
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
    end('a3', new Error('a fault'));
    expect(await a3.catch((error: Error) => error.message)).to.equal('a fault');
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'a4']);
    for (const name of ['a1', 'a4', 'b1']) end(name);
    expect(await Promise.all([a1, a4, b1])).to.deep.equal(['a1', 'a4', 'b1']);
  });

  it('refuses a task if too many of its key wait, and takes tasks again later', async () => {
    const queue = new KeyedQueue(1, 1);
    const { begun, end, task } = createTasks();
    const first = queue.run('a', task('first'));
    const second = queue.run('a', task('second'));
    expect(await queue.run('a', task('third'))).to.equal(undefined);
    expect(begun).to.deep.equal(['first']);
    end('first');
    await first;
    end('second');
    await second;
    const fourth = queue.run('a', task('fourth'));
    end('fourth');
    expect(await fourth).to.equal('fourth');
  });
});
