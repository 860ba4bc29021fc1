import { type Collection, type Connection, mongo, Schema } from 'mongoose';
import { contextCollection } from '../blobs/mongo.ts';
import type { Clock } from '../domain/clock.ts';
import { type DropDocument, liveDropDocument } from '../drops/mongo-schema.ts';
import { versionDocument } from '../drops/mongo-version.ts';
import { collectionOf } from '../mongo/collection.ts';
import { answerMs, backgroundMs, retryWhileUnavailable } from '../mongo/connection.ts';
import { isDuplicateOf, withTimeLimit } from '../mongo/errors.ts';
import { openGridBucket } from '../mongo/grid-bucket.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import {
  type ArchivedBlob,
  type ArchivedDrop,
  type ArchivedSecret,
  type ArchiveKind,
  type ArchiveRecord,
  archiveId,
} from './archive.ts';
import type { ArchiveSnapshot, ArchiveStore } from './archive-store.ts';
import { archiveTables, tableKinds } from './archive-tables.ts';
import { createMongoSnapshot, type Identified } from './mongo-snapshot.ts';

/** A drop may have 200 versions: with more drops, one insert could exceed the timeout of a command. */
const recordsPerCall = 100;
const daysPerCall = 1_000;
const duplicateKey = 11_000;

/** The field that has the owner of a place, and the index on both. */
const placesBy = { drops: ['owner', 'drops_place'], reports: ['drop_id', 'reports_place'] } as const;

type StoredKind = Exclude<ArchiveKind, 'secrets'>;

/** The mark of an unfinished import. At most one. */
interface ImportDocument {
  readonly _id: 'unfinished';
  readonly archive_id: string;
  readonly begun_at: number;
}

const importSchema = new Schema<ImportDocument>(
  { _id: String, archive_id: String, begun_at: Number },
  { collection: 'imports', versionKey: false, autoIndex: false, autoCreate: false },
);

export function importModel(connection: Connection) {
  return connection.model('Import', importSchema);
}

export function createMongoArchiveStore(
  connection: Connection,
  { secrets }: { readonly secrets: SecretStore },
  clock: Clock,
): ArchiveStore {
  const imports = importModel(connection);
  const blobs = { html: openGridBucket(connection, 'html'), contexts: openContexts(connection) };

  const marks = withTimeLimit<Pick<ArchiveStore, 'findUnfinishedImport' | 'beginImport' | 'endImport'>>(
    answerMs(connection),
    {
      async findUnfinishedImport() {
        const found = await imports.findById('unfinished').lean();
        return found === null ? null : { archiveId: found.archive_id, begunAt: found.begun_at };
      },

      async beginImport({ archiveId, begunAt }) {
        try {
          await imports.insertOne({ _id: 'unfinished', archive_id: archiveId, begun_at: begunAt });
        } catch (error) {
          if (!isDuplicateOf(error, '_id_')) throw error;
        }
      },

      async endImport() {
        await imports.deleteMany({ _id: 'unfinished' });
      },
    },
  );

  return {
    ...marks,
    ...withTimeLimit<Pick<ArchiveStore, 'countRecords'>>(backgroundMs, {
      async countRecords() {
        const kinds = [...tableKinds, 'drops'] as const;
        const counts = await Promise.all(
          kinds.map(async (kind) => [kind, await collectionFor(connection, kind).countDocuments()] as const),
        );
        return Object.fromEntries(counts.filter(([, records]) => records > 0));
      },
    }),

    async openSnapshot() {
      const readBlobs: ArchiveSnapshot['readBlobs'] = async (folder, ids) =>
        ids.length === 0 ? new Map() : retryWhileUnavailable(() => blobs[folder].getMany(ids));
      return createMongoSnapshot(connection, { secrets, readBlobs }, clock.now());
    },

    async write(kind, records) {
      if (kind === 'secrets') {
        for (const { name, value } of records as readonly ArchivedSecret[]) // proof: of that kind
          await retryWhileUnavailable(() => secrets.replace(name, value));
        return;
      }
      for (let from = 0; from < records.length; from += recordsPerCall)
        await retryWhileUnavailable(() =>
          insertMissing(connection, kind, records.slice(from, from + recordsPerCall)),
        );
    },

    async writeBlobs(folder, all) {
      await retryWhileUnavailable(async () => {
        const records = connection.collection<Identified>(folder === 'html' ? 'html.files' : 'contexts');
        const known = await findIds(
          records,
          all.map(({ id }) => id),
        );
        const missing = all.filter(({ id }) => !known.has(id));
        if (missing.length > 0) await blobs[folder].putMany(missing);
      });
    },
  };
}

