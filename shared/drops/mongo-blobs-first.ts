import type { DailyQuota } from '../accounts/account.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { methodsOf } from '../util/methods.ts';
import { isStored, type NewVersion } from './drop.ts';
import type { DropStore } from './drop-store.ts';

/** A longer write may have been taken over by a repeat (idempotency/idempotency.ts). Far below its lease. */
const aloneMs = 10_000;

interface Parts {
  readonly html: BlobStore;
  readonly contexts: BlobStore;
  readonly days: {
    /** Counts a write; false: the day is full. */
    take(quota: DailyQuota): Promise<boolean>;
    giveBack(quota: DailyQuota): Promise<void>;
  };
}

/**
 * The day's count first, then the blobs, the record last. Of a refused version the count is given back, and the blobs are
 * deleted, unless another attempt may be storing it. If that fails, `store.reconcile` deletes the blobs.
 */
export function withQuotaAndBlobs(records: DropStore, { html, contexts, days }: Parts): DropStore {
  async function storeVersion<T extends object | string | null>(
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
    ...methodsOf(records),
    create: (drop, ...rest) => storeVersion(drop.version, () => records.create(drop, ...rest)),
    addVersion: (target, version, ...rest) =>
      storeVersion(version, () => records.addVersion(target, version, ...rest)),
  };
}
