import type { Registry } from 'prom-client';
import { DropError } from '../../domain/errors.ts';
import type { EdgePurger } from '../../ports/edge-purger.ts';
import { createEventCounter } from './event-counter.ts';
import { createHistogram } from './histogram.ts';

/** Up to the timeout of a purge. */
const buckets = [0.025, 0.1, 0.5, 2.5];

export function watchPurger(registry: Registry, purger: EdgePurger): EdgePurger {
  const purged = createEventCounter(registry, {
    name: 'dropleaf_edge_purges_total',
    help: 'Purges by result: limited: the edge asks to wait; failed: it did not confirm. Jobs repeat both',
    label: 'result',
    values: ['confirmed', 'limited', 'failed'],
  });
  const duration = createHistogram(registry, {
    name: 'dropleaf_edge_purge_duration_seconds',
    help: 'Time from a purge until the edge confirmed it or did not',
    labels: [],
    buckets,
  }).tally();
  return {
    async purge(tag) {
      const startedAt = performance.now();
      try {
        await purger.purge(tag);
        purged('confirmed');
      } catch (error) {
        purged(error instanceof DropError ? 'limited' : 'failed');
        throw error;
      } finally {
        duration.observe((performance.now() - startedAt) / 1_000);
      }
    },
  };
}
