import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import type { JobMonitor } from '../../shared/jobs/job-queue.ts';
import type { Database } from '../../shared/sqlite/database.ts';
import { createSqliteStores } from '../../shared/sqlite/stores.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { createGate, rejectWith, useJobFixture } from '../contract/job-fixture.ts';
import { describeJobQueue } from '../contract/job-queue.contract.ts';
import { aDrop } from '../contract/records.ts';
import { openSqliteJobFixture } from '../contract/sqlite-job-fixture.ts';
import { countJobs } from '../support/jobs.ts';
import { until } from '../support/until.ts';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

describeJobQueue('SQLite', openSqliteJobFixture);

describe('The SQLite job queue', () => {
  const { fixture, startProcess, passAttempts } = useJobFixture(openSqliteJobFixture);

  interface Row {
    readonly state: string;
    readonly attempts: number;
    readonly crashes: number;
    readonly dueAt: number;
    readonly error: string | null;
  }

  function listRows(): Row[] {
    const select = `SELECT state, attempts, crashes, due_at AS dueAt, error FROM jobs
      WHERE name IN ('edge.purge', 'drop.remove') ORDER BY id`;
    return fixture().db.prepare(select).all({}) as Row[]; // proof: the columns selected
  }

  async function isIdle(): Promise<boolean> {
    const { waiting, active } = await countJobs(fixture().report);
    return waiting + active === 0;
  }

  /** Lets a process begin the purge that is due, and do nothing more: as if it were killed. */
  async function crash(): Promise<void> {
    const gate = createGate();
    const { settle } = await startProcess({ 'edge.purge': gate.pass });
    settle().catch(() => undefined); // it never ends
    await gate.entered;
  }

  describe('runs jobs by itself', () => {
    it('as soon as they are enqueued in the same process', async () => {
      const { queue, callsOf } = await startProcess({}, { wakesItself: true, pollMs: hour });
      for (let i = 1; i <= 5; i++) {
        await until(isIdle, 'the queue is idle');
        await queue.enqueue('edge.purge', { dropId: `d${i}` });
        await until(() => callsOf('edge.purge').length === i, 'the job');
      }
    });

    it('when a delayed job is due', async () => {
      const { queue, callsOf } = await startProcess({}, { wakesItself: true, pollMs: hour });
      const enqueuedAt = Date.now();
      await queue.enqueue('edge.purge', { dropId: 'd' }, 150);
      await until(() => callsOf('edge.purge').length === 1, 'the job');
      expect(Date.now() - enqueuedAt).to.be.at.least(150);
    });

    it('within about a second if another process enqueues or retries them', async () => {
      const { callsOf } = await startProcess({}, { wakesItself: true });
      await until(isIdle, 'the queue is idle');
      await fixture().report.enqueue('edge.purge', { dropId: 'd' });
      await until(() => callsOf('edge.purge').length === 1, 'the job');
    });

    it('once, although the write that claims it has failed before, and the first one of its result', async () => {
      const { db } = fixture();
      let failures = 0;
      const flaky: Database = {
        ...methodsOf(db),
        write(work) {
          failures -= 1;
          return failures >= 0 ? Promise.reject(new Error('the disk is full')) : db.write(work);
        },
      };
      const failNext = async () => {
        failures = 1;
      };
      const options = { wakesItself: true, db: flaky };
      const { queue, callsOf, log } = await startProcess({ 'edge.purge': failNext }, options);
      await until(isIdle, 'the queue is idle');
      await queue.enqueue('edge.purge', { dropId: 'd' }, 50);
      await failNext();
      await until(() => callsOf('edge.purge').length >= 1, 'the job');
      await until(() => listRows().length === 0, 'no job is left');
      expect(callsOf('edge.purge')).to.have.length(1);
      expect(log.lines.some(({ level, fields }) => level === 'error' && 'err' in fields)).to.equal(true);
    });
  });

  describe('a job whose process ended', () => {
    it('runs at the start of the next process, its attempt counted', async () => {
      await fixture().report.enqueue('edge.purge', { dropId: 'd' });
      await crash();
      const { settle, callsOf } = await startProcess({ 'edge.purge': () => rejectWith('unavailable') });
      await settle();
      expect(callsOf('edge.purge')).to.have.length(1);
      const dueAt = fixture().clock.now() + 2 * second;
      const rows = listRows().map(({ error, ...row }) => ({ ...row, error: error?.split('\n')[0] }));
      const error = 'Error: unavailable';
      expect(rows).to.deep.equal([{ state: 'waiting', attempts: 2, crashes: 1, dueAt, error }]);
    });

    it('is one job with the job of the same key that was enqueued meanwhile', async () => {
      await fixture().report.enqueue('edge.purge', { dropId: 'd' });
      await crash();
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('edge.purge', { dropId: 'd' }, 60 * second);
      expect(listRows()).to.have.length(2);
      await settle();
      expect(callsOf('edge.purge'), 'at the earlier time').to.have.length(1);
      expect(listRows()).to.deep.equal([]);
    });

    it('fails for good after 10 processes have ended', async () => {
      await fixture().report.enqueue('edge.purge', { dropId: 'd' });
      for (let crashes = 1; crashes <= 10; crashes++) await crash();
      const { settle, callsOf } = await startProcess();
      await settle();
      expect(callsOf('edge.purge')).to.have.length(0);
      const [row] = listRows();
      expect(row).to.deep.include({
        state: 'failed',
        error: 'The process ended, hung, or could not record the end of this job, 10 times',
      });
    });
  });

  it('gives back the jobs that still run at a stop, without counting the attempt', async () => {
    const gate = createGate();
    const { queue, settle } = await startProcess({ 'edge.purge': gate.pass });
    await queue.enqueue('edge.purge', { dropId: 'd' });
    settle().catch(() => undefined); // the stop ends it
    await gate.entered;
    await queue.stop(1);
    const dueAt = fixture().clock.now();
    expect(listRows()).to.deep.equal([{ state: 'waiting', attempts: 0, crashes: 0, dueAt, error: null }]);
  });

  it('removes failed jobs after 7 days, and keeps the newest of each key until then', async () => {
    const { queue, settle } = await startProcess({ 'drop.remove': () => rejectWith('no') });
    for (let i = 0; i < 2; i++) {
      await queue.enqueue('drop.remove', { dropId: 'd' });
      await passAttempts(settle);
    }
    expect(listRows().map(({ state }) => state)).to.deep.equal(['failed']);
    for (const [ms, failed] of [
      [7 * day - hour, 1],
      [2 * hour, 0],
    ] as const) {
      await fixture().pass(ms);
      await settle();
      expect((await countJobs(queue)).failed).to.equal(failed);
    }
  });

  it('retries a failed job together with the job of its key that waits, and after the one that runs', async () => {
    const gate = createGate();
    let isDown = true;
    const { queue, settle, callsOf } = await startProcess({
      'drop.remove': () => (isDown ? rejectWith('unavailable') : gate.pass()),
    });
    await queue.enqueue('drop.remove', { dropId: 'd' });
    await passAttempts(settle);
    await queue.enqueue('drop.remove', { dropId: 'd' }, day);
    expect(await queue.retryFailed(null)).to.equal(1);
    const dueAt = fixture().clock.now();
    expect(listRows()).to.deep.equal([{ state: 'waiting', attempts: 0, crashes: 0, dueAt, error: null }]);

    await passAttempts(settle);
    isDown = false;
    await queue.enqueue('drop.remove', { dropId: 'd' });
    const settled = settle();
    await gate.entered;
    expect(await queue.retryFailed(null)).to.equal(1);
    expect(listRows().map(({ state }) => state)).to.have.members(['active', 'waiting']);
    gate.open();
    await settled;
    expect(callsOf('drop.remove')).to.have.length(5 + 5 + 2);
  });

  it('lists a payload that is not JSON as text', async () => {
    const { db } = fixture();
    const insert = db.prepare(
      "INSERT INTO jobs (name, key, payload, state, due_at) VALUES ('edge.purge', 'k', '{\"dropId\":', 'waiting', 0)",
    );
    await db.write(() => insert.run({}));
    const { queue, settle } = await startProcess();
    await settle();
    expect((await queue.listFailed(10)).map(({ payload }) => payload)).to.deep.equal(['{"dropId":']);
  });

  describe('a render, which waits in memory', () => {
    const render = 'version.render' as const;

    const countRows = () => {
      const [{ count = Number.NaN } = {}] = fixture()
        .db.prepare('SELECT count(*) AS count FROM jobs WHERE name = ?')
        .all(render) as { count: number }[]; // proof: the column selected
      return count;
    };

    /** Stores a drop whose render is pending. */
    async function publish(): Promise<{ dropId: string; versionId: string }> {
      const { drops } = createSqliteStores(fixture().db, fixture().clock);
      const drop = aDrop();
      expect(await drops.create(drop, 500, ['render'])).to.be.an('object');
      return { dropId: drop.id, versionId: drop.version.id };
    }

    const countRenders = async (monitor: JobMonitor) => {
      const counts = (await monitor.countByName()).find(({ name }) => name === render);
      return { waiting: counts?.waiting, active: counts?.active, failed: counts?.failed };
    };

    it('has no row, and is counted by this process and by others', async () => {
      const gate = createGate();
      const { queue, settle, callsOf } = await startProcess({ [render]: gate.pass }, { concurrency: 1 });
      const first = await publish();
      for (const payload of [first, await publish()]) await queue.enqueue(render, payload);
      await queue.enqueue(render, first);
      expect(await countRenders(queue)).to.deep.equal({ waiting: 2, active: 0, failed: 0 });
      expect(await countRenders(fixture().report)).to.deep.equal({ waiting: 2, active: 0, failed: 0 });
      const settled = settle();
      await gate.entered;
      expect(await countRenders(queue)).to.deep.equal({ waiting: 1, active: 1, failed: 0 });
      expect(countRows()).to.equal(0);
      gate.open();
      await settled;
      expect(callsOf(render)).to.have.length(2);
      expect(await countRenders(queue)).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
    });

    it('is read from the records when the next process starts', async () => {
      const first = await startProcess();
      const payloads = [await publish(), await publish()];
      for (const payload of payloads) await first.queue.enqueue(render, payload);
      const { settle, callsOf } = await startProcess(); // as if the first one were killed
      await settle();
      expect(callsOf(render)).to.have.members(payloads.map((each) => `${render} ${JSON.stringify(each)}`));
    });

    it('gets a row with its attempts and error when it fails, and others see it once', async () => {
      let isBroken = true;
      const { queue, settle, callsOf } = await startProcess({
        [render]: async () => {
          if (isBroken) throw new Error('no thread');
        },
      });
      const payload = await publish();
      await queue.enqueue(render, payload);
      await settle();
      const { report } = fixture();
      const [retried] = await report.listRetried(10);
      expect(retried).to.deep.include({ name: render, payload });
      expect(retried?.error).to.contain('no thread');
      await queue.enqueue(render, payload);
      expect(await countRenders(report), 'the job that waits runs now').to.include({ waiting: 1 });
      for (const seconds of [0, 1, 2, 4, 8]) {
        await fixture().pass(seconds * second);
        await settle();
      }
      expect(callsOf(render)).to.have.length(1 + 5);
      expect((await report.listFailed(10)).map(({ attempts }) => attempts)).to.deep.equal([5]);
      expect(await countRenders(report)).to.deep.equal({ waiting: 0, active: 0, failed: 1 });
      isBroken = false;
      await queue.enqueue(render, payload);
      await settle();
      expect(await countRenders(queue)).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
    });

    it('runs after the one of its version that runs, also if another process enqueues it', async () => {
      const rendering = createGate();
      const purging = createGate();
      let running = 0;
      let most = 0;
      const { queue, settle, callsOf } = await startProcess({
        'edge.purge': purging.pass,
        [render]: async () => {
          running += 1;
          most = Math.max(most, running);
          await rendering.pass();
          running -= 1;
        },
      });
      const payload = await publish();
      await queue.enqueue(render, payload);
      await queue.enqueue('edge.purge', { dropId: 'first' });
      const settled = settle();
      await Promise.all([rendering.entered, purging.entered]);
      await fixture().report.enqueue(render, payload);
      await queue.enqueue('edge.purge', { dropId: 'second' });
      purging.open();
      await until(() => callsOf('edge.purge').length === 2, 'the next claim');
      rendering.open();
      await settled;
      expect(callsOf(render)).to.have.length(2);
      expect(most, 'renders at the same time').to.equal(1);
    });

    it('waits for its retry also in the next process', async () => {
      const first = await startProcess({ [render]: () => rejectWith('no thread') });
      await first.queue.enqueue(render, await publish());
      await first.settle();
      const { settle, callsOf } = await startProcess(); // as if the first one were killed
      await settle();
      expect(callsOf(render)).to.deep.equal([]);
      await fixture().pass(second);
      await settle();
      expect(callsOf(render)).to.have.length(1);
    });

    it('runs again after 10 s if a store is unavailable, also if its failure cannot be written', async () => {
      const { db } = fixture();
      const outcomes = [unavailable('The disk is full.'), new Error('a fault of its own'), null];
      let isFull = false;
      const flaky: Database = {
        ...methodsOf(db),
        write: (work) => (isFull ? Promise.reject(new Error('the disk is full')) : db.write(work)),
      };
      const fill = async () => {
        const error = outcomes.shift();
        isFull = error !== null;
        if (error) throw error;
      };
      const { queue, settle, callsOf } = await startProcess({ [render]: fill }, { db: flaky });
      await settle(); // what is due at the start is done
      await queue.enqueue(render, await publish());
      for (const calls of [1, 2, 3]) {
        await settle();
        expect(callsOf(render)).to.have.length(calls);
        isFull = false;
        await fixture().pass(10 * second - 1);
        await settle();
        expect(callsOf(render)).to.have.length(calls);
        await fixture().pass(1);
      }
      expect(await countRenders(queue)).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
    });
  });

  it('keeps its schedules after the clock was set back', async () => {
    const { queue, settle, callsOf } = await startProcess();
    await settle();
    await fixture().pass(-30 * day);
    await settle();
    expect(callsOf('store.reconcile')).to.have.length(2);
    expect(await countJobs(queue)).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
  });
});
