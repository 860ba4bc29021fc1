import { expect } from 'chai';
import { type JobHandlers, type JobName, jobNames } from '../../shared/jobs.ts';
import type { JobConsumer, JobProducer } from '../../shared/ports/jobs.ts';

/** A process that asks for jobs and runs them, and all that the suite needs to know about what it left behind. */
export interface JobProcess {
  readonly queue: JobProducer & JobConsumer;
  /** Runs what is due until nothing is. What handlers throw is seen by its outcome only. */
  settle(): Promise<void>;
}

/** One store of jobs, and processes that come and go over it. */
export interface JobWorld {
  /** Moves time on. */
  pass(ms: number): Promise<void>;
  openProcess(options?: { concurrency?: number }): Promise<JobProcess>;
  /**
   * Starts a real process that asks for this job, begins to run it, and hangs in its handler. Returns once the
   * handler was entered.
   */
  openHangingProcess(dropId: string): Promise<{ kill(): Promise<void> }>;
  /** Puts a job in line whose payload nobody has checked. */
  plant(name: JobName, payload: unknown): Promise<void>;
  listFailed(): Promise<{ name: string; error: string }[]>;
  /** Jobs that wait, those for which it is not time yet included. */
  countWaiting(): Promise<number>;
  close(): Promise<void>;
}

const second = 1_000;

