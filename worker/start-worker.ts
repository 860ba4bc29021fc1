import { isUnavailable } from '../shared/domain/errors.ts';
import { type JobHandlers, type JobName, jobNames } from '../shared/job-catalogue.ts';
import type { JobConsumer } from '../shared/ports/job-queue.ts';
import { createThrottledWarning } from '../shared/services/throttled-warning.ts';
import { createJobHandlers } from './jobs/index.ts';
import type { WorkerDeps } from './worker-deps.ts';

export interface Worker {
  /** Starts no more jobs and waits at most `graceMs` for those that run; the others run again later. */
  stop(graceMs: number): Promise<void>;
}

/** Starts to run the jobs and schedules of the catalogue. */
export function startWorker(deps: WorkerDeps & { readonly jobs: JobConsumer }): Worker {
  const { jobs, log } = deps;
  jobs.start(reportUnavailable(createJobHandlers(deps), deps));
  log.debug({}, 'the worker has started');
  return {
    async stop(graceMs) {
      await jobs.stop(graceMs);
      log.debug({}, 'the worker has stopped');
    },
  };
}

/** The same handlers. While a part that they need is unavailable, one line a minute says so for all jobs together. */
function reportUnavailable(handlers: JobHandlers, deps: Pick<WorkerDeps, 'clock' | 'log'>): JobHandlers {
  const warn = createThrottledWarning(
    deps,
    'jobs wait because a part that they need is unavailable; they run again and lose no attempt',
  );
  function reporting<N extends JobName>(name: N): JobHandlers[N] {
    const run = handlers[name];
    return async (payload) => {
      try {
        await run(payload);
      } catch (err) {
        if (isUnavailable(err)) warn({ job: name, err });
        throw err;
      }
    };
  }
  // proof: every name has the handler of its name
  return Object.fromEntries(jobNames.map((name) => [name, reporting(name)])) as JobHandlers;
}
