import { availableParallelism } from 'node:os';
import type { DrawCard } from '../cards/card.ts';
import { type Config, signInWays } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import { SideEffects } from '../drops/side-effects.ts';
import type { EdgePurger } from '../edge/edge-purger.ts';
import type { FindTitle } from '../html/title.ts';
import { Limits } from '../limits/limits.ts';
import { createListsAtOnce } from '../limits/lists-at-once.ts';
import type { Log } from '../log/log.ts';
import { createArgon2Hasher } from '../passcodes/argon2.ts';
import type { PasscodeHasher } from '../passcodes/passcode-hasher.ts';
import { Passcodes } from '../passcodes/passcodes.ts';
import type { OpenPool } from '../threads/threads.ts';
import { assembleAccounts } from './assemble-accounts.ts';
import { assembleComments } from './assemble-comments.ts';
import { assembleDrops } from './assemble-drops.ts';
import { assembleOperators } from './assemble-operators.ts';
import { assemblePages } from './assemble-pages.ts';
import { openEdgePurger } from './open-edge-purger.ts';
import type { ServiceMetrics } from './open-metrics.ts';
import { openGitHub, openOidc, openSealer } from './open-secrets.ts';
import { keepSignInKey, type OpenedEngine, openStores, systemClock } from './open-stores.ts';
import { openThreads } from './open-threads.ts';

/** Everything that the web process and the worker work with. */
export type Services = Awaited<ReturnType<typeof assemble>>;

interface OpenOptions {
  readonly log: Log;
  readonly clock?: Clock;
  /** For tests: draws cards without a thread. */
  readonly drawCard?: DrawCard | undefined;
  /** For tests: searches for titles without a thread. */
  readonly findTitle?: FindTitle | undefined;
  /** For tests: threads that several services share. */
  readonly openPool?: OpenPool | undefined;
  /** For tests: how long a new comment waits for the search for its sides. */
  readonly sidesMs?: number | undefined;
  /** For tests: hashes at less cost. */
  readonly passcodeHasher?: PasscodeHasher;
  /** For tests: adds faults and delays to the engine. */
  readonly adaptEngine?: (engine: OpenedEngine) => OpenedEngine;
}

/** Only the `open-*` files and the engines pick adapters. @throws Error: in one sentence, why the service cannot start */
export async function openServices(
  config: Config,
  {
    log,
    clock = systemClock,
    adaptEngine = (engine) => engine,
    drawCard,
    findTitle,
    openPool,
    sidesMs,
    passcodeHasher = createArgon2Hasher(),
  }: OpenOptions,
): Promise<Services> {
  const metrics =
    config.METRICS_PORT === '' ? null : (await import('./open-metrics.ts')).createMetrics(config, clock);
  const engine = await openStores(config, { log, role: 'service', clock, metrics });
  try {
    const adapted = adaptEngine(engine);
    const watched = metrics?.watchEngine(adapted) ?? adapted;
    return await assemble({
      config,
      log,
      clock,
      engine: watched,
      metrics,
      drawCard,
      findTitle,
      openPool,
      sidesMs,
      passcodeHasher,
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly engine: OpenedEngine;
  readonly metrics: ServiceMetrics | null;
  readonly drawCard: DrawCard | undefined;
  readonly findTitle: FindTitle | undefined;
  readonly openPool: OpenPool | undefined;
  readonly sidesMs: number | undefined;
  readonly passcodeHasher: PasscodeHasher;
}

/** Each part names what it gets. A part comes after those that it needs. */
async function assemble(parts: Parts) {
  const { config, log, clock, engine, metrics } = parts;
  const sealer = await openSealer(config, engine.secrets, clock);
  const github = openGitHub(config);
  const oidc = openOidc(config);
  const signInKey = signInWays(config).includes('local') ? await keepSignInKey(engine.secrets) : null;
  const purger = openPurger(config, clock, metrics);
  const maxRenders = Math.max(1, availableParallelism() - 1);
  const { drawCard, findTitle, openPool, sidesMs } = parts;
  const threads = openThreads({ log, metrics, maxRenders, drawCard, findTitle, openPool });
  const { parseJson, findQuotes } = threads;

  const runList = createListsAtOnce();
  const limits = new Limits({ limiter: engine.rateLimiter, clock, config });
  const sideEffects = new SideEffects({ jobs: engine.jobs, purger, changes: engine.pageChanges, log });
  const ofAccounts = assembleAccounts({ config, clock, log, engine, sealer, oidc, limits, sideEffects });
  const { tokens, identities, readers } = ofAccounts;
  const ofOperators = assembleOperators({ config, clock, log, engine, identities, limits, sideEffects });
  const hasher = parts.passcodeHasher;
  const passcodes = new Passcodes({ hasher, sealer, limits, readers, clock, config });
  const ofPages = assemblePages({ config, clock, log, engine, threads, maxRenders });
  const forComments = { findQuotes, sidesMs, limits, runList, sideEffects };
  const ofComments = assembleComments({ clock, log, engine, ...forComments });
  const { comments, resolutions } = ofComments;
  const forDrops = { tokens, readers, limits, runList, passcodes, sideEffects, comments, resolutions };
  const ofDrops = assembleDrops({ config, clock, log, engine, threads, ...forDrops });
  if (metrics !== null) addReadings(metrics, engine, ofPages);

  return {
    config,
    clock,
    log,
    limits,
    sealer,
    passcodes,
    sideEffects,
    jobs: engine.jobs,
    parseJson,
    findQuotes,
    /** null: nobody signs in there. */
    github,
    /** null: nobody signs in there. */
    oidc,
    /** null: there is no local sign-in. */
    signInKey,
    ...ofOperators,
    ...ofAccounts,
    ...ofPages,
    ...ofComments,
    ...ofDrops,
    /** Only the worker uses engine and purger. */
    engine,
    /** null: EDGE_PURGER is none. */
    purger,
    /** null: METRICS_PORT is not set, and nothing is counted. */
    metrics,
    /** @throws DropError `unavailable` if the database cannot be reached */
    ready: () => engine.ready(),
    /** Stores the counted views, terminates the threads and closes the stores, in this order. */
    close: () => closeInOrder([ofPages.views, ofPages.cards, ofPages.rendering, threads, engine]),
  };
}

/** null: EDGE_PURGER is none. */
function openPurger(config: Config, clock: Clock, metrics: ServiceMetrics | null): EdgePurger | null {
  const purger = openEdgePurger(config, clock);
  if (purger === null || metrics === null) return purger;
  return metrics.watchPurger(purger);
}

/** What is read at each scrape. */
function addReadings(
  metrics: ServiceMetrics,
  engine: OpenedEngine,
  { pages, cards, rendering, views }: ReturnType<typeof assemblePages>,
): void {
  metrics.read({
    memories: {
      pages: pages.readings.pages,
      bodies: pages.readings.bodies,
      cards: () => cards.reading(),
    },
    discardedReads: pages.readings.discardedReads,
    queues: {
      page: rendering.waiting.page,
      context: rendering.waiting.context,
      card: () => cards.waiting(),
    },
    unrecordedViews: () => views.unrecorded(),
    ready: () => engine.ready(),
  });
}

/** Closes each part, also after one failed. @throws the first part's error */
async function closeInOrder(parts: readonly { close(): Promise<void> }[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) {
    await part.close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
