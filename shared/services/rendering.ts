import { unavailable } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobProducer } from '../ports/job-queue.ts';
import type { Log } from '../ports/log.ts';
import type { NewRender, PageRenderer } from '../ports/page-renderer.ts';
import type { RenderStore, VersionKey } from '../ports/render-store.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** How long the recompression of a page waits after its brotli body was loaded for a request. */
const squeezeAfterMs = 60_000;

/** Concurrent renders for requests in this process; each holds its document in memory. */
const rendersAtMost = 16;

export type Rendering = ReturnType<typeof createRendering>;

interface Running {
  readonly rendered: Promise<NewRender>;
  /** Settles when the page is stored or will not be. */
  readonly stored: Promise<void>;
}

/** Renders pages for requests and jobs of this process, each version once at a time, and stores them. */
export function createRendering(deps: {
  renders: RenderStore;
  renderer: PageRenderer;
  jobs: JobProducer;
  clock: Clock;
  log: Log;
  config: { readonly RENDER_BUDGET_MS: number; readonly RENDER_REQUEST_BUDGET_MS: number };
}) {
  const { renders, renderer, jobs, clock, log, config } = deps;
  const inFlight = new Map<string, Running>();
  const warnOfNoSqueeze = createThrottledWarning(deps, 'the recompression of a page could not be enqueued');

  function begin(
    version: VersionKey,
    document: Uint8Array,
    budgetMs: number,
    mayStore: (page: NewRender) => boolean,
  ): Running {
    const { versionId } = version;
    const rendered = renderer.render(document, budgetMs);
    const stored = rendered.then((page) =>
      mayStore(page) ? renders.put(version, page, clock.now()) : undefined,
    );
    const running: Running = { rendered, stored };
    inFlight.set(versionId, running);
    const end = () => inFlight.get(versionId) === running && inFlight.delete(versionId);
    stored.then(end, end);
    return running;
  }

  /** Waits until no render of the version runs in this process. */
  async function whenFinished(versionId: string): Promise<void> {
    while (inFlight.has(versionId)) await inFlight.get(versionId)?.stored.catch(() => undefined);
  }

  return {
    whenFinished,

    /**
     * Renders with the budget of jobs and stores the page. The page is stored even if its head was not fully parsed,
     * because no later render has more time.
     */
    async renderFully(version: VersionKey, document: Uint8Array): Promise<void> {
      await whenFinished(version.versionId);
      await begin(version, document, config.RENDER_BUDGET_MS, () => true).stored;
    },

    /**
     * Renders with the budget of requests, for a request that came before the job. A page whose head was not fully parsed
     * is not stored: the job makes a better one. The page is returned even if it cannot be stored.
     * @throws DropError `unavailable` if too many renders are running
     */
    renderForRequest(version: VersionKey, document: Uint8Array): Promise<NewRender> {
      const running = inFlight.get(version.versionId);
      if (running !== undefined) return running.rendered;
      if (inFlight.size >= rendersAtMost)
        return Promise.reject(unavailable('Many pages are being rendered.'));
      const { rendered, stored } = begin(
        version,
        document,
        config.RENDER_REQUEST_BUDGET_MS,
        ({ isFullyParsed }) => isFullyParsed,
      );
      rendered.then(
        () =>
          stored.catch((err: unknown) => {
            log.error({ err, ...version }, 'a page rendered for a request could not be stored');
          }),
        () => undefined, // the request reports it
      );
      return rendered;
    },

    /** Enqueues the recompression of a page that is being viewed. */
    squeezeSoon(version: VersionKey): void {
      jobs
        .enqueue('version.squeeze', version, squeezeAfterMs)
        .catch((err: unknown) => warnOfNoSqueeze({ err }));
    },
  };
}
