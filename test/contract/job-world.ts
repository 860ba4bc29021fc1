import type { JobHandlers, JobName } from '../../shared/job-catalogue.ts';
import type { JobConsumer, JobProducer } from '../../shared/ports/job-queue.ts';
import type { JobReport } from '../../shared/ports/job-report.ts';
import { callsOf, recordingHandlers } from './job-handlers.ts';

/** A process that asks for jobs and runs them, and all that the suite needs to know about what it left behind. */
export interface JobProcess {
  readonly queue: JobProducer & JobConsumer & JobReport;
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
  /** The same line of jobs, for the suite to look at. */
  readonly report: JobReport;
  close(): Promise<void>;
}

/** A world for each test of the suite that this is called in. */
export function useJobWorld(openWorld: () => Promise<JobWorld>) {
  let world: JobWorld | undefined;

  beforeEach(async () => {
    world = await openWorld();
  });

  afterEach(async () => {
    await world?.close();
    world = undefined;
  });

  function current(): JobWorld {
    if (world === undefined) throw new Error('A world is open during tests only');
    return world;
  }

  return {
    world: current,

    /** A process whose handlers note what they are called with; the rest does nothing. */
    async startProcess(handlers: Partial<JobHandlers> = {}, options: { concurrency?: number } = {}) {
      const process = await current().openProcess(options);
      const calls: string[] = [];
      process.queue.start(recordingHandlers(calls, handlers));
      return { ...process, callsOf: (name: JobName) => callsOf(calls, name) };
    },
  };
}

/** Time enough for every attempt of `drop.remove`: pauses of 2, 4, 8 and 16 s. */
export async function passAttempts(world: JobWorld, settle: () => Promise<void>): Promise<void> {
  await settle();
  for (const pause of [2, 4, 8, 16, 32]) {
    await world.pass(pause * 1_000);
    await settle();
  }
}
