import { availableParallelism } from 'node:os';
import { createAccounts } from '../accounts/accounts.ts';
import type { DrawCard } from '../cards/card.ts';
import { createCards } from '../cards/cards.ts';
import { createComments } from '../comments/comments.ts';
import { createResolutions } from '../comments/resolutions.ts';
import { createResolvedAlready } from '../comments/resolved-already.ts';
import { createSides } from '../comments/sides.ts';
import { createWaiting } from '../comments/waiting.ts';
import { type Config, splitList } from '../config/config.ts';
import { createSessions } from '../credentials/sessions.ts';
import { createTokens } from '../credentials/tokens.ts';
import { createDiffs } from '../diffs/diffs.ts';
import type { Clock } from '../domain/clock.ts';
import { randomBase62 } from '../domain/ids.ts';
import { createDocumentChecks } from '../drops/document-checks.ts';
import { createDrops } from '../drops/drops.ts';
import { createFollowingTitles } from '../drops/following-titles.ts';
import { createTitles } from '../drops/titles.ts';
import type { FindTitle } from '../html/title.ts';
import { createIdempotency } from '../idempotency/idempotency.ts';
import { createFollowUps } from '../jobs/follow-ups.ts';
import { Limits } from '../limits/limits.ts';
import { createListsAtOnce } from '../limits/lists-at-once.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createAudit } from '../moderation/audit.ts';
import { createModeration } from '../moderation/moderation.ts';
import { createPages } from '../pages/pages.ts';
import { createArgon2Hasher } from '../passcodes/argon2.ts';
import type { PasscodeHasher } from '../passcodes/passcode-hasher.ts';
import { createPasscodes } from '../passcodes/passcodes.ts';
import { createRendering } from '../renders/rendering.ts';
import { createReports } from '../reports/reports.ts';
import { createSealer } from '../secrets/jose.ts';
import { createGitHub } from '../sign-ins/github.ts';
import type { IdentityProvider } from '../sign-ins/identity-provider.ts';
import { createSignIns } from '../sign-ins/sign-ins.ts';
import { createThreads, type Threads } from '../threads/threads.ts';
import { createUploads } from '../uploads/uploads.ts';
import { createViewStats, createViews } from '../views/views.ts';
import { openEdgePurger } from './open-edge-purger.ts';
import type { ServiceMetrics } from './open-metrics.ts';
import { keepSignInKey, type OpenedEngine, openStores, systemClock } from './open-stores.ts';

/** A sign-in waits for two requests to the provider, and must be answered within ANSWER_MS. */
const providerTimeoutMs = 2_000;
const signingSecretLength = 43; // 256 bits

/** Everything that the web process and the worker work with. */
export type Services = Awaited<ReturnType<typeof assemble>>;

