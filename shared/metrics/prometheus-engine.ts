import type { Clock } from '../domain/clock.ts';
import { DropError } from '../domain/errors.ts';
import type { EdgePurger } from '../edge/edge-purger.ts';
import type { Engine } from '../engines/engine.ts';
import { type JobHandlers, type JobName, jobNames } from '../jobs/job-catalogue.ts';
import type { JobCount } from '../jobs/job-reports.ts';
import { capTable, limitKeys, limitTable } from '../limits/limit-table.ts';
import type { Quota } from '../limits/rate-limiter.ts';
import { methodsOf } from '../util/methods.ts';
import { withTimeout } from '../util/promises.ts';
import { type Meter, timed } from './prometheus-meter.ts';

/** A queue that does not answer must not hold up a scrape. */
const countWithinMs = 2_000;

/** The same engine, which counts what it has done. */
export function watchEngine(meter: Meter, engine: Engine, clock: Clock): Engine {
  const limitHit = meter.counter<string>('limit_hits_total', limitKeys);
  const isFull = ({ key }: Quota) => limitHit(key.split(':', 1)[0] ?? '');
  const published = meter.counter('publishes_total', ['drop', 'version']);
  const step = meter.counter('sign_ins_total', ['started', 'approved', 'denied', 'claimed', 'session']);
  const reported = meter.counter('reports_total', ['inserted', 'known', 'full', 'all_full']);
  const noticed = meter.histogram('page_change_notice_duration_seconds')();
  let viewed = 0;
  meter.read('views_recorded_total', () => viewed);

  return {
    ...engine,
    drops: watchResults(engine.drops, {
      create(result) {
        if (typeof result === 'object') published('drop');
        if (result === 'no_place') limitHit(capTable.drops.key);
        if (result === 'day_full') limitHit(limitTable.writeOfDay.key);
      },
      addVersion(result) {
        if (typeof result === 'object' && result !== null && 'latestVersion' in result) published('version');
        if (result === 'version_limit') limitHit(capTable.versions.key);
        if (result === 'day_full') limitHit(limitTable.writeOfDay.key);
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
      insert: (isInserted) => isInserted && step('started'),
      approve: (isApproved) => isApproved && step('approved'),
      deny: (isDenied) => isDenied && step('denied'),
      claim: (claimed) => claimed !== null && step('claimed'),
    }),
    sessions: watchResults(engine.sessions, {
      insert: (isInserted) => isInserted && step('session'),
    }),
    reports: watchResults(engine.reports, { insert: (result) => reported(result) }),
    views: watchResults(engine.views, {
      add(_result, _writer, _flush, counts) {
        for (const { count } of counts) viewed += count;
      },
    }),
    pageChanges: {
      ...methodsOf(engine.pageChanges),
      publish: timed(noticed, (...slugs) => engine.pageChanges.publish(...slugs)),
    },
    jobs: {
      ...methodsOf(engine.jobs),
      /** A process that runs jobs shows what it ran, and the queue, which all processes share. */
      start(handlers) {
        addQueue(meter, engine.jobs, clock);
        engine.jobs.start(countRuns(meter, handlers));
      },
    },
  };
}

export function watchPurger(meter: Meter, purger: EdgePurger): EdgePurger {
  const purged = meter.counter('edge_purges_total', ['confirmed', 'limited', 'failed']);
  const purge = timed(meter.histogram('edge_purge_duration_seconds')(), (tag: string) => purger.purge(tag));
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

function countRuns(meter: Meter, handlers: JobHandlers): JobHandlers {
  const durations = meter.histogram('job_run_duration_seconds');
  const failed = meter.counter('job_run_failures_total', jobNames);

  function count<N extends JobName>(name: N): JobHandlers[N] {
    const run = timed(durations(name), handlers[name]);
    return async (payload) => {
      try {
        await run(payload);
      } catch (error) {
        failed(name);
        throw error;
      }
    };
  }

  const counted = jobNames.map((name) => [name, count(name)] as const);
  return Object.fromEntries(counted) as JobHandlers; // proof: every name has the handler of its name
}

function addQueue(meter: Meter, queue: Engine['jobs'], clock: Clock): void {
  let counting: Promise<readonly JobCount[] | null> | null = null;
  /** One count for the numbers of a scrape, which are read in one turn of the event loop. null: the queue does not answer. */
  function count(): Promise<readonly JobCount[] | null> {
    const late = () => new Error('not in time');
    counting ??= withTimeout(countWithinMs, queue.countByName(), late)
      .catch(() => null)
      .finally(() => {
        counting = null;
      });
    return counting;
  }

  meter.read('jobs', async () =>
    ((await count()) ?? []).flatMap(({ name, ...counts }) =>
      (['waiting', 'active', 'failed'] as const).map((state) => [name, state, counts[state]] as const),
    ),
  );
  meter.read('job_overdue_seconds', async () =>
    ((await count()) ?? []).map(({ name, oldestDueAt }) => {
      return [name, oldestDueAt === null ? 0 : Math.max(0, clock.now() - oldestDueAt) / 1_000];
    }),
  );
  meter.read('job_queue_up', async () => ((await count()) === null ? 0 : 1));
}

type Watchers<T> = {
  readonly [K in keyof T]?: T[K] extends (...args: infer A) => Promise<infer R>
    ? (result: R, ...args: A) => void
    : never;
};

/** The same object. After a call of a method that `watchers` names, its watcher gets the result and the arguments. */
function watchResults<T extends object>(watched: T, watchers: Watchers<T>): T {
  type Call = (...args: unknown[]) => unknown;
  const methods = methodsOf(watched);
  const changed = Object.entries(watchers as Record<string, Call>).map(([name, watch]) => {
    const call = Reflect.get(methods, name) as Call;
    return [
      name,
      async (...args: unknown[]) => {
        const result = await call(...args);
        watch(result, ...args);
        return result;
      },
    ];
  });
  return { ...methods, ...Object.fromEntries(changed) }; // proof of the casts: `Watchers` names methods of `T` by their types
}
