import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createTurns } from '../../shared/util/turns.ts';

describe('Turns', () => {
  it('run one part at a time, in the order of their calls, and leave turns of the event loop to other work between', async () => {
    const turns = createTurns();
    const events: string[] = [];
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        events.push('-');
        await nextTurn();
      }
    })();
    const parts = async (name: string) => {
      await turns.next();
      events.push(`${name}1`);
      await turns.next();
      events.push(`${name}2`);
    };
    await Promise.all([parts('a'), parts('b'), parts('c')]);
    isOver = true;
    await others;
    const order = events.join('');
    expect(order.replaceAll('-', ''), order).to.equal('a1b1c1a2b2c2');
    expect(order).to.match(/^-{6,}(\w\d-{6,}){5}\w\d-*$/);
  });

  it('are over after 5 ms, and before the first one', async () => {
    const turns = createTurns();
    expect(turns.isOver()).to.equal(true);
    await turns.next();
    const begun = performance.now();
    while (performance.now() < begun + 6);
    expect(turns.isOver()).to.equal(true);
  });
});
