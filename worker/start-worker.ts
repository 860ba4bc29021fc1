import type { JobConsumer } from '../shared/ports/job-queue.ts';
import type { Log } from '../shared/ports/log.ts';
import { createJobHandlers, type WorkerServices } from './jobs/index.ts';

export interface Worker {
  /** Takes no new job, and waits at most `graceMs` for those that run; what still runs then starts again later. */
  stop(graceMs: number): Promise<void>;
}

/** Begins to run the catalogue's jobs and schedules. */
export function startWorker(deps: WorkerServices & { jobs: JobConsumer; log: Log }): Worker {
  const { jobs, log } = deps;
  jobs.start(createJobHandlers(deps));
  log.debug({}, 'the worker runs jobs');
  return {
    async stop(graceMs) {
      await jobs.stop(graceMs);
      log.debug({}, 'the worker has stopped');
    },
  };
}
