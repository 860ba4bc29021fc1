import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type JobHandlers, type JobName, jobNames } from '../../shared/jobs/job-catalogue.ts';
import type { JobConsumer, JobMonitor, JobProducer } from '../../shared/jobs/job-queue.ts';
import { useEach } from '../support/between.ts';
import type { LogLine } from '../worker/recording-log.ts';

export interface JobProcess {
  readonly queue: JobProducer & JobConsumer & JobMonitor;
  readonly log: { readonly lines: readonly LogLine[] };
  /** Runs the jobs that are due until none is; what handlers throw is ignored. */
  settle(): Promise<void>;
}

/** One queue, and the processes that use it. */
export interface JobFixture {
  /** A process that runs no jobs. */
  readonly report: JobProducer & JobMonitor;
  /** The clock of the queue and its processes; Unix ms. */
  now(): number;
  /** Moves the clock. */
  pass(ms: number): Promise<void>;
  /** Ends the locks of all running jobs, as time does for a process that no longer renews them. */
  expireLocks(): Promise<void>;
  openProcess(options?: { concurrency?: number }): Promise<JobProcess>;
  /** Starts a child process that hangs in the handler of a `drop.remove` job. Returns once it is there. */
  openHangingProcess(dropId: string): Promise<ChildProcess>;
  /** Adds a job without any check of its name and payload. */
  plant(name: string, payload: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Opens a fixture for each test of the surrounding suite. */
export function useJobFixture<F extends JobFixture>(openFixture: () => Promise<F>) {
  const fixture = useEach(openFixture);

  return {
    fixture: () => fixture,

    /** Starts a worker process that records its calls as `name payload`. Handlers that are not given do nothing. */
    async startProcess(
      handlers: Partial<JobHandlers> = {},
      options: Parameters<F['openProcess']>[0] = {},
    ): Promise<Awaited<ReturnType<F['openProcess']>> & { callsOf(name: JobName): string[] }> {
      // proof: `openProcess` is that of F
      const process = (await fixture.openProcess(options)) as Awaited<ReturnType<F['openProcess']>>;
      const calls: string[] = [];
      process.queue.start(recordingHandlers(calls, handlers));
      return { ...process, callsOf: (name) => calls.filter((call) => call.startsWith(`${name} `)) };
    },

    /** Lets all attempts of a `drop.remove` job fail: it waits 2, 4, 8 and 16 s between them. */
    async passAttempts(settle: () => Promise<void>): Promise<void> {
      await settle();
      for (const seconds of [2, 4, 8, 16, 32]) {
        await fixture.pass(seconds * 1_000);
        await settle();
      }
    },
  };
}

export function recordingHandlers(calls: string[], handlers: Partial<JobHandlers> = {}): JobHandlers {
  const entries = jobNames.map((name) => [
    name,
    async (payload: never) => {
      calls.push(`${name} ${JSON.stringify(payload)}`);
      await handlers[name]?.(payload);
    },
  ]);
  return Object.fromEntries(entries) as JobHandlers; // proof: an entry for each name of the catalogue
}

/** Starts child processes (`hanging-worker.ts`), and kills those that are left at the end of a test. */
export function createHangingProcesses(queue: object) {
  const script = fileURLToPath(new URL('./hanging-worker.js', import.meta.url));
  const children: ChildProcess[] = [];
  return {
    async open(dropId: string): Promise<ChildProcess> {
      const child = spawn(process.execPath, [script, JSON.stringify(queue), dropId], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      await once(child.stdout, 'data');
      return child;
    },
    killAll(): void {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

/** A handler waits at the gate until the test opens it. */
export function createGate() {
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

export async function rejectWith(reason: string): Promise<never> {
  throw new Error(reason);
}
