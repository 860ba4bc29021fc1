import { type CardContent, type DrawCard, plainCard } from '../cards/card.ts';
import { unavailable } from '../domain/errors.ts';
import type { ParsedJson, ParseJson } from '../domain/json.ts';
import type { CompareDocuments, ComparedDocument, DiffFormat } from '../html/compared-lines.ts';
import type { FindQuotes, FoundQuote, SoughtQuote } from '../html/quotes.ts';
import type { FindTitle } from '../html/title.ts';
import type { Log } from '../log/log.ts';
import type { CheckDocument, CheckedDocument, DocumentFindings } from '../page-checks/check-document.ts';
import type { ContentEncoding, RenderedPage } from '../renders/render-store.ts';
import type { Renderer } from '../renders/renderer.ts';
import type { PlanEffort } from './page-render.ts';
import { type Kind, kinds, type Task, type Work } from './task-kinds.ts';
import {
  createThreadPool,
  exceedsLimits,
  type PoolOptions,
  type RunOptions,
  type ThreadPool,
} from './thread-pool.ts';

/** As for a render (html/insertion.ts). */
const titleSteps = 20_000;

/** How long work may take, in ms on a free CPU. */
const defaultLimits = {
  /** Five times what a hostile document of 2 MB needs. */
  findTitle: 2_000,
  /** Ten times what a hostile context of 64 KB needs. */
  renderContext: 3_000,
  /** A thousand times what a card needs: one that is not drawn in time is not tried again. */
  drawCard: 15_000,
  /**
   * Two documents of 2 MB need a fraction, unless very different. Others wait that long, and are answered within ANSWER_MS.
   */
  compare: 1_200,
  /** Ten times what 500 quotes need that are not in a document of 2 MB. Only a job waits for it. */
  findQuotes: 5_000,
  /** Ten times what the most expensive document of 2 MB needs. */
  checkDocument: 600,
  /** Beyond the budget: for the result, which the budget does not count, and the messages between the threads. */
  grace: 600,
  renderGrace: 250,
};

export interface ThreadOptions {
  readonly log?: Pick<Log, 'warn'>;
  /** How many pages are rendered at once; of each other kind of work one is done at a time. Default: 1. */
  readonly maxRenders?: number;
  /** Called when the render of a page failed. The next attempt parses less. */
  readonly onRenderFailure?: () => void;
  /** For tests. */
  readonly limits?: Partial<typeof defaultLimits>;
  /** For tests: threads that outlive this object. */
  readonly openPool?: OpenPool | undefined;
}

/** Opens the threads of a kind of work. */
export type OpenPool = (kind: Kind, options: PoolOptions) => ThreadPool;

/** Work on input that can be hostile. Threads start with the first task and are terminated when they are idle for a while. */
export interface Threads extends Renderer {
  readonly parseJson: ParseJson;
  readonly findTitle: FindTitle;
  readonly compare: CompareDocuments;
  readonly findQuotes: FindQuotes;
  readonly checkDocument: CheckDocument;
  readonly drawCard: DrawCard;
  /** Waits for all work, then terminates the threads. */
  close(): Promise<void>;
}

/** Worker threads of Node. */
export class NodeThreads implements Threads {
  readonly #log: ThreadOptions['log'];
  readonly #maxRenders: number;
  readonly #onRenderFailure: ThreadOptions['onRenderFailure'];
  readonly #limits: typeof defaultLimits;
  readonly #openPool: OpenPool;
  readonly #pools = new Map<Kind, ThreadPool>();

  constructor(options: ThreadOptions = {}) {
    const { log, maxRenders = 1, onRenderFailure, limits } = options;
    this.#log = log;
    this.#maxRenders = maxRenders;
    this.#onRenderFailure = onRenderFailure;
    this.#limits = { ...defaultLimits, ...limits };
    this.#openPool = options.openPool ?? ((_kind, settings) => createThreadPool(settings));
  }

  parseJson(bytes: Uint8Array): Promise<ParsedJson> {
    const { buffer } = bytes;
    // Node allocates small buffers from a shared one, which must not be transferred.
    const ownsBuffer = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
    return this.#run('parseJson', [bytes], ownsBuffer ? { transfer: [buffer] } : {});
  }

