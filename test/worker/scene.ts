import { join } from 'node:path';
import { createSqliteBlobStore } from '../../shared/adapters/sqlite/blob-store.ts';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteDropStore } from '../../shared/adapters/sqlite/drop-store.ts';
import { createSqliteDropUpkeep } from '../../shared/adapters/sqlite/drop-upkeep.ts';
import { createSqliteJobQueue } from '../../shared/adapters/sqlite/job-queue.ts';
import { createSqliteRenderStore } from '../../shared/adapters/sqlite/render-store.ts';
import { createSqliteSignInStore } from '../../shared/adapters/sqlite/sign-in-store.ts';
import { createSqliteViewCounter } from '../../shared/adapters/sqlite/view-counter.ts';
import type { NewVersion, Owed } from '../../shared/domain/drop.ts';
import { newId, newSlug } from '../../shared/domain/ids.ts';
import { rendererVersion } from '../../shared/domain/render-plan.ts';
import type { EdgePurger } from '../../shared/ports/edge-purger.ts';
import type { NewRender, PageRenderer } from '../../shared/ports/page-renderer.ts';
import { createRendering } from '../../shared/services/rendering.ts';
import { createUpkeep } from '../../shared/services/upkeep.ts';
import { createViewAggregation } from '../../shared/services/view-aggregation.ts';
import { startWorker } from '../../worker/start-worker.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import type { Faults } from './faults.ts';
import { createRecordingLog } from './recording-log.ts';

export type Scene = ReturnType<typeof openScene>;
export type WorkerProcess = ReturnType<Scene['startProcess']>;

export const ownerId = 'owner';

/** One data directory, the stores for the test to prepare and look at, and worker processes that come and go. */
export function openScene() {
  const path = join(makeTempDir(), 'dropleaf.sqlite');
  const clock = createTestClock();
  const edge = createEdge();
  const renderer = createRenderer();
  const opened: Database[] = [];
  const stores = openStores();

  function openStores() {
    const db = openDatabase(path);
    opened.push(db);
    return {
      db,
      drops: createSqliteDropStore(db),
      upkeep: createSqliteDropUpkeep(db),
      html: createSqliteBlobStore(db, 'html_blobs'),
      contexts: createSqliteBlobStore(db, 'context_blobs'),
      renders: createSqliteRenderStore(db),
      signIns: createSqliteSignInStore(db),
      views: createSqliteViewCounter(db),
    };
  }

  async function putVersion(html: string): Promise<NewVersion> {
    const id = newId(clock.now());
    await stores.html.put(id, Buffer.from(html));
    await stores.contexts.put(id, Buffer.from(`why ${html}`));
    return { id, sizeBytes: html.length, hasContext: true, mediaType: 'text/html', createdAt: clock.now() };
  }

  return {
    clock,
    edge,
    renderer,
    stores,

    /** A drop with one version, as a POST leaves it. */
    async publish(owed: readonly Owed[] = ['render']) {
      const version = await putVersion('<p>one');
      const drop = await stores.drops.create(
        {
          id: newId(clock.now()),
          ownerId,
          slug: newSlug(),
          title: 'A page',
          description: null,
          metadata: new Map([['kind', 'test']]),
          lock: null,
          version,
        },
        1_000_000,
        owed,
      );
      if (typeof drop === 'string') throw new Error(drop);
      return { id: drop.id, slug: drop.slug, versionId: version.id };
    },

    /** One more version, as a PUT leaves it; its inner id. */
    async addVersion(slug: string, owed: readonly Owed[] = ['render', 'purge']): Promise<string> {
      const version = await putVersion('<p>more');
      const drop = await stores.drops.addVersion(ownerId, slug, version, {}, 200, owed);
      if (drop === null || drop === 'version_limit') throw new Error(`${drop}`);
      return version.id;
    },

    /** Which of the versions still have bytes in any store. */
    async listKept(versionIds: readonly string[]): Promise<string[]> {
      const kept: string[] = [];
      for (const id of versionIds) {
        const found = [stores.html.get(id), stores.contexts.get(id), stores.renders.findPlan(id)];
        if ((await Promise.all(found)).some((bytes) => bytes !== null)) kept.push(id);
      }
      return kept;
    },

    /** Views of the drop on each day that has any. */
    async listDays(dropId: string): Promise<Record<string, number>> {
      return Object.fromEntries(await stores.upkeep.listDayViews(dropId));
    },

    /** A worker over a connection of its own, with a purger; it runs only when told. */
    startProcess(options: { faults?: Faults; purger?: EdgePurger | null } = {}) {
      const { faults, purger = edge } = options;
      const own = openStores();
      const log = createRecordingLog();
      const queue = createSqliteJobQueue({ db: own.db, clock, log, concurrency: 4, wakesItself: false });
      const wrap = <T extends object>(port: T): T => faults?.wrap(port) ?? port;
      const [drops, html, contexts] = [wrap(own.upkeep), wrap(own.html), wrap(own.contexts)];
      const [renders, signIns, views] = [wrap(own.renders), wrap(own.signIns), wrap(own.views)];
      const rendering = createRendering({
        ...{ html, renders, upkeep: drops, renderer: wrap(renderer), log },
        config: { RENDER_BUDGET_MS: 2_000, RENDER_REQUEST_BUDGET_MS: 300 },
      });
      const upkeep = createUpkeep({
        ...{ drops, html, contexts, renders, signIns, views, clock, log },
        jobs: wrap({ enqueue: queue.enqueue }),
        purger: purger === null ? null : wrap(purger),
        config: { SIGN_IN_KEEP_SECONDS: 86_400 },
      });
      const viewAggregation = createViewAggregation({ views, drops, clock });
      return {
        ...{ queue, log, rendering, upkeep, viewAggregation },
        worker: startWorker({ jobs: queue, rendering, upkeep, viewAggregation, log }),

        /** Runs what is due; what handlers threw. */
        async settle(): Promise<unknown[]> {
          const outcome: unknown = await queue.runUntilIdle().catch((error: unknown) => error);
          if (outcome === undefined) return [];
          if (outcome instanceof AggregateError) return outcome.errors;
          throw outcome;
        },
      };
    },

    async close(): Promise<void> {
      for (const db of opened) await db.close();
    },
  };
}

/** A cache in front that notes what it was told to forget. */
function createEdge() {
  const purged: string[] = [];
  let isAway = false;
  return {
    purged,
    setAway(away: boolean): void {
      isAway = away;
    },
    async purge(tag: string): Promise<void> {
      if (isAway) throw new Error('the edge is away');
      purged.push(tag);
    },
  };
}

/**
 * Renders at once, and notes for whom. `hold` keeps the next ones until the returned call; `setNeed` says which
 * budget a whole page takes.
 */
function createRenderer() {
  let neededMs = 0;
  const calls: { html: string; budgetMs: number }[] = [];
  let held: Promise<void> = Promise.resolve();
  let release: () => void = () => undefined;
  const renderer: PageRenderer = {
    async render(html, budgetMs): Promise<NewRender> {
      calls.push({ html: Buffer.from(html).toString(), budgetMs });
      await held;
      const isWhole = budgetMs >= neededMs;
      const insertion = isWhole ? '<style></style>' : '';
      const plan = { renderer: rendererVersion, insertAt: 0, insertion };
      return {
        plan,
        isWhole,
        br: Buffer.from(`br ${html.length}`),
        gzip: Buffer.from(`gzip ${html.length}`),
      };
    },
    close: async () => undefined,
  };
  return {
    ...renderer,
    calls,
    setNeed(budgetMs: number): void {
      neededMs = budgetMs;
    },
    hold(): () => void {
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
  };
}
