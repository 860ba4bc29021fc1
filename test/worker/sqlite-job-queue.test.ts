import { join } from 'node:path';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteJobQueue, type SqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { type JobHandlers, jobNames } from '../../shared/job-catalogue.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from './recording-log.ts';

const second = 1_000;
const day = 86_400 * second;

describe('The SQLite job queue', () => {
  let dir: string;
  let clock: TestClock;
  let db: Database;
  let opened: Database[];
  let cleanUps: (() => Promise<void>)[];

  beforeEach(() => {
    dir = makeTempDir();
    clock = createTestClock();
    opened = [];
    cleanUps = [];
    db = open();
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps) await cleanUp();
    for (const database of opened) await database.close();
  });

  function open(): Database {
    const database = openDatabase(join(dir, 'jobs.sqlite'));
    opened.push(database);
    return database;
  }

  interface Row {
    readonly state: string;
    readonly attempts: number;
    readonly crashes: number;
    readonly dueAt: number;
    readonly error: string | null;
  }

  /** The rows of `edge.purge` and `old.job`; schedules come and go as they like. */
  function listRows(): Row[] {
    const rows = db
      .prepare(
        `SELECT state, attempts, crashes, due_at AS dueAt, error FROM jobs
         WHERE name IN ('edge.purge', 'old.job') ORDER BY id`,
      )
      .all({});
    return rows as Row[]; // proof: the columns selected
  }

  async function plant(name: string, payload = '{}'): Promise<void> {
    const sql = `INSERT INTO jobs (name, key, payload, state, due_at) VALUES ($name, $name, $payload, 'waiting', 0)`;
    await db.write(() => db.prepare(sql).run({ name, payload }));
  }

  /** A process that runs only when told, and so vanishes without a word when it is told no more. */
  function openProcess(purge: JobHandlers['edge.purge'] = async () => undefined) {
    const log = createRecordingLog();
    const queue = createSqliteJobQueue({ db: open(), clock, log, concurrency: 4, wakesItself: false });
    const calls: string[] = [];
    queue.start(
      handlersWith(async (payload) => {
        calls.push(payload.dropId);
        await purge(payload);
      }),
    );
    return { queue, log, calls, settle: () => queue.runUntilIdle() };
  }

  /** A process that runs by itself, at the real clock's times. */
  function openAwakeProcess(
    purge: JobHandlers['edge.purge'] = async () => undefined,
    options: { leaseMs?: number; db?: Database } = {},
  ) {
    const log = createRecordingLog();
    const systemClock = { now: () => Date.now() };
    const queue = createSqliteJobQueue({ db: open(), clock: systemClock, log, concurrency: 4, ...options });
    const calls: { dropId: string; at: number }[] = [];
    queue.start(
      handlersWith(async (payload) => {
        calls.push({ dropId: payload.dropId, at: Date.now() });
        await purge(payload);
      }),
    );
    cleanUps.push(() => queue.stop(second));
    return { queue, log, calls };
  }

  /** Asks for the job, and lets a process begin it and vanish in the middle. */
  async function crashInside(dropId: string): Promise<void> {
    await openProcess().queue.enqueue('edge.purge', { dropId });
    await crash();
  }

  /** Lets a process begin the purge that is due and vanish in the middle. */
  async function crash(): Promise<void> {
    const entered = createSignal();
    const { queue } = openProcess(() => {
      entered.give();
      return new Promise(() => undefined);
    });
    queue.runUntilIdle().catch(() => undefined); // its handler never ends, so neither does this
    await entered.given;
  }

  describe('wakes up', () => {
    it('as soon as a job is asked for', async () => {
      const { queue, calls } = openAwakeProcess();
      await until(() => isIdle(queue)); // the schedules have run
      const startedAt = Date.now();
      for (let i = 1; i <= 5; i++) {
        await until(() => isIdle(queue));
        await queue.enqueue('edge.purge', { dropId: `d${i}` });
        await until(() => calls.length === i);
      }
      expect(Date.now() - startedAt, 'five looks in vain would take longer').to.be.below(2 * second);
    });

    it('when a delayed job falls due', async () => {
      const { queue, calls } = openAwakeProcess();
      const askedAt = Date.now();
      await queue.enqueue('edge.purge', { dropId: 'd' }, 150);
      await until(() => calls.length === 1);
      expect((calls[0]?.at ?? Number.NaN) - askedAt).to.be.within(150, 650);
    });

    it('within about a second of a job that another process asks for', async () => {
      const { queue, calls } = openAwakeProcess();
      await until(() => isIdle(queue));
      const log = createRecordingLog();
      const elsewhere = createSqliteJobQueue({ db: open(), clock: { now: Date.now }, log, concurrency: 1 });
      const askedAt = Date.now();
      await elsewhere.enqueue('edge.purge', { dropId: 'd' });
      await until(() => calls.length === 1);
      expect((calls[0]?.at ?? Number.NaN) - askedAt).to.be.below(2 * second);
    });

    it('again after a write has failed, and loses nothing by it', async () => {
      let failures = 0;
      const flaky: Database = {
        ...db,
        write(work) {
          failures -= 1;
          return failures >= 0 ? Promise.reject(new Error('the disk is full')) : db.write(work);
        },
      };
      const { queue, calls, log } = openAwakeProcess(undefined, { db: flaky });
      await until(() => isIdle(queue));
      await queue.enqueue('edge.purge', { dropId: 'd' }, 50);
      failures = 1; // the one that would claim it
      await until(() => calls.length === 1);
      failures = 1; // perhaps the one that would note its end
      await until(() => listRows().length === 0);
      expect(calls).to.have.length(1);
      expect(log.lines.some(({ level, fields }) => level === 'error' && 'err' in fields)).to.equal(true);
    });
  });

  describe('a job whose process has vanished', () => {
    it('is taken up at the start of the next one, its attempt counted', async () => {
      await crashInside('d');
      const next = openProcess(() => Promise.reject(new Error('away')));
      await failuresOf(next.settle());
      expect(next.calls).to.deep.equal(['d']);
      expect(listRows()).to.deep.equal([
        { state: 'waiting', attempts: 2, crashes: 1, dueAt: clock.now() + 2 * second, error: null },
      ]);
      expect(next.log.lines.map(({ message }) => message)).to.include(
        'the process that ran a job is gone; it will run again',
      );
    });

    it('is taken up by a process that runs already when its lease has ended, and not before', async () => {
      const next = openProcess();
      await next.settle();
      await crashInside('d');
      clock.advance(30 * second - 1);
      await next.settle();
      expect(next.calls).to.deep.equal([]);
      clock.advance(1);
      await next.settle();
      expect(next.calls).to.deep.equal(['d']);
    });

    it('is one with the job of its key that waited meanwhile', async () => {
      await crashInside('d');
      const next = openProcess();
      await next.queue.enqueue('edge.purge', { dropId: 'd' }, 60 * second);
      expect(listRows()).to.have.length(2);
      await next.settle();
      expect(next.calls, 'at the earlier time').to.deep.equal(['d']);
      expect(listRows()).to.deep.equal([]);
    });

    it('is run again more often than it has attempts, but not for ever', async () => {
      await crashInside('d');
      for (let crashes = 1; crashes < 10; crashes++) await crash();
      expect(listRows()).to.deep.equal([
        { state: 'active', attempts: 10, crashes: 9, dueAt: clock.now() + 30 * second, error: null },
      ]);
      const next = openProcess();
      const failures = await failuresOf(next.settle());
      expect(failures.map(({ message }) => message)).to.include('edge.purge/d: its process is gone again');
      expect(next.calls).to.deep.equal([]);
      const [row] = listRows();
      expect(row?.state).to.equal('failed');
      expect(row?.error).to.contain('process ended').and.contain('10 times');
    });
  });

  it('gives back what still runs at a stop as if it had not begun', async () => {
    const entered = createSignal();
    const { queue } = openProcess(() => {
      entered.give();
      return new Promise(() => undefined);
    });
    await queue.enqueue('edge.purge', { dropId: 'd' });
    queue.runUntilIdle().catch(() => undefined); // its handler never ends, so neither does this
    await entered.given;
    clock.advance(second);
    await queue.stop(1);
    expect(listRows()).to.deep.equal([
      { state: 'waiting', attempts: 0, crashes: 0, dueAt: clock.now(), error: null },
    ]);
  });

  it('notes what ends during a stop that waits', async () => {
    const gate = createSignal();
    const { queue, calls } = openAwakeProcess(() => gate.given);
    await queue.enqueue('edge.purge', { dropId: 'd' });
    await until(() => calls.length === 1);
    const stopped = queue.stop(10 * second);
    gate.give();
    await stopped;
    expect(listRows()).to.deep.equal([]);
  });

  it('keeps the lease of a job that takes long', async () => {
    const gate = createSignal();
    const leaseMs = 60;
    const { queue, calls } = openAwakeProcess(() => gate.given, { leaseMs });
    await queue.enqueue('edge.purge', { dropId: 'd' });
    await until(() => calls.length === 1);
    const first = listRows()[0]?.dueAt ?? Number.NaN;
    await until(() => (listRows()[0]?.dueAt ?? 0) > first + 2 * leaseMs);
    gate.give();
    await until(() => listRows().length === 0);
    expect(calls).to.have.length(1);
  });

  it('leaves jobs of unknown names alone, and says so', async () => {
    await plant('old.job');
    const { settle, log } = openProcess();
    await settle();
    expect(listRows()).to.deep.equal([{ state: 'waiting', attempts: 0, crashes: 0, dueAt: 0, error: null }]);
    const line = log.lines.find(({ fields }) => fields.job === 'old.job');
    expect(line).to.deep.include({ level: 'warn', fields: { job: 'old.job', count: 1 } });
  });

  it('removes failed jobs after 7 days', async () => {
    const { queue, settle } = openProcess();
    await plantRefused();
    await failuresOf(settle());
    expect((await queue.count()).failed).to.equal(1);
    clock.advance(7 * day - 1);
    await settle();
    expect((await queue.count()).failed).to.equal(1);
    clock.advance(3_600 * second);
    await settle();
    expect((await queue.count()).failed).to.equal(0);
  });

  it('keeps the newest failure of a key only', async () => {
    const { settle } = openProcess();
    for (let i = 0; i < 3; i++) {
      await plantRefused();
      await failuresOf(settle());
    }
    expect(listRows()).to.have.length(1);
  });

  it('logs whole what a handler has thrown', async () => {
    const thrown = new Error('away', { cause: new Error('the cable') });
    const { queue, settle, log } = openProcess(() => Promise.reject(thrown));
    await queue.enqueue('edge.purge', { dropId: 'd' });
    await failuresOf(settle());
    const line = log.lines.find(({ fields }) => 'err' in fields);
    expect(line?.fields).to.deep.include({ job: 'edge.purge', key: 'edge.purge/d', attempt: 1 });
    expect(line?.fields.err).to.equal(thrown);
  });

  it('tells who drains it in a test of every failure', async () => {
    const { queue, settle } = openProcess(({ dropId }) => Promise.reject(new Error(`no ${dropId}`)));
    await queue.enqueue('edge.purge', { dropId: 'a' });
    await queue.enqueue('edge.purge', { dropId: 'b' });
    const errors = await failuresOf(settle());
    expect(errors.map(({ message }) => message).sort()).to.deep.equal(['no a', 'no b']);
  });

  it('follows its schedules again after the clock was set back', async () => {
    const { queue, settle } = openProcess();
    await settle();
    clock.advance(-30 * day);
    await settle();
    const { next } = db.prepare('SELECT max(next_at) AS next FROM job_schedules').get({}) as { next: number };
    expect(next).to.be.at.most(clock.now() + 300 * second);
    expect(await queue.count()).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
  });

  it('counts what waits, runs and has failed', async () => {
    const { queue } = openProcess();
    await plantRefused();
    await failuresOf(queue.runUntilIdle());
    await queue.enqueue('edge.purge', { dropId: 'later' }, second);
    await crashInside('d');
    expect(await queue.count()).to.deep.equal({ waiting: 1, active: 1, failed: 1 });
  });

  describe('tells of failed jobs', () => {
    it('what they were asked to do and why they have failed, the newest first', async () => {
      const { queue, settle } = openProcess(({ dropId }) => Promise.reject(new Error(`no ${dropId}`)));
      await queue.enqueue('edge.purge', { dropId: 'first' });
      await failFor(settle);
      await queue.enqueue('edge.purge', { dropId: 'second' });
      await failFor(settle);
      const failed = await queue.listFailed(10);
      expect(failed.map(({ name, payload, attempts }) => ({ name, payload, attempts }))).to.deep.equal([
        { name: 'edge.purge', payload: { dropId: 'second' }, attempts: 8 },
        { name: 'edge.purge', payload: { dropId: 'first' }, attempts: 8 },
      ]);
      expect(failed[0]?.error).to.match(/^Error: no second\n +at /);
      expect(new Set(failed.map(({ id }) => id)).size).to.equal(2);
      expect((await queue.listFailed(1)).map(({ payload }) => payload)).to.deep.equal([{ dropId: 'second' }]);
    });

    it('a payload that is no JSON as the text that it is', async () => {
      const { queue, settle } = openProcess();
      await plant('edge.purge', '{"dropId":');
      await failuresOf(settle());
      expect((await queue.listFailed(10)).map(({ payload }) => payload)).to.deep.equal(['{"dropId":']);
    });

    it('nothing where none has failed', async () => {
      const { queue } = openProcess();
      expect(await queue.listFailed(10)).to.deep.equal([]);
      expect(await queue.retryFailed()).to.equal(0);
    });
  });

  describe('puts failed jobs back in line', () => {
    it('at once, as if they had just been asked for, and says how many', async () => {
      let isAway = true;
      const process = openProcess(async () => {
        if (isAway) throw new Error('away');
      });
      for (const dropId of ['a', 'b']) await process.queue.enqueue('edge.purge', { dropId });
      await failFor(process.settle);
      expect(await process.queue.count()).to.deep.equal({ waiting: 0, active: 0, failed: 2 });
      expect(await process.queue.retryFailed()).to.equal(2);
      const row = { state: 'waiting', attempts: 0, crashes: 0, dueAt: clock.now(), error: null };
      expect(listRows()).to.deep.equal([row, row]);
      isAway = false;
      process.calls.length = 0;
      await process.settle();
      expect(process.calls).to.have.members(['a', 'b']);
      expect(await process.queue.count()).to.deep.equal({ waiting: 0, active: 0, failed: 0 });
    });

    it('as one with the job of their key that waits', async () => {
      const { queue, settle } = openProcess(() => Promise.reject(new Error('away')));
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await failFor(settle);
      await queue.enqueue('edge.purge', { dropId: 'd' }, day);
      expect(await queue.retryFailed()).to.equal(1);
      expect(listRows()).to.deep.equal([
        { state: 'waiting', attempts: 0, crashes: 0, dueAt: clock.now(), error: null },
      ]);
    });

    it('beside the job of their key that runs, and runs them after it', async () => {
      const gate = createSignal();
      const { queue, calls } = openAwakeProcess(() => gate.given);
      await plantFailed(queue);
      await queue.enqueue('edge.purge', { dropId: 'd' });
      await until(() => calls.length === 1);
      expect(await queue.retryFailed()).to.equal(1);
      expect(listRows().map(({ state }) => state)).to.have.members(['active', 'waiting']);
      gate.give();
      await until(() => calls.length === 2);
    });

    it('and they run by themselves', async () => {
      const { queue, calls } = openAwakeProcess();
      await plantFailed(queue);
      await until(() => isIdle(queue));
      await queue.retryFailed();
      await until(() => calls.length === 1);
    });
  });

  /** A failed purge of the drop `d` that nothing stands in the way of any more. */
  async function plantFailed(queue: SqliteJobQueue): Promise<void> {
    await plantRefused();
    await until(async () => (await queue.count()).failed === 1);
    const mend = db.prepare(
      "UPDATE jobs SET key = 'edge.purge/d', payload = $payload WHERE state = 'failed'",
    );
    await db.write(() => mend.run({ payload: '{"dropId":"d"}' }));
  }

  /** Lets time pass until all attempts of what waits are used up. */
  async function failFor(settle: () => Promise<void>): Promise<void> {
    for (let attempt = 1; attempt <= 8; attempt++) {
      await failuresOf(settle());
      clock.advance(150 * second);
    }
  }

  /** A job whose payload does not fit. */
  async function plantRefused(): Promise<void> {
    await plant('edge.purge');
  }
});

/** What the drain reports. */
async function failuresOf(drained: Promise<void>): Promise<Error[]> {
  const outcome: unknown = await drained.catch((error: unknown) => error);
  if (outcome instanceof AggregateError) return outcome.errors;
  throw outcome ?? new Error('Nothing failed');
}

/** Nothing waits or runs. */
async function isIdle(queue: SqliteJobQueue): Promise<boolean> {
  const { waiting, active } = await queue.count();
  return waiting + active === 0;
}

/** Every other job of the catalogue does nothing. */
function handlersWith(purge: JobHandlers['edge.purge']): JobHandlers {
  const nothing = async () => undefined;
  const entries = jobNames.map((name) => [name, name === 'edge.purge' ? purge : nothing]);
  return Object.fromEntries(entries) as JobHandlers; // proof: an entry for each name of the catalogue
}

function createSignal() {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** Looks again each few milliseconds; the test's own time-out ends it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}
