import type { CardContent } from '../cards/card.ts';
import { plainCard } from '../cards/card.ts';
import type { CardRenderer } from '../cards/card-renderer.ts';
import type { Differ } from '../diffs/differ.ts';
import { unavailable } from '../domain/errors.ts';
import type { JsonParser } from '../domain/json-parser.ts';
import type { TitleFinder } from '../drops/title-finder.ts';
import type { Log } from '../log/log.ts';
import type { ContextRenderer } from '../renders/context-renderer.ts';
import type { PageRenderer } from '../renders/page-renderer.ts';
import type { RenderedPage } from '../renders/render-store.ts';
import { type Kind, kinds, type Task, type Work } from './kinds.ts';
import type { Effort } from './page-render.ts';
import { createThreadPool, exceedsLimits, type RunOptions } from './thread-pool.ts';

export interface ThreadOptions {
  readonly log?: Pick<Log, 'warn'>;
  /** How long a task may run. */
  readonly timeoutMs?: number;
}

/** Threads for one kind of work. They start with the first task and end when they are idle for a while. */
function openThreads<K extends Kind>(kind: K, log: ThreadOptions['log'], maxThreads = 1) {
  const pool = createThreadPool({
    file: new URL('./kinds.js', import.meta.url),
    name: 'runTask',
    maxThreads,
    maxHeapMb: kinds[kind].maxHeapMb,
    onError: (err) => log?.warn({ err, kind }, 'a thread died'),
  });
  return {
    async run(args: Parameters<Work<K>>, options: RunOptions = {}) {
      const task: Omit<Task, 'id'> = { kind, args };
      return (await pool.run(task, options)) as Awaited<ReturnType<Work<K>>>; // proof: runTask returns what the work returns
    },
    close: () => pool.close(),
  };
}

/** Parses in one thread. */
export function createThreadJsonParser({ log }: ThreadOptions = {}): JsonParser {
  const threads = openThreads('parseJson', log);
  return {
    parse(bytes) {
      const { buffer } = bytes;
      // Node allocates small buffers from a shared one, which must not be transferred.
      const ownsBuffer = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
      return threads.run([bytes], ownsBuffer ? { transfer: [buffer] } : {});
    },
    close: threads.close,
  };
}

/** As for a render (html/plan.ts). */
const titleSteps = 20_000;

/** Searches one document at a time. */
export function createThreadTitleFinder(options: ThreadOptions = {}): TitleFinder {
  const { log, timeoutMs = kinds.findTitle.timeoutMs } = options;
  const threads = openThreads('findTitle', log);
  return {
    async find(html, maxCharacters) {
      try {
        const found = await threads.run([html, { maxCharacters, steps: titleSteps }], { timeoutMs });
        return found.title;
      } catch (cause) {
        const message =
          'The document could not be searched for its title in time: try again, or send the title with it.';
        throw unavailable(message, 1, { cause });
      }
    },
    close: threads.close,
  };
}

/** Renders contexts one at a time. */
export function createThreadContextRenderer(options: ThreadOptions = {}): ContextRenderer {
  const { log, timeoutMs = kinds.renderContext.timeoutMs } = options;
  const threads = openThreads('renderContext', log);
  return {
    async render(markdown) {
      try {
        return await threads.run([markdown], { timeoutMs });
      } catch (err) {
        if (!exceedsLimits(err)) throw unavailable('The context could not be rendered.', 1, { cause: err });
        log?.warn({ err, characters: markdown.length }, 'a context was not rendered; it is shown as text');
        return null;
      }
    },
    close: threads.close,
  };
}

/**
 * Two documents of 2 MB need a fraction of it, unless they are very different. Others wait that long for their turn, and must be
 * answered within ANSWER_MS.
 */
const compareBudgetMs = 1_200;
/** For the result, which the budget does not count, and the messages between the threads. */
const compareGraceMs = 600;

/** Compares one pair at a time. */
export function createThreadDiffer({
  log,
  budgetMs = compareBudgetMs,
}: Pick<ThreadOptions, 'log'> & { readonly budgetMs?: number } = {}): Differ {
  const threads = openThreads('compare', log);
  return {
    async compare(before, after, format) {
      try {
        const timeoutMs = budgetMs + compareGraceMs;
        return await threads.run([{ before, after, format, budgetMs }], { timeoutMs });
      } catch (err) {
        if (!exceedsLimits(err)) throw unavailable('The versions could not be compared.', 1, { cause: err });
        const bytes = before.html.length + after.html.length;
        log?.warn({ err, bytes }, 'two documents were not compared');
        return null;
      }
    },
    close: threads.close,
  };
}

/** Draws cards one at a time. */
export function createThreadCardRenderer(options: ThreadOptions = {}): CardRenderer {
  const { log, timeoutMs = kinds.drawCard.timeoutMs } = options;
  const threads = openThreads('drawCard', log);
  const draw = (content: CardContent) => threads.run([content], { timeoutMs });
  return {
    async render(content) {
      try {
        return await draw(content);
      } catch (err) {
        log?.warn({ err }, 'the text of a card could not be drawn; the card shows the host alone');
        return draw(plainCard('generic', content.host));
      }
    },
    close: threads.close,
  };
}

/** Added to the budget for the messages between the threads. */
const renderGraceMs = 250;

const efforts: readonly Effort[] = ['full', 'quick', 'none'];

export interface PageRendererOptions extends Pick<ThreadOptions, 'log'> {
  readonly maxThreads: number;
  /** Called when an attempt failed. The next one parses less. */
  readonly onFailure?: () => void;
  readonly graceMs?: number;
}

/**
 * Renders pages. A parse checks its budget itself; if it does not return in time, or the thread runs out of memory, the
 * thread is ended and the plan is made with less effort.
 */
export function createThreadRenderer(options: PageRendererOptions): PageRenderer {
  const { log, graceMs = renderGraceMs, maxThreads, onFailure } = options;
  const threads = openThreads('renderPage', log, maxThreads);

  function attempt(html: Uint8Array, effort: Effort, budgetMs: number): Promise<RenderedPage> {
    const planned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const timeout = {
      timeoutMs: budgetMs + graceMs,
      mayRunOn: () => Atomics.load(planned, 0) === 1, // compressing takes bounded time
    };
    return threads.run([{ html, effort, budgetMs, planned }], effort === 'full' ? timeout : {});
  }

  return {
    async render(bytes, budgetMs) {
      // Posting a Uint8Array to a thread copies its whole buffer, so the bytes get a buffer that holds nothing else.
      const html = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
      let failure: unknown;
      for (const effort of efforts) {
        try {
          return await attempt(html, effort, budgetMs);
        } catch (err) {
          failure = err;
          onFailure?.();
          const message = 'a render failed; the next attempt, if there is one, parses less';
          log?.warn({ err, effort, bytes: html.length }, message);
        }
      }
      throw failure;
    },
    close: threads.close,
  };
}
