import { once } from 'node:events';
import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { jobNames, schedules } from '../../shared/jobs/job-catalogue.ts';
import type { JobMonitor } from '../../shared/jobs/job-queue.ts';
import { countJobs } from '../support/jobs.ts';
import { until } from '../support/until.ts';
import { createGate, type JobFixture, rejectWith, useJobFixture } from './job-fixture.ts';

const second = 1_000;

/** The contract of JobProducer, JobConsumer and JobMonitor. */
export function describeJobQueue(engine: string, openFixture: () => Promise<JobFixture>): void {
  describe(`Job queue (${engine})`, () => {
    const { fixture, startProcess, passAttempts } = useJobFixture(openFixture);

    it('calls the handler of a job once, with its payload', async () => {
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('version.render', { dropId: 'd', versionId: 'v' });
      await settle();
      await settle();
      expect(callsOf('version.render')).to.deep.equal(['version.render {"dropId":"d","versionId":"v"}']);
      expect(await countJobs(fixture().report)).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
    });

    it('runs at most as many jobs at once as configured', async () => {
      let now = 0;
      let most = 0;
      const remove = async () => {
        now += 1;
        most = Math.max(most, now);
        await until(() => most >= 3, 'three jobs run at once');
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
      };
      const { queue, settle, callsOf } = await startProcess({ 'drop.remove': remove }, { concurrency: 3 });
      for (let i = 0; i < 20; i++) await queue.enqueue('drop.remove', { dropId: `d${i}` });
      await settle();
      expect(callsOf('drop.remove')).to.have.length(20);
      expect(most).to.equal(3);
    });

    it('runs due jobs by priority, those enqueued before the worker started included', async () => {
      const producer = fixture().report;
      const version = { dropId: 'd', versionId: 'v' };
      await producer.enqueue('version.render', version);
      await producer.enqueue('version.render', { ...version, versionId: 'w' });
      await producer.enqueue('drop.remove', { dropId: 'd' });
      await producer.enqueue('edge.purge', { dropId: 'd' }, second);
      expect((await countJobs(producer)).waiting).to.equal(4);
      await fixture().pass(second);
      const order: string[] = [];
      const note = (name: string) => async () => {
        order.push(name);
      };
      const { settle } = await startProcess(
        {
          'version.render': ({ versionId }) => note(`render ${versionId}`)(),
          'drop.remove': note('remove'),
          'edge.purge': note('purge'),
        },
        { concurrency: 1 },
      );
      await settle();
      expect(order).to.deep.equal(['remove', 'purge', 'render v', 'render w']);
    });

    it('runs a delayed job when its delay is over, and not before', async () => {
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('edge.purge', { dropId: 'd' }, 5 * second);
      await fixture().pass(5 * second - 1);
      await settle();
      expect(callsOf('edge.purge')).to.have.length(0);
      await fixture().pass(1);
      await settle();
      expect(callsOf('edge.purge')).to.have.length(1);
    });

    describe('a handler that throws', () => {
      it('is called again after a backoff that doubles', async () => {
        const { queue, settle, callsOf } = await startProcess({
          'edge.purge': () => rejectWith('unavailable'),
        });
        await queue.enqueue('edge.purge', { dropId: 'd' });
        await settle();
        for (const [index, backoff] of [1, 2, 4, 8].entries()) {
          await fixture().pass(backoff * second - 1);
          await settle();
          expect(callsOf('edge.purge'), `before ${backoff} s`).to.have.length(index + 1);
          await fixture().pass(1);
          await settle();
          expect(callsOf('edge.purge'), `after ${backoff} s`).to.have.length(index + 2);
        }
      });

      it('leaves a failed job after its last attempt, with payload, attempts and error', async () => {
        const { queue, settle, log } = await startProcess({ 'drop.remove': () => rejectWith('no disk') });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(settle);
        const [failed, ...others] = await queue.listFailed(10);
        expect(others).to.deep.equal([]);
        expect(failed).to.deep.include({ name: 'drop.remove', payload: { dropId: 'd' }, attempts: 5 });
        expect(failed?.error).to.match(/^Error: no disk\n +at /);
        const lines = log.lines.filter(({ fields }) => fields.job === 'drop.remove');
        expect(lines.map(({ level, message }) => `${level} ${message}`)).to.deep.equal([
          ...Array(4).fill('warn job failed and will be retried'),
          'error job failed for good',
        ]);
        expect(lines[4]?.fields).to.deep.include({ key: 'drop.remove/d', attempt: 5 });
      });

      it('is listed with its error from its first failed attempt on, until its last one', async () => {
        let isUp = false;
        const purge = async () => {
          if (!isUp) throw new Error('no edge');
        };
        const { queue, settle } = await startProcess({
          'drop.remove': () => rejectWith('no disk'),
          'edge.purge': purge,
        });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await queue.enqueue('edge.purge', { dropId: 'e' });
        await queue.enqueue('account.remove', { accountId: 'later' }, 60_000);
        expect(await queue.listRetried(10)).to.deep.equal([]);
        await settle();
        const retried = await queue.listRetried(10);
        expect(retried.map(({ name, payload }) => ({ name, payload }))).to.deep.equal([
          { name: 'edge.purge', payload: { dropId: 'e' } },
          { name: 'drop.remove', payload: { dropId: 'd' } },
        ]);
        expect(retried[0]?.error).to.match(/^Error: no edge\n +at /);
        isUp = true;
        await passAttempts(settle);
        expect(await queue.listRetried(10)).to.deep.equal([]);
        expect(await queue.listFailed(10)).to.have.length(1);
      });

      it('leaves no failed job when a later attempt succeeds', async () => {
        let failures = 2;
        const remove = async () => {
          failures -= 1;
          if (failures >= 0) throw new Error('not yet');
        };
        const { queue, settle, callsOf } = await startProcess({ 'drop.remove': remove });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(settle);
        expect(callsOf('drop.remove')).to.have.length(3);
        expect(await queue.listFailed(10)).to.deep.equal([]);
      });
    });

    describe('a handler that finds a store unavailable', () => {
      let isDown = true;
      const work = async () => {
        if (isDown) throw unavailable('The database is unavailable.');
      };

      beforeEach(() => {
        isDown = true;
      });

      it('is called again every 10 s, however long that takes, and loses no attempt', async () => {
        const { queue, settle, callsOf } = await startProcess({
          'drop.remove': async () => {
            await work();
            throw new Error('a fault of its own');
          },
        });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await settle();
        for (let calls = 1; calls <= 20; calls++) {
          expect(callsOf('drop.remove')).to.have.length(calls);
          await fixture().pass(10 * second - 1);
          await settle();
          expect(callsOf('drop.remove')).to.have.length(calls);
          await fixture().pass(1);
          await settle();
        }
        isDown = false;
        await fixture().pass(10 * second);
        await passAttempts(settle);
        expect(callsOf('drop.remove')).to.have.length(21 + 5);
        expect((await queue.listFailed(10)).map(({ attempts }) => attempts)).to.deep.equal([5]);
      });

      it('leaves no failed job of a schedule, and is called again after 10 s or at its next run', async () => {
        const { queue, settle, callsOf } = await startProcess({
          'views.aggregate': work,
          'sign-in.expire': work,
          'store.reconcile': work,
        });
        for (let seconds = 0; seconds <= 60; seconds += 5) {
          await settle();
          await fixture().pass(5 * second);
        }
        expect(callsOf('views.aggregate'), 'every 5 s').to.have.length(13);
        expect(callsOf('sign-in.expire'), 'every 30 s, and 10 and 20 s after that').to.have.length(7);
        expect(callsOf('store.reconcile'), 'every 5 minutes').to.have.length(7);
        isDown = false;
        await fixture().pass(10 * second);
        await settle();
        await fixture().pass(10 * second);
        await settle();
        expect(callsOf('store.reconcile')).to.have.length(8);
        expect(await countJobs(queue)).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
      });
    });

    describe('a failed job', () => {
      let isBroken = true;
      const work = async () => {
        if (isBroken) throw new Error('broken');
      };

      beforeEach(() => {
        isBroken = true;
      });

      it('goes when a job of its key succeeds, and failed jobs of other keys stay', async () => {
        const { queue, settle } = await startProcess({ 'drop.remove': work });
        for (const dropId of ['a', 'b']) await queue.enqueue('drop.remove', { dropId });
        await passAttempts(settle);
        await queue.enqueue('drop.remove', { dropId: 'a' });
        await settle();
        expect(await queue.listFailed(10), 'while it fails again').to.have.length(2);
        isBroken = false;
        await passAttempts(settle);
        expect((await queue.listFailed(10)).map(({ payload }) => payload)).to.deep.equal([{ dropId: 'b' }]);
      });

      it('is replaced by a newer one of its key, which has all attempts again', async () => {
        const { queue, settle, callsOf } = await startProcess({ 'drop.remove': work });
        for (const calls of [5, 10, 15]) {
          await queue.enqueue('drop.remove', { dropId: 'd' });
          await passAttempts(settle);
          expect(callsOf('drop.remove')).to.have.length(calls);
        }
        await until(async () => (await queue.listFailed(10)).length === 1, 'one failed job');
      });

      it('of a schedule goes when its job succeeds, also in another process', async () => {
        const first = await startProcess({ 'views.aggregate': work });
        await first.settle();
        expect((await first.queue.listFailed(10)).map(({ name }) => name)).to.deep.equal(['views.aggregate']);
        await first.queue.stop(second);
        isBroken = false;
        await fixture().pass(5 * second);
        const next = await startProcess({ 'views.aggregate': work });
        await next.settle();
        expect(await next.queue.listFailed(10)).to.deep.equal([]);
      });
    });

    for (const payload of [{ dropId: 'd' }, { dropId: 'd', versionId: 7 }]) {
      it(`fails a job with the invalid payload ${JSON.stringify(payload)} without calling its handler`, async () => {
        const { queue, settle, callsOf } = await startProcess();
        await fixture().plant('version.render', payload);
        await settle();
        const failed = await queue.listFailed(10);
        expect(failed.map(({ name }) => name)).to.deep.equal(['version.render']);
        expect(failed[0]?.error).to.contain('versionId');
        expect(callsOf('version.render')).to.deep.equal([]);
      });
    }

    it('drops jobs of retired names, with one line in the log for each name', async () => {
      const retired = ['version.squeeze', 'drop.card'];
      for (const name of retired)
        for (const n of [1, 2]) await fixture().plant(name, { dropId: `d${n}`, of: name });
      const { queue, settle, log, callsOf } = await startProcess({}, { concurrency: 1 });
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await settle();
      expect(callsOf('edge.purge')).to.have.length(1);
      expect(await countJobs(queue)).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
      const message = 'jobs of a name that this release does not know are dropped';
      const lines = log.lines.filter((line) => line.level === 'warn' && line.message === message);
      expect(lines.map(({ fields }) => fields.job)).to.have.members(retired);
    });

    describe('a schedule', () => {
      it('runs its job once in each period', async () => {
        const { settle, callsOf } = await startProcess();
        await settle();
        await settle();
        expect(callsOf('views.aggregate'), 'at the start').to.have.length(1);
        for (let period = 1; period <= 3; period++) {
          await fixture().pass(5 * second);
          await settle();
          expect(callsOf('views.aggregate')).to.have.length(1 + period);
        }
        expect(callsOf('sign-in.expire'), 'every 30 s').to.have.length(1);
      });

      it('runs its job once after a pause, however long', async () => {
        const before = await startProcess();
        await before.settle();
        await before.queue.stop(second);
        await fixture().pass(3_600 * second);
        const { settle, callsOf } = await startProcess();
        await settle();
        expect(callsOf('views.aggregate')).to.have.length(1);
        expect(callsOf('store.reconcile')).to.have.length(1);
      });

      it('continues after failures of its job, and keeps only the last failed job', async () => {
        const { queue, settle, callsOf } = await startProcess({
          'views.aggregate': () => rejectWith('unavailable'),
        });
        for (let period = 1; period <= 3; period++) {
          await settle();
          expect(callsOf('views.aggregate')).to.have.length(period);
          await fixture().pass(5 * second);
        }
        const countFailed = async () =>
          (await queue.countByName()).find(({ name }) => name === 'views.aggregate')?.failed;
        await until(async () => (await countFailed()) === 1, 'one failed job');
      });
    });

    describe('a stop', () => {
      it('waits for running jobs and starts no other', async () => {
        const gate = createGate();
        const { queue, settle, callsOf } = await startProcess(
          { 'edge.purge': gate.pass },
          { concurrency: 1 },
        );
        await queue.enqueue('edge.purge', { dropId: 'running' });
        await queue.enqueue('edge.purge', { dropId: 'waiting' });
        settle().catch(() => undefined); // the stop ends it
        await gate.entered;
        const stopped = queue.stop(10 * second);
        gate.open();
        await stopped;
        expect(callsOf('edge.purge')).to.deep.equal(['edge.purge {"dropId":"running"}']);

        const next = await startProcess();
        await next.settle();
        expect(next.callsOf('edge.purge')).to.deep.equal(['edge.purge {"dropId":"waiting"}']);
      });

      it('ends after its grace period; another process runs what was still running', async () => {
        const gate = createGate();
        const first = await startProcess({ 'edge.purge': gate.pass });
        await first.queue.enqueue('edge.purge', { dropId: 'd' });
        first.settle().catch(() => undefined); // the stop ends it
        await gate.entered;
        await first.queue.stop(1);
        await fixture().expireLocks();
        const next = await startProcess();
        await next.settle();
        expect(next.callsOf('edge.purge')).to.have.length(1);
        gate.open();
      });
    });

    it('runs a job again when its process was killed', async () => {
      const hanging = await fixture().openHangingProcess('d');
      hanging.kill('SIGKILL');
      await once(hanging, 'exit');
      await fixture().expireLocks();
      const { queue, settle, log, callsOf } = await startProcess();
      await settle();
      expect(callsOf('drop.remove')).to.deep.equal(['drop.remove {"dropId":"d"}']);
      expect(await countJobs(queue)).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
      expect(log.lines.map(({ message }) => message)).to.include(
        'job runs again: its process ended, hung, or could not record the end of the job',
      );
    });

    describe('jobs with the same key', () => {
      it('are deduplicated while they wait; another payload is another key', async () => {
        const { queue, settle, callsOf } = await startProcess();
        for (const dropId of ['same', 'same', 'other']) await queue.enqueue('edge.purge', { dropId }, second);
        await queue.enqueue('edge.purge', { dropId: 'same', rev: 2, round: 1 }, second);
        await queue.enqueue('edge.purge', { dropId: 'same', rev: 3, round: 1 }, second);
        await fixture().pass(second);
        await settle();
        expect(callsOf('edge.purge').sort()).to.deep.equal([
          'edge.purge {"dropId":"other"}',
          'edge.purge {"dropId":"same","rev":2,"round":1}',
          'edge.purge {"dropId":"same","rev":3,"round":1}',
          'edge.purge {"dropId":"same"}',
        ]);
      });

      for (const [title, first, again, runs] of [
        ['run now if a delayed one is enqueued again without delay', 60, 0, 0],
        ['keep their time if one is enqueued again for later', 10, 60, 10],
      ] as const)
        it(title, async () => {
          const { queue, settle, callsOf } = await startProcess();
          for (const delay of [first, again])
            await queue.enqueue('edge.purge', { dropId: 'd' }, delay * second);
          await fixture().pass(runs * second);
          await settle();
          expect(callsOf('edge.purge')).to.have.length(1);
          await fixture().pass(60 * second);
          await settle();
          expect(callsOf('edge.purge'), 'one run for both').to.have.length(1);
        });

      it('run now, with all attempts, if one that waits for a retry is enqueued again', async () => {
        const { queue, settle, callsOf } = await startProcess({
          'drop.remove': () => rejectWith('unavailable'),
        });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await settle();
        for (const backoff of [2, 4, 8]) {
          await fixture().pass(backoff * second);
          await settle();
        }
        expect(callsOf('drop.remove')).to.have.length(4);
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(settle);
        expect(callsOf('drop.remove')).to.have.length(4 + 5);
      });

      it('run one after the other if one is enqueued while another runs', async () => {
        const gate = createGate();
        let running = 0;
        let most = 0;
        const { queue, settle, callsOf } = await startProcess({
          'edge.purge': async () => {
            running += 1;
            most = Math.max(most, running);
            await gate.pass();
            running -= 1;
          },
        });
        await queue.enqueue('edge.purge', { dropId: 'd' });
        const settled = settle();
        await gate.entered;
        for (let i = 0; i < 2; i++) await queue.enqueue('edge.purge', { dropId: 'd' });
        gate.open();
        await settled;
        await settle();
        expect(callsOf('edge.purge')).to.have.length(2);
        expect(most).to.equal(1);
      });
    });

    describe('the report', () => {
      it('counts jobs by name, and says since when the one that is past its due time for longest is due', async () => {
        const { report } = fixture();
        const startedAt = fixture().now();
        await report.enqueue('version.render', { dropId: 'd', versionId: 'first' });
        await fixture().pass(7 * second);
        await report.enqueue('version.render', { dropId: 'd', versionId: 'second' });
        await report.enqueue('edge.purge', { dropId: 'd' }, 5 * second);
        await report.enqueue('account.remove', { accountId: 'a' }, 60 * second);
        await fixture().plant('version.squeeze', { dropId: 'd' });
        await fixture().pass(10 * second);
        expect(await listCounts(report)).to.deep.equal([
          { name: 'account.remove', waiting: 1, active: 0, failed: 0, oldestDueAt: null },
          { name: 'edge.purge', waiting: 1, active: 0, failed: 0, oldestDueAt: startedAt + 12 * second },
          { name: 'version.render', waiting: 2, active: 0, failed: 0, oldestDueAt: startedAt },
          { name: 'version.squeeze', waiting: 1, active: 0, failed: 0, oldestDueAt: startedAt + 7 * second },
        ]);
      });

      it('counts a job that waits for its next attempt by name, as due when its backoff is over', async () => {
        const { report } = fixture();
        const startedAt = fixture().now();
        const { queue, settle } = await startProcess({ 'drop.remove': () => rejectWith('unavailable') });
        await report.enqueue('drop.remove', { dropId: 'd' });
        await settle();
        const waiting = { name: 'drop.remove', waiting: 1, active: 0, failed: 0 };
        expect(await listCounts(report)).to.deep.equal([{ ...waiting, oldestDueAt: null }]);
        await queue.stop(second);
        await fixture().pass(3 * second);
        expect(await listCounts(report)).to.deep.equal([{ ...waiting, oldestDueAt: startedAt + 2 * second }]);
      });

      it('counts active and failed jobs by name, and none of a schedule until its next run is due', async () => {
        const { report } = fixture();
        const startedAt = fixture().now();
        const gate = createGate();
        const { queue, settle } = await startProcess({ 'edge.purge': gate.pass });
        await settle();
        expect(await listCounts(report), 'the next runs of schedules').to.deep.equal([]);
        await fixture().plant('version.render', { dropId: 'd' });
        await settle();
        await queue.enqueue('edge.purge', { dropId: 'd' });
        const settled = settle();
        await gate.entered;
        expect(await countJobs(queue)).to.deep.equal({ waiting: 0, active: 1, failed: 1 });
        const now = [
          { name: 'edge.purge', waiting: 0, active: 1, failed: 0, oldestDueAt: null },
          { name: 'version.render', waiting: 0, active: 0, failed: 1, oldestDueAt: null },
        ];
        expect(await listCounts(report)).to.deep.equal(now);
        gate.open();
        await settled;
        await queue.stop(second);
        await fixture().pass(6 * second);
        expect(await listCounts(report)).to.deep.equal([
          now[1],
          { name: 'views.aggregate', waiting: 1, active: 0, failed: 0, oldestDueAt: startedAt + 5 * second },
        ]);
      });

      it('lists failed jobs, the newest first, at most as many as asked for', async () => {
        const { queue, settle } = await startProcess({ 'drop.remove': () => rejectWith('no') });
        const failedAt: number[] = [];
        for (const dropId of ['first', 'second', 'third']) {
          await queue.enqueue('drop.remove', { dropId });
          failedAt.push(fixture().now() + (2 + 4 + 8 + 16) * second);
          await passAttempts(settle);
        }
        const all = await queue.listFailed(1_000);
        expect(all.map(({ failedAt }) => failedAt)).to.deep.equal(failedAt.reverse());
        expect(all.map(({ payload }) => payload)).to.deep.equal([
          { dropId: 'third' },
          { dropId: 'second' },
          { dropId: 'first' },
        ]);
        expect(new Set(all.map(({ id }) => id)).size).to.equal(3);
        expect(await queue.listFailed(2)).to.deep.equal(all.slice(0, 2));
        expect(await queue.listFailed(0)).to.deep.equal([]);
      });

      it('retries all failed jobs with all attempts, and says how many', async () => {
        const { queue, settle, callsOf } = await startProcess({ 'drop.remove': () => rejectWith('no') });
        expect(await queue.retryFailed(null)).to.equal(0);
        for (const dropId of ['a', 'b']) await queue.enqueue('drop.remove', { dropId });
        await passAttempts(settle);
        expect(callsOf('drop.remove')).to.have.length(10);
        expect(await queue.retryFailed(null)).to.equal(2);
        expect(await countJobs(queue)).to.include({ failed: 0 });
        await passAttempts(settle);
        expect(callsOf('drop.remove')).to.have.length(20);
        expect((await countJobs(queue)).failed).to.equal(2);
      });

      it('retries the failed jobs of a name, or the one of an id, which are due from then on', async () => {
        const { queue, settle } = await startProcess({ 'drop.remove': () => rejectWith('no') });
        await fixture().plant('version.render', { dropId: 'd' });
        for (const dropId of ['a', 'b']) await queue.enqueue('drop.remove', { dropId });
        await passAttempts(settle);
        await queue.stop(second);
        const failed = await queue.listFailed(10);
        const [removal] = failed.filter(({ name }) => name === 'drop.remove');
        expect(await queue.retryFailed('version.squeeze')).to.equal(0);
        expect(await queue.retryFailed(removal?.id ?? '')).to.equal(1);
        const retriedAt = fixture().now();
        expect(await queue.retryFailed('version.render')).to.equal(1);
        await fixture().pass(second);
        const left = await queue.listFailed(10);
        expect(left).to.deep.equal(
          failed.filter(({ id, name }) => id !== removal?.id && name === 'drop.remove'),
        );
        const due = { waiting: 1, active: 0, oldestDueAt: retriedAt };
        expect((await listCounts(queue)).filter((count) => !isSchedule(count))).to.deep.equal([
          { name: 'drop.remove', failed: 1, ...due },
          { name: 'version.render', failed: 0, ...due },
        ]);
      });
    });
  });
}

const isSchedule = ({ name }: { name: string }) => schedules.some((schedule) => schedule.name === name);

/** The counts of names that have jobs; all are exact. */
async function listCounts(monitor: JobMonitor): Promise<{ name: string }[]> {
  const counts = await monitor.countByName();
  expect(counts.map(({ name }) => name)).to.include.members(jobNames);
  return counts
    .filter(({ waiting, active, failed }) => waiting + active + failed > 0)
    .map(({ isEstimate, ...count }) => (isEstimate ? { ...count, isEstimate } : count));
}
