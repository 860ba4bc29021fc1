import type { Log } from '../../ports/log.ts';
import type { PageRenderer } from '../../ports/page-renderer.ts';
import type { RenderedPage } from '../../ports/render-store.ts';
import type { Effort, RenderTask } from './render-thread.ts';
import { createThreadPool } from './thread-pool.ts';

/** Added to the budget for the messages between the threads. */
const defaultGraceMs = 250;
/** Several times what a document of 2 MB needs; a hostile one must not exhaust the process. */
const maxHeapMb = 64;

const efforts: readonly Effort[] = ['full', 'quick', 'none'];

export interface RendererOptions {
  readonly maxThreads: number;
  readonly log?: Pick<Log, 'warn'>;
  /** Called when an attempt failed. The next one parses less. */
  readonly onFailure?: () => void;
  readonly graceMs?: number;
}

/**
 * Renders pages in threads. A parse checks its budget itself; if it does not return in time, or the thread runs out of
 * memory, the thread is ended and the plan is made with less effort.
 */
export function createThreadRenderer(options: RendererOptions): PageRenderer {
  const { log, graceMs = defaultGraceMs } = options;
  const pool = createThreadPool({
    file: new URL('./render-thread.js', import.meta.url),
    name: 'render',
    maxThreads: options.maxThreads,
    maxHeapMb,
    onError: (error) => log?.warn({ err: error }, 'a render thread died'),
  });

  async function attempt(html: Uint8Array, effort: Effort, budgetMs: number): Promise<RenderedPage> {
    const planned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const task: RenderTask = { html, effort, budgetMs, planned };
    const timeout = {
      timeoutMs: budgetMs + graceMs,
      mayRunOn: () => Atomics.load(planned, 0) === 1, // compressing takes bounded time
    };
    return (await pool.run(task, effort === 'full' ? timeout : {})) as RenderedPage; // proof: render returns it
  }

  async function renderWithFallback(html: Uint8Array, budgetMs: number): Promise<RenderedPage> {
    let failure: unknown;
    for (const effort of efforts) {
      try {
        return await attempt(html, effort, budgetMs);
      } catch (error) {
        failure = error;
        options.onFailure?.();
        log?.warn(
          { err: error, effort, bytes: html.length },
          'a render failed; the next attempt, if there is one, parses less',
        );
      }
    }
    throw failure;
  }

  return {
    render: (html, budgetMs) => renderWithFallback(withOwnBuffer(html), budgetMs),
    close: () => pool.close(),
  };
}

/** The bytes in a buffer that holds nothing else. Posting a Uint8Array to a thread copies its whole buffer. */
function withOwnBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
