import type { Connection, mongo } from 'mongoose';
import type { MongoContexts } from '../blobs/mongo.ts';
import { type DropDocument, expiredBy, type Filter, toDrop, toOwnedVersion } from '../drops/mongo-schema.ts';
import { collectionOf } from '../mongo/collection.ts';
import { retryWhileUnavailable } from '../mongo/errors.ts';
import type { GridBucket } from '../mongo/grid-bucket.ts';
import type { DayViewsDocument } from '../views/mongo.ts';
import {
  type ArchivedDrop,
  type ArchiveRecord,
  archiveTables,
  recordsPerBatch,
  type TableKind,
  toArchivedDrop,
} from './archive.ts';
import type { ArchiveSnapshot, BlobFolder, StoredKind } from './archive-store.ts';

/** A drop may have 200 versions: with more drops, one command could exceed its timeout. */
const dropsPerBatch = 100;

export interface Identified {
  readonly _id: string;
}

/** Where the blobs of archives are stored. */
export type Blobs = Readonly<Record<BlobFolder, Pick<GridBucket | MongoContexts, 'putMany' | 'getMany'>>>;

/** Reads all records for an archive. Each batch is a query of its own, which is repeated while the server is unavailable. */
export class MongoSnapshot implements ArchiveSnapshot {
  readonly #connection: Connection;
  readonly #blobs: Blobs;
  readonly #liveDrop: Filter;

  /** @param now Unix ms: drops that have expired by then are left out */
  constructor(connection: Connection, blobs: Blobs, now: number) {
    this.#connection = connection;
    this.#blobs = blobs;
    this.#liveDrop = { deleted_at: null, $nor: [expiredBy(now)] };
  }

  read<K extends StoredKind>(kind: StoredKind): AsyncIterable<readonly ArchiveRecord<K>[]> {
    const records = kind === 'drops' ? this.#readDrops() : this.#readTable(kind);
    return records as AsyncIterable<readonly ArchiveRecord<K>[]>; // proof: of that kind
  }

  readDropAgain(id: string): Promise<ArchivedDrop | null> {
    return retryWhileUnavailable(this.#connection, async () => {
      const filter: mongo.Filter<Identified> = { ...this.#liveDrop, _id: id };
      const drops = this.#connection.collection<Identified>('drops');
      const [drop] = await this.#toDrops(await drops.find<DropDocument>(filter).toArray());
      return drop ?? null;
    });
  }

  async readBlobs(folder: BlobFolder, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    if (ids.length === 0) return new Map();
    return retryWhileUnavailable(this.#connection, () => this.#blobs[folder].getMany(ids));
  }

  async close(): Promise<void> {
    // Nothing is held between two reads.
  }

  #readDrops(): AsyncIterable<ArchivedDrop[]> {
    const toDrops = (found: readonly DropDocument[]) => this.#toDrops(found);
    return this.#readAll('drops', dropsPerBatch, this.#liveDrop, toDrops);
  }

  #readTable(kind: TableKind): AsyncIterable<ArchiveRecord[]> {
    const { record, toArchived } = archiveTables[kind];
    const { toRecord } = collectionOf(record);
    type Document = Parameters<typeof toRecord>[0];
    return this.#readAll(record.name, recordsPerBatch(kind), {}, async (found: readonly Document[]) =>
      found.map((document) => toArchived(toRecord(document))).filter((archived) => archived !== null),
    );
  }

  /** All that match, ascending by id. */
  async *#readAll<D extends Identified, R>(
    name: string,
    limit: number,
    filter: Filter,
    toRecords: (found: readonly D[]) => Promise<R[]>,
  ): AsyncGenerator<R[]> {
    let after: string | undefined = '';
    while (after !== undefined) {
      const range: mongo.Filter<Identified> = { ...filter, _id: { $gt: after } };
      const options = { sort: { _id: 1 }, limit, batchSize: limit + 1, hint: '_id_' } as const;
      const { found, records } = await retryWhileUnavailable(this.#connection, async () => {
        const found = await this.#connection.collection<Identified>(name).find<D>(range, options).toArray();
        return { found, records: await toRecords(found) };
      });
      if (records.length > 0) yield records;
      after = found.at(-1)?._id;
    }
  }

  /** The days of neighbouring drops are one range of ids. @param found ascending by id */
  async #toDrops(found: readonly DropDocument[]): Promise<ArchivedDrop[]> {
    if (found.length === 0) return [];
    const days = new Map(found.map(({ _id }) => [_id, [] as [string, number][]]));
    const range = { $gte: `${found[0]?._id}/`, $lt: `${found.at(-1)?._id}0` }; // `0` is the character after `/`
    const views = this.#connection.collection<DayViewsDocument>('day_views').find({ _id: range });
    for (const { _id, count } of await views.sort({ _id: 1 }).batchSize(10_000).toArray()) {
      const [dropId = '', day = ''] = _id.split('/');
      days.get(dropId)?.push([day, count]);
    }
    return found.map((document) =>
      toArchivedDrop(toDrop(document), {
        lock: document.lock === null ? null : { id: document.lock.id, hash: document.lock.hash },
        versions: document.versions.map(toOwnedVersion),
        days: days.get(document._id) ?? [],
      }),
    );
  }
}
