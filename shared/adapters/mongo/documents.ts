import type { NewVersion } from '../../domain/drop.ts';
import type { BlobStore } from '../../ports/blob-store.ts';
import type { DropStore } from '../../ports/drop-store.ts';

/**
 * A write that takes longer may have been taken over by a repeat (services/idempotency.ts): far below its lease, because a
 * write may have waited for other work before. Two store calls take at most 8 s.
 */
const aloneMs = 10_000;

/**
 * Stores documents for a store that stores records only: the blobs first, the record last. The blobs of a refused version
 * are deleted, unless another attempt may be storing the same version; if that fails, or the process ends,
 * `store.reconcile` deletes them.
 */
export function withDocuments(
  records: DropStore,
  blobs: { html: BlobStore; contexts: BlobStore },
): DropStore {
  const { html, contexts } = blobs;

  async function publish<T extends object | string | null>(
    { id, html: document, context, isRepeat }: NewVersion,
    record: () => Promise<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    await Promise.all([html.put(id, document), context && contexts.put(id, context)]);
    const outcome = await record();
    const isStored = outcome !== null && typeof outcome === 'object' && 'slug' in outcome;
    const isAlone = isRepeat !== true && performance.now() - startedAt < aloneMs;
    if (!isStored && isAlone) await Promise.allSettled([html.delete([id]), context && contexts.delete([id])]);
    return outcome;
  }

  return {
    ...records,
    create: (drop, ...rest) => publish(drop.version, () => records.create(drop, ...rest)),
    addVersion: (target, version, ...rest) =>
      publish(version, () => records.addVersion(target, version, ...rest)),
  };
}
