import type { Registry } from 'prom-client';
import type { JobCount } from '../../domain/job-count.ts';
import { type JobHandlers, type JobName, jobNames } from '../../job-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine.ts';
import { withTimeout } from '../../util/wait-at-most.ts';
import { createHistogram, timed } from './histogram.ts';
import { addReading, createEventCounter } from './metric-kinds.ts';

/** A queue that does not answer must not hold up a scrape. */
const countWithinMs = 2_000;

/** From a purge to the removal of an account with thousands of drops. */
const buckets = [0.005, 0.025, 0.1, 0.5, 2.5, 30];

/** The same queue. A process that runs jobs shows what it ran, and the queue, which all processes share. */
export function watchJobs(registry: Registry, queue: Engine['jobs'], clock: Clock): Engine['jobs'] {
  return {
    ...queue,
    start(handlers) {
      addQueue(registry, queue, clock);
      queue.start(countRuns(registry, handlers));
    },
  };
}

function countRuns(registry: Registry, handlers: JobHandlers): JobHandlers {
  const durations = createHistogram(registry, {
    name: 'dropleaf_job_run_duration_seconds',
    help: 'Duration of the runs of jobs in this process, failed ones included',
    labels: ['name'],
    buckets,
  });
  const failures = createEventCounter(registry, {
    name: 'dropleaf_job_run_failures_total',
    help: 'Runs of jobs that failed; most are repeated',
    label: 'name',
    values: jobNames,
  });

  function count<N extends JobName>(name: N): JobHandlers[N] {
    const run = timed(durations.tally(name), handlers[name]);
    return async (payload) => {
      try {
        await run(payload);
      } catch (error) {
        failures(name);
        throw error;
      }
    };
  }

  const counted = jobNames.map((name) => [name, count(name)] as const);
  return Object.fromEntries(counted) as JobHandlers; // proof: every name has the handler of its name
}

function addQueue(registry: Registry, queue: Engine['jobs'], clock: Clock): void {
  const readCounts = onceAScrape(() => countJobs(queue));
  const jobs = {
    name: 'dropleaf_jobs',
    help: 'Jobs in the queue of all processes, by name and state (waiting, active, failed); none if it does not answer',
  };
  addReading(registry, 'gauge', jobs, async () =>
    ((await readCounts()) ?? []).flatMap(({ name, ...counts }) =>
      (['waiting', 'active', 'failed'] as const).map((state) => [{ name, state }, counts[state]] as const),
    ),
  );
  const overdue = {
    name: 'dropleaf_job_overdue_seconds',
    help: 'For how long the oldest job of the name is due and has not begun; 0: none is due',
  };
  addReading(registry, 'gauge', overdue, async () =>
    ((await readCounts()) ?? []).map(({ name, oldestDueAt }) => {
      return [{ name }, oldestDueAt === null ? 0 : Math.max(0, clock.now() - oldestDueAt) / 1_000];
    }),
  );
  const up = { name: 'dropleaf_job_queue_up', help: 'Whether the job queue answered: 1 or 0' };
  addReading(registry, 'gauge', up, async () => ((await readCounts()) === null ? 0 : 1));
}

/** null: the queue does not answer. */
function countJobs(queue: Engine['jobs']): Promise<readonly JobCount[] | null> {
  const late = () => new Error('not in time');
  return withTimeout(countWithinMs, queue.countByName(), late).catch(() => null);
}

/** Calls `read` once for the metrics of a scrape, which are all collected in the same turn of the event loop. */
function onceAScrape<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= read().finally(() => {
      running = null;
    });
    return running;
  };
}
