import type { Connection, mongo } from 'mongoose';
import { contextCollection } from '../blobs/mongo.ts';
import type { Clock } from '../domain/clock.ts';
import { record, text, time } from '../domain/record.ts';
import {
  type DropDocument,
  expiredBy,
  type Filter,
  liveDropDocument,
  toDrop,
  toOwnedVersion,
} from '../drops/mongo-schema.ts';
import { collectionOf } from '../mongo/collection.ts';
import { inBackground, isDuplicateOf, retryWhileUnavailable } from '../mongo/errors.ts';
import { openGridBucket } from '../mongo/grid-bucket.ts';
import { messageOf } from '../util/error-texts.ts';
import type { DayViewsDocument } from '../views/mongo.ts';
import {
  type ArchivedDrop,
  type ArchiveRecord,
  archiveId,
  archiveTables,
  recordsPerBatch,
  type TableKind,
  tableKinds,
  toArchivedDrop,
} from './archive.ts';
import type { ArchiveSnapshot, ArchiveStore, BlobFolder, StoredKind } from './archive-store.ts';

/** A drop may have 200 versions: with more drops, one command could exceed its timeout. */
const dropsPerBatch = 100;
const recordsPerCall = 100;
const daysPerCall = 1_000;

/** The field that has the owner of a place, and the index on both. */
const placesBy = { drops: ['owner', 'drops_place'], reports: ['drop_id', 'reports_place'] } as const;

interface Identified {
  readonly _id: string;
}

/** The mark of an unfinished import, `unfinished`: at most one. */
export const importCollection = collectionOf(
  record('imports', { id: text(), archiveId: text(), begunAt: time() }),
);

export function createMongoArchiveStore(connection: Connection, clock: Clock): ArchiveStore {
  const imports = importCollection.in(connection);
  const blobs = openBlobs(connection);

  type Marks = Pick<ArchiveStore, 'findUnfinishedImport' | 'beginImport' | 'endImport' | 'countRecords'>;
  const marks = inBackground<Marks>(connection, {
    async findUnfinishedImport() {
      const found = await imports.find({ _id: 'unfinished' });
      return found === null ? null : { archiveId: found.archiveId, begunAt: found.begunAt };
    },

    async beginImport({ archiveId, begunAt }) {
      await imports.insertUnlessTaken({ id: 'unfinished', archiveId, begunAt }, '_id_');
    },

    async endImport() {
      await imports.remove({ _id: 'unfinished' });
    },

    async countRecords() {
      const kinds = [...tableKinds, 'drops'] as const;
      const count = (kind: StoredKind) => collectionFor(connection, kind).countDocuments();
      const counts = await Promise.all(kinds.map(async (kind) => [kind, await count(kind)] as const));
      return Object.fromEntries(counts.filter(([, records]) => records > 0));
    },
  });

  return {
    ...marks,

    async openSnapshot() {
      return {
        ...readRecords(connection, clock.now()),
        readBlobs: async (folder, ids) =>
          ids.length === 0 ? new Map() : retryWhileUnavailable(connection, () => blobs[folder].getMany(ids)),
        close: async () => undefined,
      };
    },

    async write(kind, records) {
      for (let from = 0; from < records.length; from += recordsPerCall)
        await retryWhileUnavailable(connection, () =>
          insertMissing(connection, kind, records.slice(from, from + recordsPerCall)),
        );
    },

    writeBlobs: (folder, all) =>
      retryWhileUnavailable(connection, async () => {
        const collection = connection.collection<Identified>(folder === 'html' ? 'html.files' : 'contexts');
        const missing = await findMissing(collection, all, ({ id }) => id);
        if (missing.length > 0) await blobs[folder].putMany(missing);
      }),
  };
}

type Blobs = Pick<ReturnType<typeof openGridBucket>, 'putMany' | 'getMany'>;

function openBlobs(connection: Connection): Readonly<Record<BlobFolder, Blobs>> {
  const contexts = contextCollection.in(connection).model;
  return {
    html: openGridBucket(connection, 'html'),
    contexts: {
      async putMany(blobs) {
        try {
          await contexts.insertMany(blobs.map(contextCollection.toDocument), { ordered: false });
        } catch (error) {
          if (!isDuplicateOf(error, '_id_')) throw error; // an id always has the same bytes
        }
      },

      async getMany(ids) {
        const found = await contexts.find({ _id: { $in: ids } }).lean();
        return new Map(found.map(contextCollection.toRecord).map(({ id, bytes }) => [id, bytes]));
      },
    },
  };
}