/** Contexts, with the methods of a bucket. */
function openContexts(connection: Connection) {
  const contexts = contextCollection.in(connection);
  return {
    async putMany(blobs: readonly ArchivedBlob[]): Promise<void> {
      try {
        await contexts.insertMany(blobs.map(contextCollection.toDocument), { ordered: false });
      } catch (error) {
        if (!isDuplicateOf(error, '_id_')) throw error; // an id always has the same bytes
      }
    },

    async getMany(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
      const found = await contexts.find({ _id: { $in: ids } }).lean();
      return new Map(found.map(contextCollection.toRecord).map(({ id, bytes }) => [id, bytes]));
    },
  };
}

/** Which of the ids are there. */
async function findIds(collection: Collection<Identified>, ids: readonly string[]): Promise<Set<string>> {
  const filter: mongo.Filter<Identified> = { _id: { $in: ids } };
  const options = { projection: { _id: 1 }, batchSize: ids.length + 1 };
  const found = await collection.find<Identified>(filter, options).toArray();
  return new Set(found.map(({ _id }) => _id));
}

function collectionFor(connection: Connection, kind: StoredKind): Collection<Identified> {
  return connection.collection<Identified>(kind === 'drops' ? 'drops' : archiveTables[kind].record.name);
}

/** Stores the records that are not there. */
async function insertMissing(
  connection: Connection,
  kind: StoredKind,
  records: readonly ArchiveRecord[],
): Promise<void> {
  const collection = collectionFor(connection, kind);
  const known = await findIds(collection, records.map(archiveId));
  const missing = records.filter((record) => !known.has(archiveId(record)));
  if (missing.length === 0) return;
  // Days first, because a drop that is there is not written again.
  if (kind === 'drops') await insertDays(connection, missing as readonly ArchivedDrop[]); // proof: of that kind
  const documents = missing.map(documentsOf(kind));
  await insert(kind, collection, await givePlaces(collection, kind, documents));
}

/** Documents have `place: 0` if they need a place: drops and open reports do. */
function documentsOf(kind: StoredKind): (record: ArchiveRecord) => Identified & { readonly place?: number } {
  if (kind === 'drops') return (drop) => toDropDocument(drop as ArchivedDrop); // proof: of that kind
  const { record: fields, toStored } = archiveTables[kind];
  const { toDocument } = collectionOf(fields);
  return (record) => {
    const document = toDocument(toStored(record));
    return 'closedAt' in record && record.closedAt === null ? { ...document, place: 0 } : document;
  };
}

function toDropDocument(drop: ArchivedDrop): DropDocument {
  const versions = drop.versions.map((version) => ({ ...versionDocument(version), number: version.number }));
  const document = liveDropDocument({ ...drop, metadata: new Map(drop.metadata) }, versions, 0, []);
  const { takedown } = drop;
  if (takedown === null) return document;
  return { ...document, taken_down_at: takedown.at, takedown_reason: takedown.reason };
}

async function insertDays(connection: Connection, drops: readonly ArchivedDrop[]): Promise<void> {
  const documents = drops.flatMap(({ id, days }) =>
    days.map(([day, count]) => ({ _id: `${id}/${day}`, count, views_batch: 0 })),
  );
  for (let from = 0; from < documents.length; from += daysPerCall)
    await insert('drops', connection.collection('day_views'), documents.slice(from, from + daysPerCall));
}

/** Calls the driver directly: Mongoose would cast every field without need. @throws Error that names a refused document */
async function insert(
  kind: ArchiveKind,
  collection: Collection<Identified>,
  documents: readonly Identified[],
): Promise<void> {
  try {
    await collection.insertMany([...documents], { ordered: false });
  } catch (error) {
    const refused = refusalsOf(error).map(({ index, errmsg }) => ({
      id: documents[index]?._id ?? '',
      errmsg,
    }));
    if (refused.length === 0) throw error;
    // An insert whose answer was lost may have stored it. A server may name any of the indexes that refuse a document.
    const known = await findIds(
      collection,
      refused.map(({ id }) => id),
    );
    const conflict = refused.find(({ id }) => !known.has(id));
    if (conflict === undefined) return;
    throw new Error(`${kind} ${conflict.id} cannot be stored: ${conflict.errmsg}`, { cause: error });
  }
}

/** The documents that unique indexes have refused; none if anything else went wrong. */
function refusalsOf(error: unknown): mongo.WriteError[] {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined)
    return [];
  const refused = [error.writeErrors].flat();
  return refused.every(({ code }) => code === duplicateKey) ? refused : [];
}

/** Gives the documents with a `place` the next ones of their owners. These are free, because no other write takes any. */
async function givePlaces(
  collection: Collection<Identified>,
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
