import type { Connection, mongo } from 'mongoose';
import { MongoContexts } from '../blobs/mongo.ts';
import type { Clock } from '../domain/clock.ts';
import { record, text, time } from '../domain/record.ts';
import { accessWith } from '../drops/access.ts';
import { type DropDocument, liveDropDocument } from '../drops/mongo-schema.ts';
import { collectionOf } from '../mongo/collection.ts';
import { isDuplicateOf, retryWhileUnavailable } from '../mongo/errors.ts';
import { GridBucket } from '../mongo/grid-bucket.ts';
import { messageOf } from '../util/error-texts.ts';
import type { DayViewsDocument } from '../views/mongo.ts';
import { type ArchivedDrop, type ArchiveRecord, archiveId, archiveTables, tableKinds } from './archive.ts';
import type {
  ArchivedBlob,
  ArchiveSnapshot,
  ArchiveStore,
  BlobFolder,
  StoredKind,
  UnfinishedImport,
} from './archive-store.ts';
import { type Blobs, type Identified, MongoSnapshot } from './mongo-snapshot.ts';

const recordsPerCall = 100;
const daysPerCall = 1_000;

/** The field that has the owner of a place, and the index on both. */
const placesBy = { drops: ['owner', 'drops_place'], reports: ['drop_id', 'reports_place'] } as const;

/** The mark of an unfinished import, `unfinished`: at most one. */
export const importCollection = collectionOf(
  record('imports', { id: text(), archiveId: text(), begunAt: time() }),
);

/**
 * Records and blobs wait for the server themselves; `mongo/stores.ts` sets the time limits of the other calls.
 * Writes are for imports only: no other write takes places.
 */
export class MongoArchives implements ArchiveStore {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #imports;
  readonly #blobs: Blobs;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#imports = importCollection.in(connection);
    this.#blobs = { html: new GridBucket(connection, 'html'), contexts: new MongoContexts(connection) };
  }

  async openSnapshot(): Promise<ArchiveSnapshot> {
    return new MongoSnapshot(this.#connection, this.#blobs, this.#clock.now());
  }

  async countRecords(): Promise<Partial<Record<StoredKind, number>>> {
    const kinds = [...tableKinds, 'drops'] as const;
    const count = (kind: StoredKind) => collectionFor(this.#connection, kind).countDocuments();
    const counts = await Promise.all(kinds.map(async (kind) => [kind, await count(kind)] as const));
    return Object.fromEntries(counts.filter(([, records]) => records > 0));
  }

  async findUnfinishedImport(): Promise<UnfinishedImport | null> {
    const found = await this.#imports.find({ _id: 'unfinished' });
    return found === null ? null : { archiveId: found.archiveId, begunAt: found.begunAt };
  }

  async beginImport({ archiveId, begunAt }: UnfinishedImport): Promise<void> {
    await this.#imports.insertUnlessTaken({ id: 'unfinished', archiveId, begunAt }, '_id_');
  }

  async endImport(): Promise<void> {
    await this.#imports.remove({ _id: 'unfinished' });
  }

  async write<K extends StoredKind>(kind: K, records: readonly ArchiveRecord<K>[]): Promise<void> {
    for (let from = 0; from < records.length; from += recordsPerCall)
      await retryWhileUnavailable(this.#connection, () =>
        insertMissing(this.#connection, kind, records.slice(from, from + recordsPerCall)),
      );
  }

  writeBlobs(folder: BlobFolder, all: readonly ArchivedBlob[]): Promise<void> {
    return retryWhileUnavailable(this.#connection, async () => {
      const name = folder === 'html' ? 'html.files' : 'contexts';
      const missing = await findMissing(this.#connection.collection<Identified>(name), all, ({ id }) => id);
      if (missing.length > 0) await this.#blobs[folder].putMany(missing);
    });
  }
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
  const access = accessWith(lock, drop.access);
  const stored = { ...drop, access, metadata, locked: lock !== null, latestVersion };
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
