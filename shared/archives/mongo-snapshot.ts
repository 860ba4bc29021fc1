import type { Connection, mongo } from 'mongoose';
import { type DropDocument, type Filter, hasExpired, toDrop } from '../drops/mongo-schema.ts';
import { toOwnedVersion } from '../drops/mongo-version.ts';
import { collectionOf } from '../mongo/collection.ts';
import { retryWhileUnavailable } from '../mongo/connection.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { DayViewsDocument } from '../views/mongo.ts';
import {
  type ArchivedDrop,
  type ArchivedSecret,
  type ArchiveKind,
  type ArchiveRecord,
  secretNames,
  toArchivedDrop,
} from './archive.ts';
import type { ArchiveSnapshot } from './archive-store.ts';
import { archiveTables, type TableKind } from './archive-tables.ts';

const recordsPerBatch = 1_000;
/** With up to 200 versions each. */
const dropsPerBatch = 100;

export interface Identified {
  readonly _id: string;
}

/** @param now Unix ms: drops that have expired by then are left out */
export function createMongoSnapshot(
  connection: Connection,
  { secrets, readBlobs }: Pick<ArchiveSnapshot, 'readBlobs'> & { readonly secrets: SecretStore },
  now: number,
): ArchiveSnapshot {
  /** All that match, ascending by id. Each batch is a query of its own, so that it can be repeated. */
  async function* readAll<D extends Identified, R>(
    name: string,
    limit: number,
    filter: Filter,
    toRecords: (found: readonly D[]) => Promise<R[]>,
  ): AsyncGenerator<R[]> {
    let after: string | undefined = '';
    while (after !== undefined) {
      const range: mongo.Filter<Identified> = { ...filter, _id: { $gt: after } };
      const options = { sort: { _id: 1 }, limit, batchSize: limit + 1, hint: '_id_' } as const;
      const { found, records } = await retryWhileUnavailable(async () => {
        const found = await connection.collection<Identified>(name).find<D>(range, options).toArray();
        return { found, records: await toRecords(found) };
      });
      if (records.length > 0) yield records;
      after = found.at(-1)?._id;
    }
  }

  function readTable(kind: TableKind): AsyncIterable<ArchiveRecord[]> {
    const { record, toArchived } = archiveTables[kind];
    const { toRecord } = collectionOf(record);
    return readAll(
      record.name,
      recordsPerBatch,
      {},
      async (found: readonly Parameters<typeof toRecord>[0][]) =>
        found.map((document) => toArchived(toRecord(document))).filter((archived) => archived !== null),
    );
  }

  const liveDrop = { deleted_at: null, $nor: [hasExpired(now)] };

  /** The days of neighbouring drops are one range of ids. @param found ascending by id */
  async function toDrops(found: readonly DropDocument[]): Promise<ArchivedDrop[]> {
    const [first, last] = [found[0], found.at(-1)];
    if (first === undefined || last === undefined) return [];
    const days = new Map(found.map(({ _id }) => [_id, [] as [string, number][]]));
    const range = { $gte: `${first._id}/`, $lt: `${last._id}0` }; // `0` is the character after `/`
    const views = connection.collection<DayViewsDocument>('day_views').find({ _id: range });
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

  function read(kind: ArchiveKind): AsyncIterable<readonly ArchiveRecord[]> {
    if (kind === 'secrets') return readSecrets(secrets);
    return kind === 'drops' ? readAll('drops', dropsPerBatch, liveDrop, toDrops) : readTable(kind);
  }

  return {
    read: <K extends ArchiveKind>(kind: K) => read(kind) as AsyncIterable<ArchiveRecord<K>[]>, // proof: of that kind

    readDropAgain: (id) =>
      retryWhileUnavailable(async () => {
        const filter: mongo.Filter<Identified> = { ...liveDrop, _id: id };
        const found = await connection.collection<Identified>('drops').find<DropDocument>(filter).toArray();
        return (await toDrops(found))[0] ?? null;
      }),

    readBlobs,

    close: async () => undefined,
  };
}

async function* readSecrets(secrets: SecretStore): AsyncGenerator<readonly ArchivedSecret[]> {
  for (const name of secretNames) {
    const value = await retryWhileUnavailable(() => secrets.find(name));
    if (value !== null) yield [{ name, value }];
  }
}
