import { brotliCompressSync, gzipSync } from 'node:zlib';
import { factsOf } from '../domain/etag.ts';
import { applyPlan, type NewPlan, planRender, planSafely, rendererVersion } from '../html/insertion.ts';
import type { RenderedPage } from '../renders/render-store.ts';
import { brotliOptions } from '../util/brotli.ts';

/** Higher qualities take longer and save little (docs/performance.md). */
export const brotliQuality = 7;
export const gzipOptions = { level: 6 } as const;

/** How the plan is made: by parsing the head; from the first 4 KiB; or not at all, which inserts nothing. */
export type PlanEffort = 'full' | 'quick' | 'none';

export interface RenderTask {
  readonly html: Uint8Array;
  readonly effort: PlanEffort;
  readonly budgetMs: number;
  /** One Int32 in shared memory. It becomes 1 when the plan is made. */
  readonly planned: Int32Array;
}

/** Plans, inserts, compresses and hashes one page. */
export function renderPage(task: RenderTask): RenderedPage {
  const { isFullyParsed: _, ...plan } = makePlan(task);
  Atomics.store(task.planned, 0, 1);

  const page = applyPlan(task.html, plan);
  const br = brotliCompressSync(page, brotliOptions(brotliQuality, page.length));
  const gzip = gzipSync(page, gzipOptions);
  const facts = { identity: factsOf(page), br: factsOf(br), gzip: factsOf(gzip) };
  // Copies, because posting a Uint8Array to a thread copies its whole buffer.
  return { plan, facts, br: new Uint8Array(br), gzip: new Uint8Array(gzip) };
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
