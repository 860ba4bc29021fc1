import type { JobHandlers, JobName } from '../../shared/job-catalogue.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { EdgePurger } from '../../shared/ports/edge-purger.ts';
import type { JobConsumer, JobProducer } from '../../shared/ports/job-queue.ts';
import type { JobReport } from '../../shared/ports/job-report.ts';
import type { PageRenderer } from '../../shared/ports/page-renderer.ts';
import { createFollowUps } from '../../shared/services/follow-ups.ts';
import { createRendering } from '../../shared/services/rendering.ts';
import { createUpkeep } from '../../shared/services/upkeep.ts';
import { startWorker } from '../../worker/start-worker.ts';
import type { Faults } from './faults.ts';
import { createRecordingLog } from './recording-log.ts';
import type { SceneStores } from './stage.ts';

/** A line of jobs that can be run until nothing is due. */
export interface SceneQueue extends JobProducer, JobConsumer, JobReport {
  runUntilIdle(): Promise<void>;
}

export interface ProcessOptions {
  /** Between the handlers and all that they call. */
  readonly faults?: Faults;
  /** null: no cache in front. Unset: the scene's edge. */
  readonly purger?: EdgePurger | null;
  /** What the handlers ask for more work. Unset: the process's own line. */
  readonly jobs?: JobProducer | undefined;
  /** After how many seconds purges are repeated. Unset: as by default. */
  readonly purgeAgain?: string | undefined;
}

/** A worker in this process, as `dropleaf worker` puts one together, but for what a test puts in between. */
export function createWorkerProcess<Q extends SceneQueue>(deps: {
  stores: SceneStores;
  queue: Q;
  clock: Clock;
  renderer: PageRenderer;
  purger: EdgePurger | null;
  log?: ReturnType<typeof createRecordingLog>;
  faults?: Faults | undefined;
  jobs?: JobProducer | undefined;
  purgeAgain?: string | undefined;
}) {
  const { stores, queue, clock, renderer, purger, log = createRecordingLog(), faults } = deps;
  const { jobs: producer = { enqueue: queue.enqueue }, purgeAgain = '1,5,60' } = deps;
  const wrap = <T extends object>(port: T): T => faults?.wrap(port) ?? port;
  const [pendingTasks, html, contexts] = [
    wrap(stores.pendingTasks),
    wrap(stores.html),
    wrap(stores.contexts),
  ];
  const [renders, signIns, views] = [wrap(stores.renders), wrap(stores.signIns), wrap(stores.views)];
  const jobsToAsk = wrap(producer);
  const purgerToAsk = purger === null ? null : wrap(purger);
  const followUps = createFollowUps({ jobs: jobsToAsk, purger: purgerToAsk, clock, log });
  const rendering = createRendering({
    ...{ html, renders, pendingTasks, renderer: wrap(renderer), jobs: jobsToAsk, clock, log },
    purge: followUps.changed,
    config: { RENDER_BUDGET_MS: 2_000, RENDER_REQUEST_BUDGET_MS: 300 },
  });
  const upkeep = createUpkeep({
    ...{ pendingTasks, html, contexts, renders, signIns, views, clock, log },
    reports: wrap(stores.reports),
    jobs: jobsToAsk,
    purger: purgerToAsk,
    config: { SIGN_IN_KEEP_SECONDS: 86_400, EDGE_PURGE_AGAIN_SECONDS: purgeAgain, REPORTS_KEEP_DAYS: 90 },
  });
  const aggregation = { aggregate: () => views.aggregate(clock.now()) };
  const jobs: JobConsumer = {
    start: (handlers) => queue.start(faults === undefined ? handlers : within(faults, handlers)),
    stop: (graceMs) => queue.stop(graceMs),
  };
  return {
    ...{ queue, log, rendering, upkeep, views: aggregation },
    worker: startWorker({ jobs, rendering, upkeep, views: aggregation, log }),

    /** Runs what is due; what handlers threw. */
    async settle(): Promise<unknown[]> {
      const outcome: unknown = await queue.runUntilIdle().catch((error: unknown) => error);
      if (outcome === undefined) return [];
      if (outcome instanceof AggregateError) return outcome.errors;
      throw outcome;
    },
  };
}

/** Tells the faults which job a call is made by. */
function within(faults: Faults, handlers: JobHandlers): JobHandlers {
  const wrapped = Object.entries(handlers).map(([name, handle]) => {
    // proof: the entries are those of the handlers, each called with what it takes
    const call = handle as (payload: unknown) => Promise<void>;
    return [name, (payload: unknown) => faults.within(name as JobName, () => call(payload))] as const;
  });
  return Object.fromEntries(wrapped) as unknown as JobHandlers; // proof: each name with its own handler
}
