import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { inParts } from '../../shared/util/in-parts.ts';

describe('Work in parts', () => {
  /** Work of so many items, and the sizes of the parts that were done. */
  function makeWork(items: number) {
    const parts: number[] = [];
    let left = items;
    const part = async (size: number) => {
      const count = Math.min(size, left);
      left -= count;
      parts.push(count);
      return count;
    };
    return { parts, part };
  }

  it('does parts until one has less than its size', async () => {
    for (const [items, expected] of [
      [0, [0]],
      [7, [3, 3, 1]],
      [6, [3, 3, 0]],
    ] as const) {
      const { parts, part } = makeWork(items);
      expect(await inParts(3, part)).to.equal(items);
      expect(parts).to.deep.equal(expected);
    }
  });

  it('ends after so much', async () => {
    const { parts, part } = makeWork(100);
    expect(await inParts(3, part, 5)).to.equal(6);
    expect(parts).to.deep.equal([3, 3]);
  });

  it('gives others turns of the event loop between two parts', async () => {
    const { parts, part } = makeWork(8);
    const seen: number[] = [];
    let isOver = false;
    const working = inParts(2, part).then(() => {
      isOver = true;
    });
    while (!isOver) {
      seen.push(parts.length);
      await nextTurn();
    }
    await working;
    for (const done of [1, 2, 3, 4]) expect(seen.filter((count) => count === done).length).to.be.above(1);
  });
});
