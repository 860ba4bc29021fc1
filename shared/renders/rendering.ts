import type { BlobStore } from '../blobs/blob-store.ts';
import { unavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import { FairQueue } from '../util/fair-queue.ts';
import type { ContentEncoding, RenderedPage, RenderStore, VersionKey } from './render-store.ts';
import type { Renderer } from './renderer.ts';

/** In each queue. A waiting render holds its document in memory. */
const maxWaiting = 32;

/** A version, its drop, and the account whose turn its render takes. */
export interface VersionToRender extends VersionKey {
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

interface RenderingDeps {
  readonly html: BlobStore;
  readonly contexts: BlobStore;
  readonly renders: RenderStore;
  readonly renderer: Renderer;
  readonly log: Log;
  readonly config: { readonly RENDER_BUDGET_MS: number };
  /** How many documents are rendered at once. */
  readonly atOnce: number;
}

/** Renders each version once at a time, and stores the artefact. A render waits for one render of each other owner. */
export class Rendering {
  readonly #deps: RenderingDeps;
  readonly #pageTurns: FairQueue;
  /** A context is rendered beside its page, in a thread of its own. */
  readonly #contextTurns = new FairQueue(1, maxWaiting);
  readonly #inFlight = new Map<string, RunningRender>();
  #isClosing = false;

  constructor(deps: RenderingDeps) {
    this.#deps = deps;
    this.#pageTurns = new FairQueue(deps.atOnce, maxWaiting);
  }

  /** How many pages and contexts wait for their turn. */
  get waiting() {
    return { page: () => this.#pageTurns.waiting(), context: () => this.#contextTurns.waiting() };
  }

  /** Markup; the Markdown itself if it cannot be rendered within its budget. It is stored nowhere. */
  async renderContext(ownerId: string, text: string): Promise<string> {
    const { renderer } = this.#deps;
    const markup = await this.#inTurn(this.#contextTurns, ownerId, () => renderer.renderContext(text));
    return markup ?? asPlainText(text);
  }

  /**
   * A rendered page with a script before everything else in head. It is stored nowhere. @throws DropError `unavailable` if too many
   * wait, or the process stops; another error if the thread failed
   */
  framePage(
    ownerId: string,
    page: Uint8Array,
    script: Uint8Array,
    encoding: ContentEncoding,
  ): Promise<Uint8Array> {
    const { renderer } = this.#deps;
    return this.#inTurn(this.#pageTurns, ownerId, () => renderer.framePage(page, script, encoding));
  }

  /** @returns false if the version was removed */
  async renderForJob(version: VersionToRender): Promise<boolean> {
    const running = this.#inFlight.get(version.versionId) ?? this.#begin(version);
    return running.stored;
  }

  /** For a request that came before the job. It does not wait until the artefact is stored. */
  renderForRequest(version: VersionToRender): RunningRender {
    const running = this.#inFlight.get(version.versionId);
    if (running !== undefined) return running;
    const begun = this.#begin(version);
    const warn = (err: unknown) =>
      this.#deps.log.warn({ err, ...version }, 'a page rendered for a request could not be stored');
    begun.page.then(
      () => begun.stored.catch(warn),
      () => undefined, // the request reports it
    );
    return begun;
  }

  /** Renders that wait for their turn fail. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled([...this.#inFlight.values()].map(({ stored }) => stored));
  }

  #begin({ ownerId, versionId, hasContext }: VersionToRender): RunningRender {
    const { html, contexts } = this.#deps;
    const blobs = Promise.all([html.get(versionId), hasContext ? contexts.get(versionId) : null]);
    const document = blobs.then(([bytes]) => bytes);
    const contextText = blobs.then(([, bytes]) => bytes && Buffer.from(bytes).toString('utf8'));
    const page = document.then((bytes) => bytes && this.#renderPage(ownerId, bytes));
    const context = contextText.then((text) => (text === null ? null : this.renderContext(ownerId, text)));
    const stored = this.#store(versionId, page, context);
    const running = { document, page, contextText, context, stored };
    this.#inFlight.set(versionId, running);
    const end = () => this.#inFlight.delete(versionId);
    stored.then(end, end);
    return running;
  }

  #renderPage(ownerId: string, html: Uint8Array): Promise<RenderedPage> {
    const { renderer, config } = this.#deps;
    return this.#inTurn(this.#pageTurns, ownerId, () => renderer.renderPage(html, config.RENDER_BUDGET_MS));
  }

  /** @throws DropError `unavailable` if too many renders wait, or the process stops */
  async #inTurn<T extends RenderedPage | Uint8Array | string | null>(
    turns: FairQueue,
    ownerId: string,
    render: () => Promise<T>,
  ): Promise<T> {
    const result = await turns.run([ownerId], async () => {
      if (this.#isClosing) throw unavailable('The service is stopping.');
      return render();
    });
    if (result === undefined) throw unavailable('Too many pages are being rendered.');
    return result;
  }

  /** @returns false if the version was removed */
  async #store(
    versionId: string,
    rendered: Promise<RenderedPage | null>,
    renderedContext: Promise<string | null>,
  ): Promise<boolean> {
    const [page, context] = await Promise.all([rendered, renderedContext]);
    if (page === null) return false;
    const { plan, facts, br, gzip } = page;
    const markup = context === null ? null : Buffer.from(context);
    const head = { plan, facts, contextLength: markup?.byteLength ?? null };
    await this.#deps.renders.put(versionId, { head, br, gzip, context: markup });
    return true;
  }
}

/** HTML parsers drop a line break at the start of `<pre>`, hence the extra one. */
export function asPlainText(text: string): string {
  return `<pre>\n${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`;
}
