import type { JobConsumer } from '../shared/ports/job-queue.ts';
import { createJobHandlers } from './jobs/index.ts';
import type { WorkerDeps } from './worker-deps.ts';

export interface Worker {
  /** Starts no more jobs and waits at most `graceMs` for those that run; the others run again later. */
  stop(graceMs: number): Promise<void>;
}

/** Starts to run the jobs and schedules of the catalogue. */
export function startWorker(deps: WorkerDeps & { readonly jobs: JobConsumer }): Worker {
  const { jobs, log } = deps;
  jobs.start(createJobHandlers(deps));
  log.debug({}, 'the worker has started');
  return {
    async stop(graceMs) {
      await jobs.stop(graceMs);
      log.debug({}, 'the worker has stopped');
    },
  };
}