/** @param now Unix ms: drops that have expired by then are left out */
function readRecords(connection: Connection, now: number): Pick<ArchiveSnapshot, 'read' | 'readDropAgain'> {
  const liveDrop = { deleted_at: null, $nor: [expiredBy(now)] };

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
      const { found, records } = await retryWhileUnavailable(connection, async () => {
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
    type Document = Parameters<typeof toRecord>[0];
    return readAll(record.name, recordsPerBatch(kind), {}, async (found: readonly Document[]) =>
      found.map((document) => toArchived(toRecord(document))).filter((archived) => archived !== null),
    );
  }

  /** The days of neighbouring drops are one range of ids. @param found ascending by id */
  async function toDrops(found: readonly DropDocument[]): Promise<ArchivedDrop[]> {
    if (found.length === 0) return [];
    const days = new Map(found.map(({ _id }) => [_id, [] as [string, number][]]));
    const range = { $gte: `${found[0]?._id}/`, $lt: `${found.at(-1)?._id}0` }; // `0` is the character after `/`
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

  return {
    read<K extends StoredKind>(kind: StoredKind) {
      const records = kind === 'drops' ? readAll(kind, dropsPerBatch, liveDrop, toDrops) : readTable(kind);
      return records as AsyncIterable<readonly ArchiveRecord<K>[]>; // proof: of that kind
    },

    readDropAgain: (id) =>
      retryWhileUnavailable(connection, async () => {
        const filter: mongo.Filter<Identified> = { ...liveDrop, _id: id };
        const found = await connection.collection<Identified>('drops').find<DropDocument>(filter).toArray();
        return (await toDrops(found))[0] ?? null;
      }),
  };
}

function collectionFor(connection: Connection, kind: StoredKind) {
  return connection.collection<Identified>(kind === 'drops' ? kind : archiveTables[kind].record.name);
}

/** Those whose ids are not in the collection. */
async function findMissing<T>(
  collection: ReturnType<typeof collectionFor>,
  all: readonly T[],
  idOf: (each: T) => string,
): Promise<T[]> {
  const filter: mongo.Filter<Identified> = { _id: { $in: all.map(idOf) } };
  const options = { projection: { _id: 1 }, batchSize: all.length + 1 };
  const found = await collection.find<Identified>(filter, options).toArray();
  const known = new Set(found.map(({ _id }) => _id));
  return all.filter((each) => !known.has(idOf(each)));
}

/** Stores the records that are not there. */
async function insertMissing(
  connection: Connection,
  kind: StoredKind,
  records: readonly ArchiveRecord[],
): Promise<void> {
  const collection = collectionFor(connection, kind);
  const missing = await findMissing(collection, records, (record) => archiveId(kind, record));
  if (missing.length === 0) return;
  // Days first, because a drop that is there is not written again.
  const days = missing.flatMap((record) => ('days' in record ? daysOf(record) : []));
  for (let from = 0; from < days.length; from += daysPerCall)
    await insert(kind, connection.collection('day_views'), days.slice(from, from + daysPerCall));
  await insert(kind, collection, await givePlaces(collection, kind, missing.map(documentsOf(kind))));
}

/** Documents have `place: 0` if they need a place: drops and open reports do. */
function documentsOf(kind: StoredKind): (record: ArchiveRecord) => Identified {
  if (kind === 'drops') return (drop) => toDropDocument(drop as ArchivedDrop); // proof: of that kind
  const { record: fields, toStored } = archiveTables[kind];
  const { toDocument } = collectionOf(fields);
  return (record) => {
    const document = toDocument(toStored(record));
    return 'closedAt' in record && record.closedAt === null ? { ...document, place: 0 } : document;
  };
}

function toDropDocument(drop: ArchivedDrop): DropDocument {
  const { lock, versions } = drop;
  const metadata = new Map(drop.metadata);
  const latestVersion = versions.at(-1)?.number ?? 0;
  const stored = { ...drop, metadata, locked: lock !== null, latestVersion };
  return liveDropDocument(stored, { lock, versions, place: 0, tasks: [] });
}

function daysOf({ id, days }: ArchivedDrop): (DayViewsDocument & Identified)[] {
  return days.map(([day, count]) => ({ _id: `${id}/${day}`, count, views_batch: 0 }));
}

/** Calls the driver directly: Mongoose would cast every field without need. @throws Error that names a refused document */
async function insert(
  kind: StoredKind,
  collection: ReturnType<typeof collectionFor>,
  documents: readonly Identified[],
): Promise<void> {
  try {
    await collection.insertMany([...documents], { ordered: false });
  } catch (error) {
    if (!isDuplicateOf(error)) throw error;
    // An insert whose answer was lost has stored them. A server may name any of the indexes that refuse a document.
    const [refused] = await findMissing(collection, documents, ({ _id }) => _id);
    if (refused === undefined) return;
    throw new Error(`${kind} ${refused._id} cannot be stored: ${messageOf(error)}`, { cause: error });
  }
}

/** Gives the documents with a `place` the next ones of their owners. These are free, because no other write takes any. */
async function givePlaces(
  collection: ReturnType<typeof collectionFor>,
  kind: StoredKind,
  documents: readonly Identified[],
): Promise<readonly Identified[]> {
  if (kind !== 'drops' && kind !== 'reports') return documents;
  const [field, index] = placesBy[kind];
  const ownerOf = (document: Identified) => String(Reflect.get(document, field));
  const owners = [...new Set(documents.map(ownerOf))];
  const pipeline = [
    { $match: { [field]: { $in: owners }, place: { $gte: 0 } } },
    { $group: { _id: `$${field}`, last: { $max: '$place' } } },
  ];
  type Last = Identified & { readonly last: number };
  const found = await collection.aggregate<Last>(pipeline, { hint: index }).toArray();
  const lastPlaces = new Map(found.map(({ _id, last }) => [_id, last]));
  return documents.map((document) => {
    if (!('place' in document)) return document;
    const owner = ownerOf(document);
    const place = (lastPlaces.get(owner) ?? -1) + 1;
    lastPlaces.set(owner, place);
    return { ...document, place };
  });
}
