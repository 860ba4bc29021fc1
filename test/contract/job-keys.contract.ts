import { expect } from 'chai';
import { createGate, rejectWith } from './job-handlers.ts';
import { type JobWorld, passAttempts, useJobWorld } from './job-world.ts';

const second = 1_000;

/** What any queue must do for jobs that stand for each other. */
export function describeJobKeys(engine: string, openWorld: () => Promise<JobWorld>): void {
  describe(`Jobs of one key (${engine})`, () => {
    const { world, startProcess } = useJobWorld(openWorld);

    it('stand for each other while they wait', async () => {
      const { queue } = await world().openProcess();
      for (let i = 0; i < 3; i++) await queue.enqueue('edge.purge', { dropId: 'same' });
      await queue.enqueue('edge.purge', { dropId: 'other' });
      const { settle, callsOf } = await startProcess();
      await settle();
      expect(callsOf('edge.purge').sort()).to.deep.equal([
        'edge.purge {"dropId":"other"}',
        'edge.purge {"dropId":"same"}',
      ]);
    });

    it('have equal payloads: what one leaves out makes a key of its own, and what is undefined is left out', async () => {
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await queue.enqueue('edge.purge', { dropId: 'd', rev: undefined, round: undefined });
      await queue.enqueue('edge.purge', { dropId: 'd', rev: 2, round: 1 });
      await queue.enqueue('edge.purge', { dropId: 'd', rev: 3, round: 1 });
      await settle();
      expect(callsOf('edge.purge').sort()).to.deep.equal([
        'edge.purge {"dropId":"d","rev":2,"round":1}',
        'edge.purge {"dropId":"d","rev":3,"round":1}',
        'edge.purge {"dropId":"d"}',
      ]);
    });

    for (const [first, then] of [
      [10, 60],
      [60, 10],
    ] as const) {
      it(`run once at the earlier time (asked for ${first} s, then ${then} s from now)`, async () => {
        const { queue, settle, callsOf } = await startProcess();
        await queue.enqueue('edge.purge', { dropId: 'd' }, first * second);
        await queue.enqueue('edge.purge', { dropId: 'd' }, then * second);
        await world().pass(10 * second - 1);
        await settle();
        expect(callsOf('edge.purge')).to.have.length(0);
        await world().pass(1);
        await settle();
        expect(callsOf('edge.purge')).to.have.length(1);
        await world().pass(60 * second);
        await settle();
        expect(callsOf('edge.purge')).to.have.length(1);
      });
    }

    it('run one after the other when one is asked for while another runs', async () => {
      const gate = createGate();
      let inside = 0;
      let most = 0;
      const { queue, settle, callsOf } = await startProcess({
        'edge.purge': async () => {
          inside += 1;
          most = Math.max(most, inside);
          await gate.pass();
          inside -= 1;
        },
      });
      await queue.enqueue('edge.purge', { dropId: 'd' });
      const settled = settle();
      await gate.entered;
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await queue.enqueue('drop.remove', { dropId: 'beside' }); // a free slot does not let the second one in
      gate.open();
      await settled;
      await settle();
      expect(callsOf('edge.purge')).to.have.length(2);
      expect(callsOf('drop.remove')).to.have.length(1);
      expect(most).to.equal(1);
    });

    it('run at the earlier time when one that runs is asked for again, at once and later', async () => {
      const gate = createGate();
      const { queue, settle, callsOf } = await startProcess({ 'edge.purge': gate.pass });
      await queue.enqueue('edge.purge', { dropId: 'd' });
      const settled = settle();
      await gate.entered;
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await queue.enqueue('edge.purge', { dropId: 'd' }, 60 * second);
      gate.open();
      await settled;
      await settle();
      expect(callsOf('edge.purge')).to.have.length(2);
      await world().pass(60 * second);
      await settle();
      expect(callsOf('edge.purge'), 'one stood for both').to.have.length(2);
    });

    it('run at once, with all attempts, when one that waits for its next attempt is asked for', async () => {
      const { queue, settle, callsOf } = await startProcess({ 'drop.remove': () => rejectWith('away') });
      await queue.enqueue('drop.remove', { dropId: 'd' });
      await settle();
      for (const pause of [2, 4, 8]) {
        await world().pass(pause * second);
        await settle();
      }
      expect(callsOf('drop.remove')).to.have.length(4);
      await queue.enqueue('drop.remove', { dropId: 'd' });
      await settle();
      expect(callsOf('drop.remove')).to.have.length(5);
      expect((await world().report.count()).failed, 'that was not the last attempt').to.equal(0);
      await passAttempts(world(), settle);
      expect(callsOf('drop.remove')).to.have.length(9);
    });

    it('run again when one was asked for while another ran and failed', async () => {
      const gate = createGate();
      const { queue, settle, callsOf } = await startProcess({
        'edge.purge': async () => {
          await gate.pass();
          throw new Error('away');
        },
      });
      await queue.enqueue('edge.purge', { dropId: 'd' });
      const settled = settle();
      await gate.entered;
      await queue.enqueue('edge.purge', { dropId: 'd' });
      gate.open();
      await settled;
      await settle();
      expect(callsOf('edge.purge')).to.have.length.at.least(2);
      expect((await world().report.count()).waiting, 'one waits for both').to.equal(1);
    });
  });
}
