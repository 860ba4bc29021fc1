import type { Connection } from 'mongoose';
import { bytes, type RecordOf, record, text } from '../domain/record.ts';
import { collectionOf, type ListIds, listTexts } from '../mongo/collection.ts';
import { isDuplicateOf } from '../mongo/errors.ts';
import { type BlobStore, type CardStore, cardRecord, type StoredCard } from './blob-store.ts';

const contextRecord = record('contexts', { id: text(), bytes: bytes() });

const contextCollection = collectionOf(contextRecord);

/**
 * A context has at most 1 MiB (CONTEXT_MAX_BYTES), so it is one document: one read, where GridFS needs two.
 * `mongo/stores.ts` sets the time limits of its calls.
 */
export class MongoContexts implements BlobStore {
  readonly #contexts;
  readonly listIds: ListIds;

  constructor(connection: Connection) {
    this.#contexts = contextCollection.in(connection);
    this.listIds = listTexts(connection, contextRecord.name);
  }

  async put(id: string, bytes: Uint8Array): Promise<void> {
    await this.#contexts.insertUnlessTaken({ id, bytes }, '_id_'); // an id always has the same bytes
  }

  /** Like `put`, for many contexts. */
  async putMany(contexts: readonly RecordOf<typeof contextRecord>[]): Promise<void> {
    try {
      await this.#contexts.model.insertMany(contexts.map(contextCollection.toDocument), { ordered: false });
    } catch (error) {
      if (!isDuplicateOf(error, '_id_')) throw error; // an id always has the same bytes
    }
  }

  async get(id: string): Promise<Uint8Array | null> {
    const found = await this.#contexts.find({ _id: id });
    return found?.bytes ?? null;
  }

  /** The contexts that exist, by id, of which all together fit into memory. */
  async getMany(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = await this.#contexts.model.find({ _id: { $in: ids } }).lean();
    return new Map(found.map(contextCollection.toRecord).map(({ id, bytes }) => [id, bytes]));
  }

  delete(ids: readonly string[]): Promise<void> {
    return this.#contexts.removeByIds(ids);
  }
}

const cardCollection = collectionOf(cardRecord);

/** A card is one document of about 20 KB. `mongo/stores.ts` sets the time limits of its calls. */
export class MongoCards implements CardStore {
  readonly #cards;
  readonly listIds: ListIds;

  constructor(connection: Connection) {
    this.#cards = cardCollection.in(connection);
    this.listIds = listTexts(connection, cardRecord.name);
  }

  async put(dropId: string, card: StoredCard): Promise<void> {
    const { _id, ...fields } = cardCollection.toDocument({ dropId, ...card });
    await this.#cards.model.updateOne({ _id }, { $set: fields }, { upsert: true });
  }

  find(dropId: string): Promise<StoredCard | null> {
    return this.#cards.find({ _id: dropId });
  }

  delete(ids: readonly string[]): Promise<void> {
    return this.#cards.removeByIds(ids);
  }
}
