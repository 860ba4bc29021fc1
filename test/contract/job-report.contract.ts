import { expect } from 'chai';
import { createGate, rejectWith } from './job-handlers.ts';
import { type JobWorld, passAttempts, useJobWorld } from './job-world.ts';

const second = 1_000;

/** What any queue must do for JobReport. */
export function describeJobReport(engine: string, openWorld: () => Promise<JobWorld>): void {
  describe(`Job report (${engine})`, () => {
    const { world, startProcess } = useJobWorld(openWorld);

    it('counts what waits, runs and has failed', async () => {
      const gate = createGate();
      const { queue, settle } = await startProcess({ 'edge.purge': gate.pass });
      await world().plant('version.render', { dropId: 'd' });
      await settle();
      await queue.enqueue('drop.remove', { dropId: 'later' }, 60 * second);
      await queue.enqueue('edge.purge', { dropId: 'd' });
      const settled = settle();
      await gate.entered;
      expect(await world().report.count()).to.deep.equal({ waiting: 1, active: 1, failed: 1 });
      gate.open();
      await settled;
      expect(await world().report.count()).to.deep.equal({ waiting: 1, active: 0, failed: 1 });
    });

    it('does not count the next runs of the schedules as waiting', async () => {
      const { settle } = await startProcess();
      await settle();
      expect(await world().report.count()).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
    });

    it('tells what failed jobs were to do, how often they were tried, and why they failed', async () => {
      const { queue, settle } = await startProcess({ 'drop.remove': () => rejectWith('the disk is gone') });
      await queue.enqueue('drop.remove', { dropId: 'd' });
      await passAttempts(world(), settle);
      const [failed] = await world().report.listFailed(10);
      expect(failed).to.deep.include({ name: 'drop.remove', payload: { dropId: 'd' }, attempts: 5 });
      expect(failed?.error).to.match(/^Error: the disk is gone\n +at /);
    });

    it('tells what was thrown where it was no error', async () => {
      const { queue, settle } = await startProcess({
        'drop.remove': () => Promise.reject('just a word'),
      });
      await queue.enqueue('drop.remove', { dropId: 'd' });
      await passAttempts(world(), settle);
      expect((await world().report.listFailed(10)).map(({ error }) => error)).to.deep.equal(['just a word']);
    });

    it('lists as many failed jobs as asked for, the newest first', async () => {
      const { queue, settle } = await startProcess({
        'drop.remove': () => rejectWith('no'),
        'views.aggregate': () => rejectWith('no'),
      });
      for (const dropId of ['first', 'second']) {
        await queue.enqueue('drop.remove', { dropId });
        await passAttempts(world(), settle);
      }
      const all = await world().report.listFailed(1_000);
      const drops = all.filter(({ name }) => name === 'drop.remove').map(({ payload }) => payload);
      expect(drops).to.deep.equal([{ dropId: 'second' }, { dropId: 'first' }]);
      expect(all[0]?.name, 'its schedule ran last').to.equal('views.aggregate');
      expect(new Set(all.map(({ id }) => id)).size).to.equal(all.length);
      expect(await world().report.listFailed(2)).to.deep.equal(all.slice(0, 2));
      expect(await world().report.listFailed(0)).to.deep.equal([]);
    });

    it('forgets failed jobs after 7 days', async () => {
      const { settle } = await startProcess();
      await world().plant('version.render', {});
      await settle();
      await world().pass(7 * 86_400 * second - 1);
      await settle();
      expect((await world().report.count()).failed).to.equal(1);
      await world().pass(3_600 * second);
      await settle();
      expect((await world().report.count()).failed).to.equal(0);
    });

    it('puts failed jobs back in line with all their attempts, and says how many', async () => {
      const { queue, settle, callsOf } = await startProcess({ 'drop.remove': () => rejectWith('no') });
      for (const dropId of ['a', 'b']) await queue.enqueue('drop.remove', { dropId });
      await passAttempts(world(), settle);
      expect(callsOf('drop.remove')).to.have.length(10);
      expect(await queue.retryFailed()).to.equal(2);
      expect(await world().report.count()).to.include({ failed: 0 });
      await passAttempts(world(), settle);
      expect(callsOf('drop.remove')).to.have.length(20);
      expect((await world().report.count()).failed).to.equal(2);
    });

    it('finds nothing to put back where nothing has failed', async () => {
      expect(await world().report.retryFailed()).to.equal(0);
    });

    it('lets one that is put back stand for the one of its key that waits', async () => {
      let isAway = true;
      const { queue, settle, callsOf } = await startProcess({
        'drop.remove': async () => {
          if (isAway) throw new Error('away');
        },
      });
      await queue.enqueue('drop.remove', { dropId: 'd' });
      await passAttempts(world(), settle);
      isAway = false;
      await queue.enqueue('drop.remove', { dropId: 'd' }, 60 * second);
      expect(await queue.retryFailed()).to.equal(1);
      await settle();
      expect(callsOf('drop.remove'), 'at once').to.have.length(6);
      await world().pass(60 * second);
      await settle();
      expect(callsOf('drop.remove'), 'and not again').to.have.length(6);
    });

    it('lets one that is put back run after the one of its key that runs', async () => {
      const gate = createGate();
      let isAway = true;
      let inside = 0;
      let most = 0;
      const { queue, settle, callsOf } = await startProcess({
        'drop.remove': async () => {
          if (isAway) throw new Error('away');
          inside += 1;
          most = Math.max(most, inside);
          await gate.pass();
          inside -= 1;
        },
      });
      await queue.enqueue('drop.remove', { dropId: 'd' });
      await passAttempts(world(), settle);
      isAway = false;
      await queue.enqueue('drop.remove', { dropId: 'd' });
      const settled = settle();
      await gate.entered;
      expect(await queue.retryFailed()).to.equal(1);
      await queue.enqueue('edge.purge', { dropId: 'beside' });
      gate.open();
      await settled;
      await settle();
      expect(callsOf('drop.remove')).to.have.length(7);
      expect(most).to.equal(1);
    });
  });
}
