import type { Connection } from 'mongoose';
import { bytes, record, text } from '../domain/record.ts';
import { collectionOf, documentIds } from '../mongo/collection.ts';
import { forRequests, inBackground } from '../mongo/errors.ts';
import { openGridBucket } from '../mongo/grid-bucket.ts';
import { type BlobStore, type CardStore, cardRecord } from './blob-store.ts';

/** Documents of up to HTML_MAX_BYTES, in the GridFS bucket `html`. */
export function createMongoHtmlStore(connection: Connection): BlobStore {
  const { put, get, delete: remove, listIds } = openGridBucket(connection, 'html');
  return {
    ...forRequests(connection, { put, get }),
    ...inBackground(connection, { delete: remove, listIds }),
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
