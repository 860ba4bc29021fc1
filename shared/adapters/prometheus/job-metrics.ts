import type { Registry } from 'prom-client';
import { type JobHandlers, type JobName, jobNames } from '../../job-catalogue.ts';
import type { Engine } from '../../ports/engine.ts';
import { createEventCounter } from './event-counter.ts';
import { createHistogram } from './histogram.ts';

/** From a purge to the removal of an account with thousands of drops. */
const buckets = [0.005, 0.025, 0.1, 0.5, 2.5, 30];

/** The same queue. A process that runs jobs shows what it ran. */
export function watchJobs(registry: Registry, queue: Engine['jobs']): Engine['jobs'] {
  return {
    ...queue,
    start: (handlers) => queue.start(countRuns(registry, handlers)),
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
    const duration = durations.tally(name);
    const run = handlers[name];
    return async (payload) => {
      const startedAt = performance.now();
      try {
        await run(payload);
      } catch (error) {
        failures(name);
        throw error;
      } finally {
        duration.observe((performance.now() - startedAt) / 1_000);
      }
    };
  }

  const counted = jobNames.map((name) => [name, count(name)] as const);
  return Object.fromEntries(counted) as JobHandlers; // proof: every name has the handler of its name
}
