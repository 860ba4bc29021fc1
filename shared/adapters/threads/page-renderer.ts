import type { Log } from '../../ports/log.ts';
import type { NewRender, PageRenderer } from '../../ports/page-renderer.ts';
import type { Squeezed } from '../../ports/render-store.ts';
import { type Effort, efforts, type RenderTask } from './render-task.ts';
import type { SqueezeTask } from './squeeze-thread.ts';
import { createThreadPool } from './thread-pool.ts';

/** Beyond the budget, for the way between the threads; after it the thread is ended. */
const graceMs = 250;
/** Several times what a document of 2 MB needs; keeps a hostile one from filling the process. */
const maxHeapMb = 64;

export interface RendererOptions {
  readonly maxThreads: number;
  /** Told of documents that ended their thread. */
  readonly log?: Pick<Log, 'warn'>;
  readonly graceMs?: number;
}

/**
 * Renders in threads that start when there is work and end when there is none for a while.
 *
 * A parse looks at the clock by itself. One that does not come to look is ended with its thread, at the budget
 * and the grace, counted from the moment the thread has begun; then the plan is made without a full parse.
 */
export function createThreadRenderer(options: RendererOptions): PageRenderer {
  const pool = createThreadPool({
    file: new URL('./render-thread.js', import.meta.url),
    name: 'render',
    maxThreads: options.maxThreads,
    maxHeapMb,
    onError: (error) => options.log?.warn({ err: error }, 'a thread that renders pages has died'),
  });
  // A pool of its own: a page of 2 MB takes more than two seconds, and no render is to wait for that.
  const squeezers = createThreadPool({
    file: new URL('./squeeze-thread.js', import.meta.url),
    name: 'squeeze',
    maxThreads: 1,
    maxHeapMb,
    onError: (error) => options.log?.warn({ err: error }, 'a thread that squeezes pages has died'),
  });
  let renders = 0;
  const beginnings = new Map<number, () => void>();
  let lastId = 0;
  pool.onNumber((id) => beginnings.get(id)?.());

  async function attempt(html: Uint8Array, effort: Effort, budgetMs: number): Promise<NewRender> {
    const id = ++lastId;
    const planned = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const stuck = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const endIfStuck = () => Atomics.load(planned, 0) === 0 && stuck.abort();
    if (effort === 'full') {
      beginnings.set(id, () => {
        timer = setTimeout(endIfStuck, budgetMs + (options.graceMs ?? graceMs));
      });
    }
    try {
      const task: RenderTask = { id, html, effort, budgetMs, planned };
      return (await pool.run(task, { signal: stuck.signal })) as NewRender; // proof: what render-thread.ts returns
    } finally {
      clearTimeout(timer);
      beginnings.delete(id);
    }
  }

  async function renderSomehow(html: Uint8Array, budgetMs: number): Promise<NewRender> {
    let failure: unknown;
    for (const effort of efforts) {
      try {
        return await attempt(html, effort, budgetMs);
      } catch (error) {
        failure = error;
        const fields = { err: error, effort, bytes: html.length };
        options.log?.warn(fields, 'A page could not be rendered with this effort');
      }
    }
    throw failure;
  }

  return {
    async render(html, budgetMs) {
      renders += 1;
      try {
        return await renderSomehow(wholeBuffer(html), budgetMs);
      } finally {
        renders -= 1;
      }
    },
    async squeeze(html, plan) {
      const task: SqueezeTask = { html: wholeBuffer(html), plan };
      return (await squeezers.run(task)) as Squeezed; // proof: what squeeze-thread.ts returns
    },
    isIdle: () => renders === 0,
    async close() {
      await Promise.all([pool.close(), squeezers.close()]);
    },
  };
}

/** Posting a view posts all of the buffer behind it. */
function wholeBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
