import { Accounts } from '../../shared/accounts/accounts.ts';
import { Resolutions } from '../../shared/comments/resolutions.ts';
import type { Clock } from '../../shared/domain/clock.ts';
import { SideEffects } from '../../shared/drops/side-effects.ts';
import type { EdgePurger } from '../../shared/edge/edge-purger.ts';
import type { Stores } from '../../shared/engines/engine.ts';
import { findQuotes } from '../../shared/html/quotes.ts';
import { AccessEnd } from '../../shared/identities/access-end.ts';
import type { JobHandlers, JobName } from '../../shared/jobs/job-catalogue.ts';
import type { JobConsumer, JobMonitor, JobProducer } from '../../shared/jobs/job-queue.ts';
import type { Renderer } from '../../shared/renders/renderer.ts';
import { Rendering } from '../../shared/renders/rendering.ts';
import { createJobHandlers } from '../../worker/start-worker.ts';
import type { WorkerDeps } from '../../worker/worker-deps.ts';
import { recordFailures } from '../support/job-failures.ts';
import type { Faults } from './faults.ts';
import { createRecordingLog } from './recording-log.ts';

/** A queue whose due jobs a test can run. */
export interface SceneQueue extends JobProducer, JobConsumer, JobMonitor {
  runUntilIdle(): Promise<void>;
}

export interface ProcessOptions {
  /** Injected into the ports that handlers call. */
  readonly faults?: Faults;
  /** null: there is no edge. Unset: the scene's edge. */
  readonly purger?: EdgePurger | null;
  /** The queue that handlers enqueue jobs in. Unset: that of the process. */
  readonly jobs?: WorkerDeps['jobs'] | undefined;
  /** EDGE_PURGE_AGAIN_SECONDS. Unset: the default. */
  readonly purgeAgain?: string | undefined;
}

/** A worker in this process, wired like `bin/dropleaf.js worker`. */
export function createWorkerProcess<Q extends SceneQueue>(deps: {
  stores: Stores;
  queue: Q;
  clock: Clock;
  renderer: Renderer;
  purger: EdgePurger | null;
  log?: ReturnType<typeof createRecordingLog>;
  faults?: Faults | undefined;
  jobs?: WorkerDeps['jobs'] | undefined;
  purgeAgain?: string | undefined;
}) {
  const { stores, queue, clock, renderer, purger, log = createRecordingLog(), faults } = deps;
  const { jobs: producer = jobsOf(queue), purgeAgain = '1,5,60' } = deps;
  const wrap = <T extends object>(port: T): T => faults?.wrap(port) ?? port;
  const engine = Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, wrap(store)]),
  ) as unknown as Stores; // proof: each store is wrapped as what it is
  const jobsToAsk = wrap(producer);
  const purgerToAsk = purger === null ? null : wrap(purger);
  const rendering = new Rendering({
    html: engine.html,
    contexts: engine.contexts,
    renders: engine.renders,
    renderer: wrap(renderer),
    log,
    config: { RENDER_BUDGET_MS: 2_000 },
    atOnce: 2,
  });
  const parts = { jobs: jobsToAsk, purger: purgerToAsk, clock, log };
  const changes = { publish: async () => undefined };
  const { tokens, sessions } = engine;
  const removals = [
    (accountId: string, limit: number) => tokens.revokeSome(accountId, limit),
    (accountId: string, limit: number) => sessions.revokeSome(accountId, limit),
  ];
  const sealer = {
    hashes: () => ['hash'] as const,
    seal: async (_: string, content: object) => JSON.stringify(content),
    open: async (_: string, sealed: string): Promise<unknown> => JSON.parse(sealed),
  };
  /** Everybody has left the allowed groups. */
  const oidc = {
    provider: async () => 'oidc:https://login.example',
    refresh: async () => ({ email: null, groups: ['/left'], refreshToken: 'next' }),
  };
  const accessEnd = new AccessEnd({ ...engine, clock });
  const sideEffects = new SideEffects({ ...parts, changes });
  const accounts = new Accounts({ ...engine, ...parts, removals, sealer, sideEffects });
  const resolutions = new Resolutions({
    ...engine,
    clock,
    waiting: { notify: () => undefined },
  });
  const workerDeps: WorkerDeps = {
    ...parts,
    engine,
    accounts,
    oidc,
    sealer,
    accessEnd,
    rendering,
    resolutions,
    findQuotes: async (html, quotes) => findQuotes({ html, quotes, budgetMs: 2_000 }),
    config: {
      OIDC_ALLOWED_GROUPS: '/staff',
      OIDC_SCOPES: 'openid offline_access',
      SIGN_IN_KEEP_SECONDS: 86_400,
      EDGE_PURGE_AGAIN_SECONDS: purgeAgain,
      REPORTS_KEEP_DAYS: 90,
      AUDIT_KEEP_DAYS: '400',
    },
  };
  const handlers = createJobHandlers(workerDeps);
  const thrown: unknown[] = [];
  queue.start(recordFailures(faults === undefined ? handlers : within(faults, handlers), thrown));
  return {
    queue,
    log,
    rendering,
    handlers,

    /** Runs the jobs that are due. @returns what their handlers threw */
    async settle(): Promise<unknown[]> {
      await queue.runUntilIdle();
      return thrown.splice(0);
    },
  };
}

/** What handlers use of the queue. */
function jobsOf(queue: SceneQueue): WorkerDeps['jobs'] {
  return {
    enqueue: (name, payload, delayMs) => queue.enqueue(name, payload, delayMs),
    listFailed: (limit) => queue.listFailed(limit),
  };
}

/** Runs each handler within its job's faults. */
function within(faults: Faults, handlers: JobHandlers): JobHandlers {
  const wrapped = Object.entries(handlers).map(([name, handle]) => {
    // proof: the entries are those of the handlers, each called with what it takes
    const call = handle as (payload: unknown) => Promise<void>;
    return [name, (payload: unknown) => faults.within(name as JobName, () => call(payload))] as const;
  });
  return Object.fromEntries(wrapped) as unknown as JobHandlers; // proof: each name with its own handler
}