/** What any queue must do for JobProducer and JobConsumer. */
export function describeJobQueue(engine: string, openWorld: () => Promise<JobWorld>): void {
  describe(`Job queue (${engine})`, () => {
    let world: JobWorld;

    beforeEach(async () => {
      world = await openWorld();
    });

    afterEach(() => world.close());

    /** A process whose handlers note what they are called with; the rest does nothing. */
    async function startProcess(handlers: Partial<JobHandlers> = {}, options: { concurrency?: number } = {}) {
      const process = await world.openProcess(options);
      const calls: string[] = [];
      process.queue.start(recording(calls, handlers));
      const callsOf = (name: JobName) => calls.filter((call) => call.startsWith(`${name} `));
      return { ...process, calls, callsOf };
    }

    it('calls the handler of the job once, with its payload', async () => {
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('version.render', { dropId: 'd', versionId: 'v' });
      await settle();
      await settle();
      expect(callsOf('version.render')).to.deep.equal(['version.render {"dropId":"d","versionId":"v"}']);
      expect(await world.countWaiting()).to.equal(0);
      expect(await world.listFailed()).to.deep.equal([]);
    });

    it('runs what was asked for before it was started', async () => {
      const first = await world.openProcess();
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

    describe('jobs of one key', () => {
      it('stand for each other while they wait', async () => {
        const { queue, settle, callsOf } = await startProcess();
        for (let i = 0; i < 3; i++) await queue.enqueue('edge.purge', { dropId: 'same' });
        await queue.enqueue('edge.purge', { dropId: 'other' });
        await settle();
        expect(callsOf('edge.purge').sort()).to.deep.equal([
          'edge.purge {"dropId":"other"}',
          'edge.purge {"dropId":"same"}',
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
          await world.pass(10 * second - 1);
          await settle();
          expect(callsOf('edge.purge')).to.have.length(0);
          await world.pass(1);
          await settle();
          expect(callsOf('edge.purge')).to.have.length(1);
          await world.pass(60 * second);
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
        expect(await world.countWaiting(), 'one row waits for both').to.equal(1);
      });
    });

    it('starts a delayed job when its time has come, and not before', async () => {
      const { queue, settle, callsOf } = await startProcess();
      await queue.enqueue('edge.purge', { dropId: 'd' }, 5 * second);
      await settle();
      await world.pass(5 * second - 1);
      await settle();
      expect(callsOf('edge.purge')).to.have.length(0);
      await world.pass(1);
      await settle();
      expect(callsOf('edge.purge')).to.have.length(1);
    });

    describe('a handler that throws', () => {
      it('is called again after a pause that doubles', async () => {
        const { queue, settle, callsOf } = await startProcess({ 'edge.purge': () => reject('away') });
        await queue.enqueue('edge.purge', { dropId: 'd' });
        await settle();
        for (const [index, pause] of [1, 2, 4, 8].entries()) {
          expect(callsOf('edge.purge')).to.have.length(index + 1);
          await world.pass(pause * second - 1);
          await settle();
          expect(callsOf('edge.purge'), `before ${pause} s`).to.have.length(index + 1);
          await world.pass(1);
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
        await passAttempts(settle);
        expect(callsOf('drop.remove')).to.have.length(3);
        expect(await world.listFailed()).to.deep.equal([]);
      });

      it('is kept as failed, with the reason, when the attempts of the catalogue are used up', async () => {
        const { queue, settle, callsOf } = await startProcess({
          'drop.remove': () => reject('the disk is gone'),
        });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(settle);
        expect(callsOf('drop.remove')).to.have.length(5);
        const failed = await world.listFailed();
        expect(failed.map(({ name }) => name)).to.deep.equal(['drop.remove']);
        expect(failed[0]?.error).to.contain('the disk is gone');
      });

      it('gets all attempts again when its job is asked for again after it has failed', async () => {
        const { queue, settle, callsOf } = await startProcess({ 'drop.remove': () => reject('no') });
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(settle);
        await queue.enqueue('drop.remove', { dropId: 'd' });
        await passAttempts(settle);
        expect(callsOf('drop.remove')).to.have.length(10);
      });
    });

    for (const [fault, payload] of [
      ['lacks a field', { dropId: 'd' }],
      ['has a field of another type', { dropId: 'd', versionId: 7 }],
    ] as const) {
      it(`refuses a payload that ${fault} at once and for good`, async () => {
        const { settle, callsOf } = await startProcess();
        await world.plant('version.render', payload);
        await settle();
        await passAttempts(settle);
        expect(callsOf('version.render')).to.have.length(0);
        const failed = await world.listFailed();
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
          await world.pass(5 * second);
          await settle();
          expect(callsOf('views.aggregate')).to.have.length(1 + period);
        }
        expect(callsOf('sign-in.expire'), 'every 30 s').to.have.length(1);
      });

      it('catches up once after a pause, however long', async () => {
        const before = await startProcess();
        await before.settle();
        await before.queue.stop(second);
        await world.pass(3_600 * second);
        const { settle, callsOf } = await startProcess();
        await settle();
        expect(callsOf('views.aggregate')).to.have.length(1);
        expect(callsOf('store.reconcile')).to.have.length(1);
      });

      it('goes on after its job has failed', async () => {
        const { settle, callsOf } = await startProcess({ 'views.aggregate': () => reject('away') });
        await settle();
        await world.pass(5 * second);
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
      const hanging = await world.openHangingProcess('d');
      await hanging.kill();
      const { settle, callsOf } = await startProcess();
      await settle();
      expect(callsOf('drop.remove')).to.deep.equal(['drop.remove {"dropId":"d"}']);
      await settle();
      expect(await world.countWaiting()).to.equal(0);
      expect(await world.listFailed()).to.deep.equal([]);
    });

    /** Time enough for every attempt of `drop.remove`: pauses of 2, 4, 8 and 16 s. */
    async function passAttempts(settle: () => Promise<void>): Promise<void> {
      await settle();
      for (const pause of [2, 4, 8, 16, 32]) {
        await world.pass(pause * second);
        await settle();
      }
    }
  });
}

/** Handlers for every name, which note `name payload` and then do what is given for them, or nothing. */
function recording(calls: string[], handlers: Partial<JobHandlers>): JobHandlers {
  const entries = jobNames.map((name) => [
    name,
    async (payload: never) => {
      calls.push(`${name} ${JSON.stringify(payload)}`);
      await handlers[name]?.(payload);
    },
  ]);
  return Object.fromEntries(entries) as JobHandlers; // proof: an entry for each name of the catalogue
}

/** A place where a handler waits until the test lets it go on. */
function createGate() {
  let enter: () => void = () => undefined;
  let open: () => void = () => undefined;
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    entered,
    open: () => open(),
    pass(): Promise<void> {
      enter();
      return opened;
    },
  };
}

async function reject(reason: string): Promise<never> {
  throw new Error(reason);
}
