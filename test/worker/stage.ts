import type { Comment, UnnumberedComment } from '../../shared/comments/comment.ts';
import { factsOf } from '../../shared/domain/etag.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { NewVersion, PendingTask } from '../../shared/drops/drop.ts';
import type { Stores } from '../../shared/engines/engine.ts';
import { rendererVersion } from '../../shared/html/insertion.ts';
import type { RenderedPage } from '../../shared/renders/render-store.ts';
import type { Renderer } from '../../shared/renders/renderer.ts';
import { aComment, at, aVersion, insertComment, makeDrop } from '../contract/records.ts';
import type { TestClock } from '../support/clock.ts';

export const ownerId = 'owner';

/** How tests prepare and read the stores of any engine. */
export type Stage = ReturnType<typeof createStage>;

export function createStage(stores: Stores, clock: TestClock) {
  function versionNow(html: string, context = `why ${html}`): NewVersion {
    const document = { html: Buffer.from(html), context: Buffer.from(context) };
    return aVersion({ ...document, createdAt: clock.now(), publishedBy: null, sha256: null });
  }

  return {
    /** Creates a drop with one version. */
    async publish(
      tasks: readonly PendingTask[] = ['render'],
      context?: string,
      expiresAt: number | null = null,
      owner = ownerId,
    ) {
      const version = versionNow('<p>one', context);
      const metadata = new Map([['kind', 'test']]);
      const drop = await makeDrop(stores, { ownerId: owner, metadata, expiresAt, version }, tasks, 1_000_000);
      return { id: drop.id, slug: drop.slug, versionId: version.id };
    },

    /** Adds a version. @returns its internal id */
    async addVersion(
      slug: string,
      tasks: readonly PendingTask[] = ['render', 'purge'],
      id = newId(clock.now()),
    ): Promise<string> {
      const version = { ...versionNow('<p>more'), id };
      const drop = await stores.drops.addVersion(at(slug, ownerId), version, {}, 200, tasks);
      if (drop === null || drop === 'version_limit') throw new Error(`${drop}`);
      return version.id;
    },

    /** Stores a comment on a version of a drop. */
    async comment(
      { id: dropId, slug }: { readonly id: string; readonly slug: string },
      versionId: string,
      changes: Partial<UnnumberedComment> = {},
    ): Promise<Comment> {
      const now = clock.now();
      const comment = aComment({ id: newId(now), ownerId, dropId, slug, versionId, replies: [], ...changes });
      return insertComment(stores.comments, comment, now);
    },

    /** Stores an artefact of that renderer. */
    async putArtefact(versionId: string, renderer: number): Promise<void> {
      const bytes = Buffer.from('stored');
      const facts = { identity: factsOf(bytes), br: factsOf(bytes), gzip: factsOf(bytes) };
      const head = { plan: { renderer, insertAt: 0, insertion: '' }, facts, contextLength: null };
      await stores.renders.put(versionId, { head, br: bytes, gzip: bytes, context: null });
    },

    /** The versions that have blobs in any store, or comments. */
    async listKept(versionIds: readonly string[]): Promise<string[]> {
      const kept: string[] = [];
      const commented = await stores.comments.listIds('', 'z', 1_000);
      for (const id of versionIds) {
        const found = [
          stores.html.get(id),
          stores.contexts.get(id),
          stores.renders.findHead(id, rendererVersion),
        ];
        const isStored = (await Promise.all(found)).some((bytes) => bytes !== null);
        if (isStored || commented.includes(id)) kept.push(id);
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

/** Renders at once, and notes which pages; a context that says `slow` is null. `hold` keeps the next renders until the returned call. */
export function createRenderer() {
  const calls: string[] = [];
  let held: Promise<void> = Promise.resolve();
  let release: () => void = () => undefined;
  const renderer: Renderer = {
    async renderPage(html): Promise<RenderedPage> {
      calls.push(Buffer.from(html).toString());
      await held;
      const plan = { renderer: rendererVersion, insertAt: 0, insertion: '<style></style>' };
      const br = Buffer.from(`br ${html.length}`);
      const gzip = Buffer.from(`gzip ${html.length}`);
      const facts = { identity: factsOf(html), br: factsOf(br), gzip: factsOf(gzip) };
      return { plan, facts, br, gzip };
    },
    framePage: async (page) => page,
    renderContext: async (markdown) => (markdown.includes('slow') ? null : `<p>${markdown}`),
  };
  return {
    ...renderer,
    calls,
    hold(): () => void {
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
  };
}
