import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { TimeSlices } from '../../shared/util/time-slices.ts';

describe('TimeSlices', () => {
  const { now } = performance;
  afterEach(() => {
    performance.now = now;
  });

  it('run one part at a time, in the order of their calls, and leave six turns of the event loop to other work between', async () => {
    performance.now = () => 0; // other work takes no time
    const turns = new TimeSlices();
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
    expect(order).to.match(/^-?(\w\d-{6,}){5}\w\d-*$/);
  });

  it('leave one turn of the event loop to other work that takes 5 ms', async () => {
    let ms = 0;
    performance.now = () => ms;
    const turns = new TimeSlices();
    let taken = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; taken++) {
        ms += 5;
        await nextTurn();
      }
    })();
    await turns.next();
    const before = taken;
    await turns.next();
    isOver = true;
    await others;
    expect(taken - before).to.be.within(1, 3);
  });

  it('are over after 5 ms, and before the first one', async () => {
    const turns = new TimeSlices();
    expect(turns.isOver()).to.equal(true);
    await turns.next();
    const begun = performance.now();
    while (performance.now() < begun + 6);
    expect(turns.isOver()).to.equal(true);
  });
});
