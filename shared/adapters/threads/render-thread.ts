import { parentPort } from 'node:worker_threads';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { factsOf } from '../../domain/etag.ts';
import { applyPlan, type NewPlan, planRender, planSafely, rendererVersion } from '../../html/plan.ts';
import type { NewRender } from '../../ports/page-renderer.ts';
import type { RenderTask } from './render-task.ts';

/** Plans, inserts, compresses and hashes one page. Runs in a thread of the pool. */
export function render(task: RenderTask): NewRender {
  const { html, id, planned } = task;
  parentPort?.postMessage(id);
  const { isWhole, ...plan } = makePlan(task);
  Atomics.store(planned, 0, 1);

  const page = applyPlan(html, plan);
  const br = brotliCompressSync(page, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: page.length },
  });
  const gzip = gzipSync(page, { level: 6 });
  const facts = { identity: factsOf(page), br: factsOf(br), gzip: factsOf(gzip) };
  // Copies, because posting a view posts all of the buffer behind it.
  return { plan, isWhole, facts, br: new Uint8Array(br), gzip: new Uint8Array(gzip) };
}

function makePlan({ html, effort, budgetMs }: RenderTask): NewPlan {
  if (effort === 'none') return { renderer: rendererVersion, insertAt: 0, insertion: '', isWhole: false };
  if (effort === 'quick') return planSafely(html);
  const start = performance.now();
  const isAfter = (ms: number) => () => performance.now() - start > ms;
  // Checking a plan may take as long as finding it.
  return planRender(html, { expired: isAfter(budgetMs / 2), late: isAfter(budgetMs) });
}
