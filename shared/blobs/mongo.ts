import type { Connection } from 'mongoose';
import type { createDailyCounts } from '../accounts/mongo.ts';
import { bytes, record, text } from '../domain/record.ts';
import { isStored, type NewVersion } from '../drops/drop.ts';
import type { DropStore } from '../drops/drop-store.ts';
import { collectionOf, documentIds } from '../mongo/collection.ts';
import { forRequests, inBackground } from '../mongo/errors.ts';
import { openGridBucket } from '../mongo/grid-bucket.ts';
import { type BlobStore, type CardStore, cardRecord } from './blob-store.ts';

/** Documents of up to HTML_MAX_BYTES, in the GridFS bucket `html`. */
export function createMongoHtmlStore(connection: Connection): BlobStore {
  const { put, get, delete: remove, listIds } = openGridBucket(connection, 'html');
  return {
    ...forRequests(connection, { put, get }),
    ...inBackground({ delete: remove, listIds }),
  };
}

const contextRecord = record('contexts', { id: text(), bytes: bytes() });

export const contextCollection = collectionOf(contextRecord);

/** A context has at most 1 MiB (CONTEXT_MAX_BYTES), so it is one document: one read, where GridFS needs two. */
export function createMongoContextStore(connection: Connection): BlobStore {
  const contexts = contextCollection.in(connection);
  return {
    ...forRequests<Pick<BlobStore, 'put' | 'get'>>(connection, {
      async put(id, bytes) {
        await contexts.insertUnlessTaken({ id, bytes }, '_id_'); // an id always has the same bytes
      },

      get: async (id) => (await contexts.find({ _id: id }))?.bytes ?? null,
    }),
    ...documentIds(connection, contextRecord),
  };
}

const cardCollection = collectionOf(cardRecord);

/** A card is one document of about 20 KB. */
export function createMongoCardStore(connection: Connection): CardStore {
  const cards = cardCollection.in(connection);
  return {
    ...forRequests<Pick<CardStore, 'put' | 'find'>>(connection, {
      async put(dropId, card) {
        const { _id, ...fields } = cardCollection.toDocument({ dropId, ...card });
        await cards.model.updateOne({ _id }, { $set: fields }, { upsert: true });
      },

      find: (dropId) => cards.find({ _id: dropId }),
    }),
    ...documentIds(connection, cardRecord),
  };
}

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