interface OpenOptions {
  readonly log: Log;
  readonly clock?: Clock;
  /** For tests: draws cards without a thread. */
  readonly drawCard?: DrawCard | undefined;
  /** For tests: searches for titles without a thread. */
  readonly findTitle?: FindTitle | undefined;
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
    passcodeHasher = createArgon2Hasher(),
  }: OpenOptions,
): Promise<Services> {
  const metrics =
    config.METRICS_PORT === '' ? null : (await import('./open-metrics.ts')).createMetrics(config, clock);
  const engine = await openStores(config, { log, role: 'service', clock, metrics });
  try {
    const adapted = adaptEngine(engine);
    const watched = metrics?.watchEngine(adapted) ?? adapted;
    const parts = { log, clock, metrics, drawCard, findTitle, passcodeHasher };
    return await assemble(config, { ...parts, engine: watched });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function assemble(
  config: Config,
  parts: ThreadParts & {
    clock: Clock;
    engine: OpenedEngine;
    passcodeHasher: PasscodeHasher;
  },
) {
  const { log, clock, metrics, engine } = parts;
  const { secrets, jobs } = engine;
  const signingSecret =
    config.SIGNING_SECRET ||
    (await secrets.findOrCreate('signing-secret', randomBase62(signingSecretLength)));
  const sealer = createSealer([signingSecret, ...splitList(config.SIGNING_SECRETS_ACCEPTED)], clock);
  const identityProvider = createIdentityProvider(config);
  const signInKey = identityProvider === null ? await keepSignInKey(secrets) : null;
  const edge = openEdgePurger(config, clock);
  const purger = (edge && metrics?.watchPurger(edge)) ?? edge;
  const maxRenders = Math.max(1, availableParallelism() - 1);
  const threads = openThreads(parts, maxRenders);
  const { parseJson, findTitle, compare, findQuotes, checkDocument } = threads;

  const base = { ...engine, changes: engine.pageChanges, clock, log, config };
  const limits = new Limits({ ...base, limiter: engine.rateLimiter });
  const tokens = createTokens({ ...base, limits });
  const passcodes = createPasscodes({ ...base, hasher: parts.passcodeHasher, sealer, limits });
  const followUps = createFollowUps({ ...base, purger });
  const rendering = createRendering({ ...base, renderer: threads, atOnce: maxRenders });
  const cards = createCards({ ...base, drawCard: threads.drawCard });
  const views = createViews({ ...base, store: engine.views });
  const pages = createPages({ ...base, rendering });
  const waiting = createWaiting(base);
  const resolutions = createResolutions({ ...base, waiting });
  const runList = createListsAtOnce();
  const drops = createDrops({ ...base, limits, runList, passcodes, followUps, resolutions });
  const sides = createSides({ ...base, findQuotes });
  const comments = createComments({ ...base, limits, runList, waiting, sides, followUps });
  const titles = createTitles({ ...base, findTitle });
  const idempotency = createIdempotency({ ...base, limits, followUps });
  const audit = createAudit(base);

  metrics?.read({
    memories: { pages: pages.readings.pages, bodies: pages.readings.bodies, cards: cards.reading },
    discardedReads: pages.readings.discardedReads,
    queues: { ...rendering.waiting, card: cards.waiting },
    unrecordedViews: views.unrecorded,
    ready: () => engine.ready(),
  });

  const removals = [engine.tokens.revokeSome, engine.sessions.revokeSome];

  return {
    config,
    clock,
    log,
    limits,
    sealer,
    tokens,
    drops,
    passcodes,
    followUps,
    rendering,
    titles,
    idempotency,
    pages,
    views,
    cards,
    audit,
    jobs,
    parseJson,
    findQuotes,
    documentChecks: createDocumentChecks({ ...base, checkDocument }),
    accounts: createAccounts({ ...base, removals, sealer, followUps }),
    sessions: createSessions(base),
    signIns: createSignIns({ ...base, tokens, sealer }),
    /** null: people sign in with the local sign-in key. */
    identityProvider,
    /** The key of the local sign-in; null if there is an identity provider. */
    signInKey,
    comments,
    resolutions,
    resolvedAlready: createResolvedAlready({ drops, comments }),
    /** Answers the requests that wait for comments, so that the process can stop. */
    endWaiting: waiting.close,
    diffs: createDiffs({ drops, compare }),
    followingTitles: createFollowingTitles({ drops, titles, log }),
    uploads: createUploads({ ...base, drops, tokens, limits, idempotency }),
    viewStats: createViewStats({ ...base, drops }),
    moderation: createModeration({ ...base, audit, followUps }),
    reports: createReports({ ...base, limits, audit }),
    /** Only the worker uses engine and purger. */
    engine,
    /** null: EDGE_PURGER is none. */
    purger,
    /** null: METRICS_PORT is not set, and nothing is counted. */
    metrics,
    /** @throws DropError `unavailable` if the database cannot be reached */
    ready: () => engine.ready(),
    /** Stores the counted views, terminates the threads and closes the stores, in this order. */
    close: () => inOrder([views.close, cards.close, rendering.close, threads.close, engine.close]),
  };
}

/** Runs every step, also after one failed. @throws the first step's error */
async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** null: no provider is configured; people sign in with the local sign-in key. */
function createIdentityProvider(config: Config): IdentityProvider | null {
  if (config.GITHUB_CLIENT_ID === '') return null;
  return createGitHub({
    clientId: config.GITHUB_CLIENT_ID,
    clientSecret: config.GITHUB_CLIENT_SECRET,
    url: config.GITHUB_URL,
    apiUrl: config.GITHUB_API_URL,
    timeoutMs: providerTimeoutMs,
  });
}

interface ThreadParts {
  readonly log: Log;
  readonly metrics: ServiceMetrics | null;
  readonly drawCard: DrawCard | undefined;
  readonly findTitle: FindTitle | undefined;
}

/** The threads, whose work is counted if there are metrics. */
function openThreads({ log, metrics, drawCard, findTitle }: ThreadParts, maxRenders: number): Threads {
  const onRenderFailure = () => metrics?.taskFailed('render_page');
  const threads = createThreads({ log, maxRenders, onRenderFailure });
  const watch: Metrics['watchTask'] = metrics?.watchTask ?? ((_task, call) => call);
  return {
    renderPage: watch('render_page', threads.renderPage),
    renderContext: watch('render_context', threads.renderContext),
    drawCard: watch('draw_card', drawCard ?? threads.drawCard),
    parseJson: watch('parse_json', threads.parseJson),
    findTitle: watch('find_title', findTitle ?? threads.findTitle),
    compare: watch('diff', threads.compare),
    findQuotes: watch('find_quotes', threads.findQuotes),
    checkDocument: watch('check_document', threads.checkDocument),
    close: threads.close,
  };
}
