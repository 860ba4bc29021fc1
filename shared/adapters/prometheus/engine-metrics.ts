import { Counter, type Registry } from 'prom-client';
import { DropError } from '../../domain/errors.ts';
import { limitNames } from '../../domain/visitor.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EdgePurger } from '../../ports/edge-purger.ts';
import type { Engine } from '../../ports/engine.ts';
import type { Quota } from '../../ports/rate-limiter.ts';
import { createHistogram, timed } from './histogram.ts';
import { watchJobs } from './job-metrics.ts';
import { createEventCounter, watchResults } from './metric-kinds.ts';

/** The same engine, which counts what it has done. */
export function watchEngine(registry: Registry, engine: Engine, clock: Clock): Engine {
  const limitHit = createEventCounter<string>(registry, {
    name: 'dropleaf_limit_hits_total',
    help: 'Requests that were refused because a limit was reached, by limit',
    label: 'limit',
    values: [...limitNames, 'drops', 'versions', 'writes_per_day'], // the last three are limits of the stores
  });
  const isFull = ({ key }: Quota) => limitHit(key.split(':', 1)[0] ?? '');
  const published = createEventCounter(registry, {
    name: 'dropleaf_publishes_total',
    help: 'Published drops and new versions of drops',
    label: 'kind',
    values: ['drop', 'version'],
  });
  const step = createEventCounter(registry, {
    name: 'dropleaf_sign_ins_total',
    help: 'Steps of sign-ins: of programs (started, approved, denied, claimed), and sessions of browsers that began',
    label: 'step',
    values: ['started', 'approved', 'denied', 'claimed', 'session'],
  });
  const reported = createEventCounter(registry, {
    name: 'dropleaf_reports_total',
    help: 'Reports of pages by what became of them: full: the drop has REPORTS_OPEN_PER_DROP open reports',
    label: 'result',
    values: ['inserted', 'known', 'full'],
  });
  const viewed = new Counter({
    name: 'dropleaf_views_recorded_total',
    help: 'Views of pages that this process counted and the store recorded',
    registers: [registry],
  });
  const noticed = createHistogram(registry, {
    name: 'dropleaf_page_change_notice_duration_seconds',
    help: 'Time that changes of pages waited until no process shows the page as it was: 1.1 s if not all confirmed',
    labels: [],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1],
  }).tally();

  return {
    ...engine,
    drops: watchResults(engine.drops, {
      create(result) {
        if (typeof result === 'object') published('drop');
        if (result === 'no_place') limitHit('drops');
        if (result === 'day_full') limitHit('writes_per_day');
      },
      addVersion(result) {
        if (typeof result === 'object' && result !== null && 'latestVersion' in result) published('version');
        if (result === 'version_limit') limitHit('versions');
        if (result === 'day_full') limitHit('writes_per_day');
      },
    }),
    rateLimiter: watchResults(engine.rateLimiter, {
      take(full) {
        if (full !== null) isFull(full);
      },
      reserve(reserved) {
        if (typeof reserved === 'object' && 'key' in reserved) isFull(reserved);
      },
    }),
    signIns: watchResults(engine.signIns, {
      insert: (result) => result === 'inserted' && step('started'),
      approve: (isApproved) => isApproved && step('approved'),
      deny: (isDenied) => isDenied && step('denied'),
      claim: (claimed) => claimed !== null && step('claimed'),
    }),
    sessions: watchResults(engine.sessions, {
      insert: (result) => result === 'inserted' && step('session'),
    }),
    reports: watchResults(engine.reports, { insert: reported }),
    views: watchResults(engine.views, {
      add: (_result, _writer, _flush, counts) =>
        viewed.inc(counts.reduce((sum, { count }) => sum + count, 0)),
    }),
    pageChanges: { ...engine.pageChanges, publish: timed(noticed, engine.pageChanges.publish) },
    jobs: watchJobs(registry, engine.jobs, clock),
  };
}

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
    buckets: [0.025, 0.1, 0.5, 2.5], // up to the timeout of a purge
  }).tally();
  const purge = timed(duration, purger.purge);
  return {
    async purge(tag) {
      try {
        await purge(tag);
        purged('confirmed');
      } catch (error) {
        purged(error instanceof DropError ? 'limited' : 'failed');
        throw error;
      }
    },
  };
}
