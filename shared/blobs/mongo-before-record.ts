import type { createDailyCounts } from '../accounts/mongo.ts';
import { isStored, type NewVersion } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import type { BlobStore } from './blob-store.ts';

/** A longer write may have been taken over by a repeat (idempotency/idempotency.ts). Far below its lease. */
const aloneMs = 10_000;

/**
 * The day's count first, then the blobs, the record last. Of a refused version the count is given back, and the blobs are
 * deleted, unless another attempt may be storing it. If that fails, `store.reconcile` deletes the blobs.
 */
export function blobsBeforeRecord(
  records: DropStore,
  parts: { html: BlobStore; contexts: BlobStore; days: ReturnType<typeof createDailyCounts> },
): DropStore {
  const { html, contexts, days } = parts;

  async function publish<T extends object | string | null>(
    { id, html: document, context, isRepeat, quota }: NewVersion,
    record: () => Promise<T>,
  ): Promise<T | 'day_full'> {
    const startedAt = performance.now();
    if (quota !== undefined && !(await days.take(quota))) return 'day_full';
    await Promise.all([html.put(id, document), context && contexts.put(id, context)]);
    const outcome = await record();
    if (isStored(outcome)) return outcome;
    const isAlone = isRepeat !== true && performance.now() - startedAt < aloneMs;
    await Promise.allSettled([
      quota && days.giveBack(quota),
      isAlone && html.delete([id]),
      isAlone && context && contexts.delete([id]),
    ]);
    return outcome;
  }

  return {
    ...records,
    create: (drop, ...rest) => publish(drop.version, () => records.create(drop, ...rest)),
    addVersion: (target, version, ...rest) =>
      publish(version, () => records.addVersion(target, version, ...rest)),
  };
}
