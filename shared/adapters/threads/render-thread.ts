import { existsSync, readlinkSync } from 'node:fs';
import { constants as os, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { factsOf } from '../../domain/etag.ts';
import {
  applyPlan,
  type NewPlan,
  planRender,
  planSafely,
  type RenderPlan,
  rendererVersion,
} from '../../html/plan.ts';
import type { NewRender } from '../../ports/page-renderer.ts';
import type { Squeezed } from '../../ports/render-store.ts';

/** How the plan is made: by parsing the head; from the first 4 KiB; or not at all, which inserts nothing. */
export type Effort = 'full' | 'quick' | 'none';

export interface RenderTask {
  readonly html: Uint8Array;
  readonly effort: Effort;
  readonly budgetMs: number;
  /** One Int32 in shared memory. It becomes 1 when the plan is made. */
  readonly planned: Int32Array;
}

/** Plans, inserts, compresses and hashes one page. */
export function render(task: RenderTask & { readonly id: number }): NewRender {
  parentPort?.postMessage(task.id);
  const { isFullyParsed, ...plan } = makePlan(task);
  Atomics.store(task.planned, 0, 1);

  const page = applyPlan(task.html, plan);
  const br = brotliCompressSync(page, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: page.length },
  });
  const gzip = gzipSync(page, { level: 6 });
  const facts = { identity: factsOf(page), br: factsOf(br), gzip: factsOf(gzip) };
  // Copies, because posting a Uint8Array to a thread copies its whole buffer.
  return { plan, isFullyParsed, facts, br: new Uint8Array(br), gzip: new Uint8Array(gzip) };
}

function makePlan({ html, effort, budgetMs }: RenderTask): NewPlan {
  if (effort === 'none')
    return { renderer: rendererVersion, insertAt: 0, insertion: '', isFullyParsed: false };
  if (effort === 'quick') return planSafely(html);
  const start = performance.now();
  const isAfter = (ms: number) => () => performance.now() - start > ms;
  // Checking a plan takes about as long as finding it.
  return planRender(html, { expired: isAfter(budgetMs / 2), late: isAfter(budgetMs) });
}

/** Compresses one page with the highest brotli quality, at the lowest thread priority. */
export function squeeze({ html, plan }: { html: Uint8Array; plan: RenderPlan }): Squeezed {
  lowerPriority();
  const page = applyPlan(html, plan);
  const bytes = brotliCompressSync(page, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: page.length,
      // A window of 16 MiB is the browsers' maximum; below 4 MiB it gains nothing.
      [constants.BROTLI_PARAM_LGWIN]: page.length < 4 * 1024 * 1024 ? 22 : 24,
    },
  });
  return { bytes: new Uint8Array(bytes), facts: factsOf(bytes) };
}

/** On Linux each thread has its own priority, and `/proc/thread-self` links to the current thread. */
function lowerPriority(): void {
  const self = '/proc/thread-self';
  if (!existsSync(self)) return;
  const [id = ''] = readlinkSync(self).split('/').slice(-1);
  setPriority(Number(id), os.priority.PRIORITY_LOW);
}
