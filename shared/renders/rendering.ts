import type { BlobStore } from '../blobs/blob-store.ts';
import { unavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import { createFairQueue, type FairQueue } from '../util/queues.ts';
import type { RenderedPage, RenderStore, VersionKey } from './render-store.ts';
import type { Renderer } from './renderer.ts';

/** In each queue. A waiting render holds its document in memory. */
const maxWaiting = 32;

/** A version, its drop, and the account whose turn its render takes. */
export interface OwnedVersion extends VersionKey {
  readonly ownerId: string;
  readonly hasContext: boolean;
}

/** The render of one version. Each part is null if the version was removed. */
export interface RunningRender {
  readonly document: Promise<Uint8Array | null>;
  readonly page: Promise<RenderedPage | null>;
  /** Markdown; null: the version has no context. */
  readonly contextText: Promise<string | null>;
  /** Markup; null: the version has no context. */
  readonly context: Promise<string | null>;
  /** Settles when page and context are stored; false: the version was removed. */
  readonly stored: Promise<boolean>;
}

export type Rendering = ReturnType<typeof createRendering>;

/** Renders each version once at a time, and stores the artefact. A render waits for one render of each other owner. */
export function createRendering(deps: {
  html: BlobStore;
  contexts: BlobStore;
  renders: RenderStore;
  renderer: Renderer;
  log: Log;
  config: { readonly RENDER_BUDGET_MS: number };
  /** How many documents are rendered at once. */
  atOnce: number;
}) {
  const { html, contexts, renders, renderer, log, config } = deps;
  // A context is rendered beside its page, in a thread of its own.
  const pageTurns = createFairQueue(deps.atOnce, maxWaiting);
  const contextTurns = createFairQueue(1, maxWaiting);
  const inFlight = new Map<string, RunningRender>();
  let isClosing = false;

  /** @throws DropError `unavailable` if too many renders wait, or the process stops */
  async function inTurn<T extends RenderedPage | string | null>(
    turns: FairQueue,
    ownerId: string,
    render: () => Promise<T>,
  ): Promise<T> {
    const result = await turns.run([ownerId], async () => {
      if (isClosing) throw unavailable('The service is stopping.');
      return render();
    });
    if (result === undefined) throw unavailable('Too many pages are being rendered.');
    return result;
  }

  async function renderContext(ownerId: string, text: string): Promise<string> {
    return (await inTurn(contextTurns, ownerId, () => renderer.renderContext(text))) ?? asPlainText(text);
  }

  function begin({ ownerId, versionId, hasContext }: OwnedVersion): RunningRender {
    const blobs = Promise.all([html.get(versionId), hasContext ? contexts.get(versionId) : null]);
    const document = blobs.then(([bytes]) => bytes);
    const contextText = blobs.then(([, bytes]) => bytes && Buffer.from(bytes).toString('utf8'));
    const page = document.then(
      (bytes) =>
        bytes && inTurn(pageTurns, ownerId, () => renderer.renderPage(bytes, config.RENDER_BUDGET_MS)),
    );
    const context = contextText.then((text) => (text === null ? null : renderContext(ownerId, text)));
    const stored = store(versionId, page, context);
    const running = { document, page, contextText, context, stored };
    inFlight.set(versionId, running);
    const end = () => inFlight.delete(versionId);
    stored.then(end, end);
    return running;
  }

  async function store(
    versionId: string,
    rendered: Promise<RenderedPage | null>,
    renderedContext: Promise<string | null>,
  ): Promise<boolean> {
    const [page, context] = await Promise.all([rendered, renderedContext]);
    if (page === null) return false;
    const { plan, facts, br, gzip } = page;
    const markup = context === null ? null : Buffer.from(context);
    const head = { plan, facts, contextLength: markup?.byteLength ?? null };
    await renders.put(versionId, { head, br, gzip, context: markup });
    return true;
  }

  return {
    /** Markup; the Markdown itself if it cannot be rendered within its budget. It is stored nowhere. */
    renderContext,

    /** @returns false if the version was removed */
    async renderForJob(version: OwnedVersion): Promise<boolean> {
      return (inFlight.get(version.versionId) ?? begin(version)).stored;
    },

    /** For a request that came before the job. The artefact is stored behind it. */
    renderForRequest(version: OwnedVersion): RunningRender {
      const running = inFlight.get(version.versionId);
      if (running !== undefined) return running;
      const begun = begin(version);
      begun.page.then(
        () =>
          begun.stored.catch((err: unknown) =>
            log.warn({ err, ...version }, 'a page rendered for a request could not be stored'),
          ),
        () => undefined, // the request reports it
      );
      return begun;
    },

    /** How many pages and contexts wait for their turn. */
    waiting: { page: pageTurns.waiting, context: contextTurns.waiting },

    /** Renders that wait for their turn fail. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.allSettled([...inFlight.values()].map(({ stored }) => stored));
    },
  };
}

/** HTML parsers drop a line break at the start of `<pre>`, hence the extra one. */
export function asPlainText(text: string): string {
  return `<pre>\n${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`;
}
