import { unavailable } from '../domain/errors.ts';
import { rendererVersion } from '../html/plan.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobProducer } from '../ports/job-queue.ts';
import type { Log } from '../ports/log.ts';
import type { NewRender, PageRenderer } from '../ports/page-renderer.ts';
import type { DropTasks, PendingTaskStore } from '../ports/pending-task-store.ts';
import type { RenderStore, VersionKey } from '../ports/render-store.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** Between the first reader of a page and the work on its smallest form. */
const squeezeAfterMs = 60_000;
/** Between two looks for a moment in which nothing is rendered. */
const lookAgainMs = 5_000;

/** Pages under way at a time in this process, from which on readers are served what needs no render. */
const rendersAtMost = 16;

export type Rendering = ReturnType<typeof createRendering>;

/** A render under way. */
interface Running {
  readonly rendered: Promise<NewRender>;
  /** Settles when it is kept too, or is not to be. */
  readonly kept: Promise<void>;
}

/** Makes the pages that are served from the documents that were posted, and keeps them. */
export function createRendering(deps: {
  html: BlobStore;
  renders: RenderStore;
  pendingTasks: PendingTaskStore;
  renderer: PageRenderer;
  jobs: JobProducer;
  /** Makes the edge forget a drop, soon. */
  purge: (dropId: string) => void;
  clock: Clock;
  log: Log;
  config: { readonly RENDER_BUDGET_MS: number; readonly RENDER_REQUEST_BUDGET_MS: number };
}) {
  const { html, renders, pendingTasks, renderer, jobs, purge, clock, log, config } = deps;
  /** At most one render of a version at a time. */
  const inFlight = new Map<string, Running>();
  let isSqueezing = false;
  const warnOfNoSqueeze = createThrottledWarning(
    deps,
    'a page could not be put in line for its smallest form',
  );

  function begin(
    version: VersionKey,
    document: Uint8Array,
    budgetMs: number,
    isKept: (made: NewRender) => boolean,
  ): Running {
    const { versionId } = version;
    const rendered = renderer.render(document, budgetMs);
    const kept = rendered.then((made) =>
      isKept(made) ? renders.put(version, made, clock.now()) : undefined,
    );
    const running: Running = { rendered, kept };
    inFlight.set(versionId, running);
    const end = () => inFlight.get(versionId) === running && inFlight.delete(versionId);
    kept.then(end, end);
    return running;
  }

  async function renderVersion(version: VersionKey): Promise<void> {
    const { dropId, versionId } = version;
    await inFlight.get(versionId)?.kept.catch(() => undefined); // a reader's, which may be whole; who began it is told
    const before = await renders.findHead(versionId);
    if (before !== null && before.plan.renderer >= rendererVersion) return;
    const document = await html.get(versionId);
    if (document === null) {
      // The version was removed since the drop was read; otherwise its document is lost, and that must be heard.
      if (!(await isLive(version))) return;
      throw new Error(`The document of version ${versionId} of drop ${dropId} is missing`);
    }
    // In one step with the beginning: of two who wait for the same render one begins, and the other waits again.
    while (inFlight.has(versionId)) await inFlight.get(versionId)?.kept.catch(() => undefined);
    // Kept even if it is not whole: nobody gives it more time than this, so it never costs twice.
    await begin(version, document, config.RENDER_BUDGET_MS, () => true).kept;
    if (before !== null) purge(dropId);
  }

  async function clearIfRendered(drop: DropTasks): Promise<void> {
    if (!drop.tasks.includes('render')) return;
    if ((await findUnrendered(renders, drop.versionIds)).length > 0) return;
    await pendingTasks.clearTask(drop.id, 'render', drop.rev);
  }

  async function isLive({ dropId, versionId }: VersionKey): Promise<boolean> {
    const drop = await pendingTasks.find(dropId);
    return drop !== null && !drop.deleted && drop.versionIds.includes(versionId);
  }

  return {
    /**
     * For the job: renders the version unless that is done or it is gone, then clears the pending task if every
     * version of the drop is rendered and the drop has not changed meanwhile. May be repeated at any time.
     * It takes its own budget, after a reader's shorter render that runs.
     */
    async renderForJob(dropId: string, versionId: string): Promise<void> {
      const drop = await pendingTasks.find(dropId);
      if (drop === null || drop.deleted) return;
      if (drop.versionIds.includes(versionId)) await renderVersion({ dropId, versionId });
      await clearIfRendered(drop);
    },

    /**
     * For a reader who came before the job: the page, made on the spot, and kept for the next one if it is whole;
     * what a reader's budget is too short for is left to the job. A page that cannot be kept is shown all the same.
     * @throws DropError `unavailable` at once where many are under way: what waits in line holds its document
     */
    renderForRequest(version: VersionKey, document: Uint8Array): Promise<NewRender> {
      const running = inFlight.get(version.versionId);
      if (running !== undefined) return running.rendered; // the one who began it minds how it is kept
      if (inFlight.size >= rendersAtMost)
        return Promise.reject(unavailable('Many pages are being rendered.'));
      const begun = begin(version, document, config.RENDER_REQUEST_BUDGET_MS, ({ isWhole }) => isWhole);
      begun.rendered.then(
        () =>
          begun.kept.catch((err: unknown) => {
            log.error({ err, ...version }, 'a page was rendered for a reader and could not be kept');
          }),
        () => undefined, // the reader is told
      );
      return begun.rendered;
    },

    /** Somebody reads a page whose `br` could be smaller: the job will see to it when there is time. */
    squeezeSoon(version: VersionKey): void {
      jobs
        .enqueue('version.squeeze', version, squeezeAfterMs)
        .catch((err: unknown) => warnOfNoSqueeze({ err }));
    },

    /**
     * For the job: makes the page's `br` as small as it gets, unless that is done, or it is gone or out of date. While
     * pages are rendered, or another one is squeezed, it only asks for itself again. May be repeated at any time.
     */
    async squeeze(version: VersionKey): Promise<void> {
      const { versionId } = version;
      // One at a time: seconds of work must not take all the slots that jobs have.
      if (isSqueezing || !renderer.isIdle()) return jobs.enqueue('version.squeeze', version, lookAgainMs);
      isSqueezing = true;
      try {
        if (!(await isLive(version))) return;
        const head = await renders.findHead(versionId);
        if (head === null || head.isSqueezed || head.plan.renderer < rendererVersion) return;
        const document = await html.get(versionId);
        if (document === null) return; // removed meanwhile; whoever reads it is told if it is lost
        const squeezed = await renderer.squeeze(document, head.plan);
        await renders.squeeze(versionId, head.artefacts.br, squeezed, clock.now());
      } finally {
        isSqueezing = false;
      }
    },
  };
}

/** Those of these versions that have no page of the current renderer. */
export async function findUnrendered(renders: RenderStore, versionIds: readonly string[]): Promise<string[]> {
  const rendered = await renders.listRendered(versionIds, rendererVersion);
  return versionIds.filter((versionId) => !rendered.has(versionId));
}