  async findTitle(html: Uint8Array, maxCharacters: number): Promise<string | null> {
    try {
      const within = { timeoutMs: this.#limits.findTitle };
      const { title } = await this.#run('findTitle', [html, { maxCharacters, steps: titleSteps }], within);
      return title;
    } catch (cause) {
      const message =
        'The document could not be searched for its title in time: try again, or send the title with it.';
      throw unavailable(message, 1, { cause });
    }
  }

  /** A parse checks its budget. If it is late, or out of memory, the thread is terminated and the plan takes less effort. */
  async renderPage(bytes: Uint8Array, budgetMs: number): Promise<RenderedPage> {
    const html = inOwnBuffer(bytes);
    let failure: unknown;
    for (const effort of ['full', 'quick', 'none'] as const) {
      try {
        return await this.#attemptRender(html, effort, budgetMs);
      } catch (err) {
        failure = err;
        this.#onRenderFailure?.();
        const message = 'a render failed; the next attempt, if there is one, parses less';
        this.#log?.warn({ err, effort, bytes: html.length }, message);
      }
    }
    throw failure;
  }

  framePage(page: Uint8Array, script: Uint8Array, encoding: ContentEncoding): Promise<Uint8Array> {
    return this.#run('framePage', [inOwnBuffer(page), inOwnBuffer(script), encoding]);
  }

  renderContext(markdown: string): Promise<string | null> {
    const work = this.#run('renderContext', [markdown], { timeoutMs: this.#limits.renderContext });
    return this.#withinLimits(
      work,
      { characters: markdown.length },
      {
        failed: 'The context could not be rendered.',
        exceeded: 'a context was not rendered; it is shown as text',
      },
    );
  }

  compare(before: ComparedDocument, after: ComparedDocument, format: DiffFormat): Promise<string | null> {
    const budgetMs = this.#limits.compare;
    const timeoutMs = budgetMs + this.#limits.grace;
    const work = this.#run('compare', [{ before, after, format, budgetMs }], { timeoutMs });
    return this.#withinLimits(
      work,
      { bytes: before.html.length + after.html.length },
      {
        failed: 'The versions could not be compared.',
        exceeded: 'two documents were not compared',
      },
    );
  }

  findQuotes(html: Uint8Array, quotes: readonly SoughtQuote[]): Promise<FoundQuote[] | null> {
    const budgetMs = this.#limits.findQuotes;
    const timeoutMs = budgetMs + this.#limits.grace;
    const work = this.#run('findQuotes', [{ html, quotes, budgetMs }], { timeoutMs });
    return this.#withinLimits(
      work,
      { bytes: html.length },
      {
        failed: 'A document could not be searched for the quotes of comments.',
        exceeded: 'a document was not searched for the quotes of comments',
      },
    );
  }

  checkDocument({ html, context }: CheckedDocument, now: number): Promise<DocumentFindings | null> {
    const document = { html: inOwnBuffer(html), context: context && inOwnBuffer(context) };
    const work = this.#run('checkDocument', [document, now], { timeoutMs: this.#limits.checkDocument });
    return this.#withinLimits(
      work,
      { bytes: html.length },
      {
        failed: 'The document could not be looked at.',
        exceeded: 'a document was not looked at',
      },
    );
  }

  async drawCard(content: CardContent): Promise<Uint8Array> {
    const timeout = { timeoutMs: this.#limits.drawCard };
    try {
      return await this.#run('drawCard', [content], timeout);
    } catch (err) {
      this.#log?.warn({ err }, 'the text of a card could not be drawn; the card shows the host alone');
      return this.#run('drawCard', [plainCard('generic', content.host)], timeout);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  async #run<K extends Kind>(kind: K, args: Parameters<Work<K>>, within: RunOptions = {}) {
    const task: Omit<Task, 'id'> = { kind, args };
    return (await this.#poolOf(kind).run(task, within)) as Awaited<ReturnType<Work<K>>>; // proof: runTask returns what the work returns
  }

  #poolOf(kind: Kind): ThreadPool {
    const known = this.#pools.get(kind);
    if (known !== undefined) return known;
    const pool = this.#openPool(kind, {
      file: new URL('./task-kinds.js', import.meta.url),
      name: 'runTask',
      maxThreads: kind === 'renderPage' ? this.#maxRenders : 1,
      maxHeapMb: kinds[kind].maxHeapMb,
      onError: (err) => this.#log?.warn({ err, kind }, 'a thread died'),
    });
    this.#pools.set(kind, pool);
    return pool;
  }

  #attemptRender(html: Uint8Array, effort: PlanEffort, budgetMs: number): Promise<RenderedPage> {
    const planned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const timeout = {
      timeoutMs: budgetMs + this.#limits.renderGrace,
      mayRunOn: () => Atomics.load(planned, 0) === 1, // compressing takes bounded time
    };
    return this.#run('renderPage', [{ html, effort, budgetMs, planned }], effort === 'full' ? timeout : {});
  }

  /** @returns null, and logs it, if the work takes too long or too much memory @throws DropError `unavailable` if the thread failed */
  async #withinLimits<T>(
    work: Promise<T>,
    size: object,
    { failed, exceeded }: { readonly failed: string; readonly exceeded: string },
  ): Promise<T | null> {
    try {
      return await work;
    } catch (err) {
      if (!exceedsLimits(err)) throw unavailable(failed, 1, { cause: err });
      this.#log?.warn({ err, ...size }, exceeded);
      return null;
    }
  }
}

/** Posting a Uint8Array to a thread copies its whole buffer, so the bytes get a buffer that holds nothing else. */
function inOwnBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
