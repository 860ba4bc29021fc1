import type { NewVersion, PendingTask } from '../../shared/domain/drop.ts';
import { factsOf } from '../../shared/domain/etag.ts';
import { newId, newSlug } from '../../shared/domain/ids.ts';
import { rendererVersion } from '../../shared/html/plan.ts';
import type { Engine } from '../../shared/ports/engine.ts';
import type { NewRender, PageRenderer } from '../../shared/ports/page-renderer.ts';
import type { TestClock } from '../support/clock.ts';

export const ownerId = 'owner';

/** The stores that jobs work on. */
export type SceneStores = Pick<
  Engine,
  'drops' | 'pendingTasks' | 'html' | 'contexts' | 'renders' | 'signIns' | 'reports' | 'views'
>;

/** How tests prepare and read the stores of any engine. */
export type Stage = ReturnType<typeof createStage>;

export function createStage(stores: SceneStores, clock: TestClock) {
  async function putVersion(html: string): Promise<NewVersion> {
    const id = newId(clock.now());
    await stores.html.put(id, Buffer.from(html));
    await stores.contexts.put(id, Buffer.from(`why ${html}`));
    return { id, sizeBytes: html.length, hasContext: true, mediaType: 'text/html', createdAt: clock.now() };
  }

  return {
    /** Creates a drop with one version. */
    async publish(tasks: readonly PendingTask[] = ['render']) {
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
        tasks,
      );
      if (typeof drop === 'string') throw new Error(drop);
      return { id: drop.id, slug: drop.slug, versionId: version.id };
    },

    /** Adds a version. @returns its internal id */
    async addVersion(slug: string, tasks: readonly PendingTask[] = ['render', 'purge']): Promise<string> {
      const version = await putVersion('<p>more');
      const drop = await stores.drops.addVersion(ownerId, slug, version, {}, 200, tasks);
      if (drop === null || drop === 'version_limit') throw new Error(`${drop}`);
      return version.id;
    },

    /** The versions that have blobs in any store. */
    async listKept(versionIds: readonly string[]): Promise<string[]> {
      const kept: string[] = [];
      for (const id of versionIds) {
        const found = [stores.html.get(id), stores.contexts.get(id), stores.renders.findHead(id)];
        if ((await Promise.all(found)).some((bytes) => bytes !== null)) kept.push(id);
      }
      return kept;
    },

    /** Views of the drop on each day that has any. */
    async listDays(dropId: string): Promise<Record<string, number>> {
      return Object.fromEntries(await stores.views.listDays(dropId));
    },
  };
}

/** An edge that records the purged tags. */
export function createEdge() {
  const purged: string[] = [];
  return {
    purged,
    /** The number of rounds, repeats included. */
    rounds: 2,
    async purge(tag: string): Promise<void> {
      purged.push(tag);
    },
  };
}

/**
 * Renders at once, and notes for whom. `hold` keeps the next ones until the returned call; `setNeed` says which
 * budget a whole page takes.
 */
export function createRenderer() {
  let neededMs = 0;
  let isIdle = true;
  const calls: { html: string; budgetMs: number }[] = [];
  const squeezed: string[] = [];
  let held: Promise<void> = Promise.resolve();
  let release: () => void = () => undefined;
  const renderer: PageRenderer = {
    async render(html, budgetMs): Promise<NewRender> {
      calls.push({ html: Buffer.from(html).toString(), budgetMs });
      await held;
      const isFullyParsed = budgetMs >= neededMs;
      const insertion = isFullyParsed ? '<style></style>' : '';
      const plan = { renderer: rendererVersion, insertAt: 0, insertion };
      const br = Buffer.from(`br ${html.length}`);
      const gzip = Buffer.from(`gzip ${html.length}`);
      const facts = { identity: factsOf(html), br: factsOf(br), gzip: factsOf(gzip) };
      return { plan, isFullyParsed, facts, br, gzip };
    },
    async squeeze(html) {
      squeezed.push(Buffer.from(html).toString());
      const bytes = Buffer.from(`small ${html.length}`);
      return { bytes, facts: factsOf(bytes) };
    },
    isIdle: () => isIdle,
    close: async () => undefined,
  };
  return {
    ...renderer,
    calls,
    /** The documents whose pages were squeezed. */
    squeezed,
    setIdle(idle: boolean): void {
      isIdle = idle;
    },
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
