import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine.ts';
import type { Quota } from '../../ports/rate-limiter.ts';
import { createEventCounter } from './event-counter.ts';
import { createHistogram } from './histogram.ts';
import { watchJobs } from './job-metrics.ts';

/** Those that RateLimiter counts, by the start of their keys; then those of the stores. */
const limits = [
  ...[
    'write',
    'change',
    'repeat',
    'upload',
    'upload-repeat',
    'sign-in-of',
    'key',
    'passcode-of',
    'report-of',
  ],
  ...['sign-in', 'sign-in-from', 'code', 'code-from', 'passcode', 'passcode-from', 'report', 'report-from'],
  ...['drops', 'versions', 'writes_per_day'],
];

/** The same engine, which counts what it has done. */
export function watchEngine(registry: Registry, engine: Engine, clock: Clock): Engine {
  const limitHit = createEventCounter(registry, {
    name: 'dropleaf_limit_hits_total',
    help: 'Requests that were refused because a limit was reached, by limit',
    label: 'limit',
    values: limits,
  });
  return {
    ...engine,
    drops: watchDrops(registry, engine.drops, limitHit),
    rateLimiter: watchLimiter(engine.rateLimiter, limitHit),
    ...watchSignIns(registry, engine),
    reports: watchReports(registry, engine.reports),
    views: watchViews(registry, engine.views),
    pageChanges: watchChanges(registry, engine.pageChanges),
    jobs: watchJobs(registry, engine.jobs, clock),
  };
}

type LimitHit = (limit: string) => void;

function watchDrops(registry: Registry, drops: Engine['drops'], limitHit: LimitHit): Engine['drops'] {
  const published = createEventCounter(registry, {
    name: 'dropleaf_publishes_total',
    help: 'Published drops and new versions of drops',
    label: 'kind',
    values: ['drop', 'version'],
  });
  return {
    ...drops,
    async create(...args) {
      const result = await drops.create(...args);
      if (typeof result === 'object') published('drop');
      if (result === 'no_place') limitHit('drops');
      if (result === 'day_full') limitHit('writes_per_day');
      return result;
    },
    async addVersion(...args) {
      const result = await drops.addVersion(...args);
      if (typeof result === 'object' && result !== null && 'latestVersion' in result) published('version');
      if (result === 'version_limit') limitHit('versions');
      if (result === 'day_full') limitHit('writes_per_day');
      return result;
    },
  };
}

function watchLimiter(limiter: Engine['rateLimiter'], limitHit: LimitHit): Engine['rateLimiter'] {
  const report = ({ key }: Quota) => limitHit(key.split(':', 1)[0] ?? '');
  return {
    async take(...args) {
      const full = await limiter.take(...args);
      if (full !== null) report(full);
      return full;
    },
    async reserve(...args) {
      const reserved = await limiter.reserve(...args);
      if (typeof reserved === 'object' && 'key' in reserved) report(reserved);
      return reserved;
    },
  };
}

function watchSignIns(
  registry: Registry,
  { signIns, sessions }: Engine,
): Pick<Engine, 'signIns' | 'sessions'> {
  const step = createEventCounter(registry, {
    name: 'dropleaf_sign_ins_total',
    help: 'Steps of sign-ins: of programs (started, approved, denied, claimed), and sessions of browsers that began',
    label: 'step',
    values: ['started', 'approved', 'denied', 'claimed', 'session'],
  });
  return {
    signIns: {
      ...signIns,
      async insert(...args) {
        const result = await signIns.insert(...args);
        if (result === 'inserted') step('started');
        return result;
      },
      async approve(...args) {
        const isApproved = await signIns.approve(...args);
        if (isApproved) step('approved');
        return isApproved;
      },
      async deny(...args) {
        const isDenied = await signIns.deny(...args);
        if (isDenied) step('denied');
        return isDenied;
      },
      async claim(...args) {
        const claimed = await signIns.claim(...args);
        if (claimed !== null) step('claimed');
        return claimed;
      },
    },
    sessions: {
      ...sessions,
      async insert(...args) {
        const result = await sessions.insert(...args);
        if (result === 'inserted') step('session');
        return result;
      },
    },
  };
}

function watchReports(registry: Registry, reports: Engine['reports']): Engine['reports'] {
  const received = createEventCounter(registry, {
    name: 'dropleaf_reports_total',
    help: 'Reports of pages by what became of them: full: the drop has REPORTS_OPEN_PER_DROP open reports',
    label: 'result',
    values: ['inserted', 'known', 'full'],
  });
  return {
    ...reports,
    async insert(...args) {
      const result = await reports.insert(...args);
      received(result);
      return result;
    },
  };
}

function watchViews(registry: Registry, views: Engine['views']): Engine['views'] {
  const recorded = new Counter({
    name: 'dropleaf_views_recorded_total',
    help: 'Views of pages that this process counted and the store recorded',
    registers: [registry],
  });
  return {
    ...views,
    async add(writer, flush, counts) {
      await views.add(writer, flush, counts);
      recorded.inc(counts.reduce((sum, { count }) => sum + count, 0));
    },
  };
}

function watchChanges(registry: Registry, changes: Engine['pageChanges']): Engine['pageChanges'] {
  const duration = createHistogram(registry, {
    name: 'dropleaf_page_change_notice_duration_seconds',
    help: 'Time that changes of pages waited until no process shows the page as it was: 1.1 s if not all confirmed',
    labels: [],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1],
  }).tally();
  return {
    ...changes,
    async publish(...slugs) {
      const startedAt = performance.now();
      await changes.publish(...slugs);
      duration.observe((performance.now() - startedAt) / 1_000);
    },
  };
}
