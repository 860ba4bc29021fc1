import { expect } from 'chai';
import { createGate, rejectWith } from './job-handlers.ts';
import { type JobWorld, passAttempts, useJobWorld } from './job-world.ts';

const second = 1_000;

/** What any queue must do for JobProducer and JobConsumer. */
export function describeJobQueue(engine: string, openWorld: () => Promise<JobWorld>): void {
  describe(`Job queue (${engine})`, () => {
    const { world, startProcess } = useJobWorld(openWorld);

    it('calls the handler of the job once, with its payload', async () => {
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('version.render', { dropId: 'd', versionId: 'v' });
      await settle();
      await settle();
      expect(callsOf('version.render')).to.deep.equal(['version.render {"dropId":"d","versionId":"v"}']);
      expect((await world().report.count()).waiting).to.equal(0);
      expect(await world().report.listFailed(10)).to.deep.equal([]);
    });

    it('runs what was asked for before it was started', async () => {
      const first = await world().openProcess();
      await first.queue.enqueue('edge.purge', { dropId: 'd' });
      const { settle, callsOf } = await startProcess();
      await settle();
      expect(callsOf('edge.purge')).to.have.length(1);
    });

    it('runs as many jobs at once as it is told, and no more', async () => {
      let now = 0;
      let most = 0;
      const { queue, settle, callsOf } = await startProcess(
        {
          'drop.remove': async () => {
            now += 1;
            most = Math.max(most, now);
            await new Promise((resolve) => setImmediate(resolve));
            now -= 1;
          },
        },
        { concurrency: 3 },
      );
      for (let i = 0; i < 20; i++) await queue.enqueue('drop.remove', { dropId: `d${i}` });
      await settle();
      expect(callsOf('drop.remove')).to.have.length(20);
      expect(most).to.equal(3);
    });

    it('runs what must not wait before the pages that are to be made, and those before the squeezes', async () => {
      const asking = (await world().openProcess()).queue;
      const version = { dropId: 'd', versionId: 'v' };
      await asking.enqueue('version.squeeze', version);
      await asking.enqueue('version.render', version);
      await asking.enqueue('version.render', { ...version, versionId: 'w' });
      await asking.enqueue('drop.remove', { dropId: 'd' });
      await asking.enqueue('edge.purge', { dropId: 'd' }, second);
      expect((await world().report.count()).waiting).to.equal(5);
      await world().pass(second);
      const order: string[] = [];
      const noting = (name: string) => async () => {
        order.push(name);
      };
      const { settle } = await startProcess(
        {
          'version.squeeze': noting('squeeze'),
          'version.render': async ({ versionId }) => {
            order.push(`render ${versionId}`);
          },
          'drop.remove': noting('remove'),
          'edge.purge': noting('purge'),
        },
        { concurrency: 1 },
      );
      await settle();
      expect(order).to.deep.equal(['remove', 'purge', 'render v', 'render w', 'squeeze']);
      expect((await world().report.count()).waiting).to.equal(0);
    });

    it('starts a delayed job when its time has come, and not before', async () => {
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('edge.purge', { dropId: 'd' }, 5 * second);
      await settle();
      await world().pass(5 * second - 1);
      await settle();
      expect(callsOf('edge.purge')).to.have.length(0);
      await world().pass(1);
      await settle();
      expect(callsOf('edge.purge')).to.have.length(1);
    });

    describe('a handler that throws', () => {
      it('is called again after a pause that doubles', async () => {
        const { queue, settle, callsOf } = await startProcess({ 'edge.purge': () => rejectWith('away') });
        await queue.enqueue('edge.purge', { dropId: 'd' });
        await settle();
        for (const [index, pause] of [1, 2, 4, 8].entries()) {
          expect(callsOf('edge.purge')).to.have.length(index + 1);
          await world().pass(pause * second - 1);
          await settle();
          expect(callsOf('edge.purge'), `before ${pause} s`).to.have.length(index + 1);
          await world().pass(1);
          await settle();
        }
        expect(callsOf('edge.purge')).to.have.length(5);
      });

      it('leaves nothing behind when a later attempt succeeds', async () => {
        let failures = 2;
        const { queue, settle, callsOf } = await startProcess({
          'drop.remove': async () => {
            failures -= 1;
            if (failures >= 0) throw new Error('not yet');
          },
        });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(world(), settle);
        expect(callsOf('drop.remove')).to.have.length(3);
        expect(await world().report.listFailed(10)).to.deep.equal([]);
      });

      it('is kept as failed, with the reason, when the attempts of the catalogue are used up', async () => {
        const { queue, settle, callsOf } = await startProcess({
          'drop.remove': () => rejectWith('the disk is gone'),
        });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(world(), settle);
        expect(callsOf('drop.remove')).to.have.length(5);
        const failed = await world().report.listFailed(10);
        expect(failed.map(({ name }) => name)).to.deep.equal(['drop.remove']);
        expect(failed[0]?.error).to.contain('the disk is gone');
      });

      it('gets all attempts again when its job is asked for again after it has failed', async () => {
        const { queue, settle, callsOf } = await startProcess({ 'drop.remove': () => rejectWith('no') });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(world(), settle);
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(world(), settle);
        expect(callsOf('drop.remove')).to.have.length(10);
      });
    });

    for (const [fault, payload] of [
      ['lacks a field', { dropId: 'd' }],
      ['has a field of another type', { dropId: 'd', versionId: 7 }],
    ] as const) {
      it(`refuses a payload that ${fault} at once and for good`, async () => {
        const { settle, callsOf } = await startProcess();
        await world().plant('version.render', payload);
        await settle();
        await passAttempts(world(), settle);
        expect(callsOf('version.render')).to.have.length(0);
        const failed = await world().report.listFailed(10);
        expect(failed).to.have.length(1);
        expect(failed[0]?.error).to.contain('versionId');
      });
    }

    describe('a schedule', () => {
      it('runs its job once in each period', async () => {
        const { settle, callsOf } = await startProcess();
        await settle();
        await settle();
        expect(callsOf('views.aggregate'), 'at the start').to.have.length(1);
        for (let period = 1; period <= 3; period++) {
          await world().pass(5 * second);
          await settle();
          expect(callsOf('views.aggregate')).to.have.length(1 + period);
        }
        expect(callsOf('sign-in.expire'), 'every 30 s').to.have.length(1);
      });

      it('catches up once after a pause, however long', async () => {
        const before = await startProcess();
        await before.settle();
        await before.queue.stop(second);
        await world().pass(3_600 * second);
        const { settle, callsOf } = await startProcess();
        await settle();
        expect(callsOf('views.aggregate')).to.have.length(1);
        expect(callsOf('store.reconcile')).to.have.length(1);
      });

      it('goes on after its job has failed', async () => {
        const { settle, callsOf } = await startProcess({ 'views.aggregate': () => rejectWith('away') });
        await settle();
        await world().pass(5 * second);
        await settle();
        expect(callsOf('views.aggregate')).to.have.length(2);
      });
    });

    describe('a stop', () => {
      it('waits for the jobs that run', async () => {
        const gate = createGate();
        let hasEnded = false;
        const { queue, settle } = await startProcess({
          'edge.purge': async () => {
            await gate.pass();
            hasEnded = true;
          },
        });
        await queue.enqueue('edge.purge', { dropId: 'd' });
        settle().catch(() => undefined); // cut short by the stop
        await gate.entered;
        const stopped = queue.stop(10 * second);
        gate.open();
        await stopped;
        expect(hasEnded).to.equal(true);

        const next = await startProcess();
        await next.settle();
        expect(next.callsOf('edge.purge'), 'it is done').to.have.length(0);
      });

      it('takes no new job', async () => {
        const gate = createGate();
        const { queue, settle, callsOf } = await startProcess(
          { 'edge.purge': gate.pass },
          { concurrency: 1 },
        );
        await queue.enqueue('edge.purge', { dropId: 'running' });
        await queue.enqueue('edge.purge', { dropId: 'waiting' });
        settle().catch(() => undefined); // cut short by the stop
        await gate.entered;
        const stopped = queue.stop(10 * second);
        gate.open();
        await stopped;
        await queue.enqueue('edge.purge', { dropId: 'late' });
        expect(callsOf('edge.purge')).to.deep.equal(['edge.purge {"dropId":"running"}']);

        const next = await startProcess();
        await next.settle();
        expect(next.callsOf('edge.purge').sort()).to.deep.equal([
          'edge.purge {"dropId":"late"}',
          'edge.purge {"dropId":"waiting"}',
        ]);
      });

      it('gives back what still runs when its patience ends, and the next process runs it at once', async () => {
        const gate = createGate();
        const first = await startProcess({ 'edge.purge': gate.pass });
        await first.queue.enqueue('edge.purge', { dropId: 'd' });
        first.settle().catch(() => undefined); // cut short by the stop
        await gate.entered;
        await first.queue.stop(1);
        const next = await startProcess();
        await next.settle();
        expect(next.callsOf('edge.purge')).to.have.length(1);
        gate.open();
      });
    });

    it('runs a job again whose process was killed in the middle of it', async () => {
      const hanging = await world().openHangingProcess('d');
      await hanging.kill();
      const { settle, callsOf } = await startProcess();
      await settle();
      expect(callsOf('drop.remove')).to.deep.equal(['drop.remove {"dropId":"d"}']);
      await settle();
      expect((await world().report.count()).waiting).to.equal(0);
      expect(await world().report.listFailed(10)).to.deep.equal([]);
    });
  });
}
