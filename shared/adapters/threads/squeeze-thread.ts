import { existsSync, readlinkSync } from 'node:fs';
import { constants as os, setPriority } from 'node:os';
import { brotliCompressSync, constants } from 'node:zlib';
import { factsOf } from '../../domain/etag.ts';
import { applyPlan, type RenderPlan } from '../../html/plan.ts';
import type { Squeezed } from '../../ports/render-store.ts';

const ownThread = '/proc/thread-self';

export interface SqueezeTask {
  readonly html: Uint8Array;
  readonly plan: RenderPlan;
}

/** Compresses one page, in time that nobody else wants, as far as brotli goes. Runs in a thread of the pool. */
export function squeeze({ html, plan }: SqueezeTask): Squeezed {
  stepBack();
  const page = applyPlan(html, plan);
  const bytes = brotliCompressSync(page, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: page.length,
      // 16 MiB, the most that browsers take; pages of less than 4 MiB gain nothing by it.
      [constants.BROTLI_PARAM_LGWIN]: page.length < 4 * 1024 * 1024 ? 22 : 24,
    },
  });
  // A copy, because posting a view posts all of the buffer behind it.
  return { bytes: new Uint8Array(bytes), facts: factsOf(bytes) };
}

/** Where the system names the thread by itself, as Linux does, it has a priority of its own. */
function stepBack(): void {
  if (!existsSync(ownThread)) return;
  const [id = ''] = readlinkSync(ownThread).split('/').slice(-1);
  setPriority(Number(id), os.priority.PRIORITY_LOW);
}
