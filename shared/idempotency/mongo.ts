import type { Connection } from 'mongoose';
import { keyOf } from '../domain/record.ts';
import { collectionOf } from '../mongo/collection.ts';
import { type IdempotencyRecord, type IdempotencyStore, idempotencyRecord } from './idempotency-store.ts';

const idempotencyCollection = collectionOf(idempotencyRecord, [
  'idempotency_keys_created',
  { created_at: 1 },
]);

/** Records of repeatable writes: each change is one conditional update. `mongo/stores.ts` sets the time limits of the calls. */
export class MongoIdempotency implements IdempotencyStore {
  readonly #keys;

  constructor(connection: Connection) {
    this.#keys = idempotencyCollection.in(connection);
  }

  find(accountId: string, key: string): Promise<IdempotencyRecord | null> {
    return this.#keys.find({ _id: keyOf(idempotencyRecord, { accountId, key }) });
  }

  insert(record: IdempotencyRecord): Promise<boolean> {
    return this.#keys.insertUnlessTaken(record, '_id_');
  }

  replace({ lease, isDone }: IdempotencyRecord, to: IdempotencyRecord): Promise<boolean> {
    const { _id, ...fields } = idempotencyCollection.toDocument(to);
    return this.#keys.update({ _id, lease, is_done: isDone }, { $set: fields });
  }

  async finish(record: IdempotencyRecord): Promise<void> {
    const filter = { _id: keyOf(idempotencyRecord, record), version_id: record.versionId };
    await this.#keys.update(filter, { $set: { is_done: true } });
  }

  async remove(record: IdempotencyRecord): Promise<void> {
    await this.#keys.remove({ _id: keyOf(idempotencyRecord, record), lease: record.lease });
  }

  removeCreatedBefore(time: number): Promise<void> {
    return this.#keys.removeBefore('created_at', time);
  }
}
