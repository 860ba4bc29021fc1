import { type Collection, type Connection, mongo } from 'mongoose';
import { type ArchivedDrop, type ArchiveKind, type ArchiveRecord, archiveId } from '../../domain/archive.ts';
import {
  accountDocument,
  archivedDropDocument,
  archivedReportDocument,
  dayDocuments,
  keyDocument,
} from './archive-documents.ts';
import { auditCollection } from './audit-log.ts';
import { patiently } from './patience.ts';
import { tokenCollection } from './token-store.ts';

/** A drop may have 200 versions: with more drops, one insert could exceed the timeout of a command. */
const recordsPerCall = 100;
const daysPerCall = 1_000;

const duplicateKey = 11_000;

type Inserts = {
  readonly [K in Exclude<ArchiveKind, 'secrets'>]: (records: readonly ArchiveRecord<K>[]) => Promise<void>;
};

type Identified = { readonly _id: string };

/** Each stores the records that are not there. Its documents have the ids of the records (`archiveId`). */
export function createArchiveInserts(connection: Connection): Inserts {
  const collectionOf = (name: string) => connection.collection<Identified>(name);
  const drops = collectionOf('drops');
  const reports = collectionOf('reports');
  const days = collectionOf('day_views');

  async function insertDays(records: readonly ArchivedDrop[]): Promise<void> {
    const documents = records.flatMap(dayDocuments);
    for (let from = 0; from < documents.length; from += daysPerCall)
      await insert('drops', days, documents.slice(from, from + daysPerCall));
  }

  return {
    accounts: inserter('accounts', collectionOf('accounts'), each(accountDocument)),
    tokens: inserter('tokens', collectionOf('tokens'), each(tokenCollection.toDocument)),
    'idempotency-keys': inserter('idempotency-keys', collectionOf('idempotency_keys'), each(keyDocument)),

    drops: inserter('drops', drops, async (records) => {
      await insertDays(records); // first, because a drop that is there is not written again
      const owners = records.map(({ ownerId }) => ownerId);
      const takePlace = await findPlaces(drops, 'owner', owners, 'drops_place');
      return records.map((drop) => archivedDropDocument(drop, takePlace(drop.ownerId)));
    }),

    reports: inserter('reports', reports, async (records) => {
      const dropIds = records.map(({ dropId }) => dropId);
      const takePlace = await findPlaces(reports, 'drop_id', dropIds, 'reports_place');
      return records.map((report) => archivedReportDocument(report, () => takePlace(report.dropId)));
    }),

    'audit-log': inserter('audit-log', collectionOf('audit_log'), each(auditCollection.toDocument)),
  };
}

function each<R, D>(toDocument: (record: R) => D): (records: readonly R[]) => Promise<D[]> {
  return async (records) => records.map(toDocument);
}

function inserter<K extends ArchiveKind>(
  kind: K,
  collection: Collection<Identified>,
  toDocuments: (missing: readonly ArchiveRecord<K>[]) => Promise<Identified[]>,
): (records: readonly ArchiveRecord<K>[]) => Promise<void> {
  return async (records) => {
    for (let from = 0; from < records.length; from += recordsPerCall) {
      const slice = records.slice(from, from + recordsPerCall);
      await patiently(async () => {
        const known = await findKnown(
          collection,
          slice.map((record) => archiveId(kind, record)),
        );
        const missing = slice.filter((record) => !known.has(archiveId(kind, record)));
        if (missing.length > 0) await insert(kind, collection, await toDocuments(missing));
      });
    }
  };
}

async function findKnown(collection: Collection<Identified>, ids: readonly string[]): Promise<Set<string>> {
  const filter: mongo.Filter<Identified> = { _id: { $in: ids } };
  const options = { projection: { _id: 1 }, batchSize: ids.length + 1 };
  const found = await collection.find<Identified>(filter, options).toArray();
  return new Set(found.map(({ _id }) => _id));
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
    const known = await findKnown(
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

interface Last extends Identified {
  readonly last: number;
}

/**
 * Hands out the next places of each owner. They are free, because no other write takes any.
 * @param index on owner and place
 */
async function findPlaces(
  collection: Collection<Identified>,
  ownerField: 'owner' | 'drop_id',
  owners: readonly string[],
  index: string,
): Promise<(owner: string) => number> {
  const pipeline = [
    { $match: { [ownerField]: { $in: [...new Set(owners)] }, place: { $gte: 0 } } },
    { $group: { _id: `$${ownerField}`, last: { $max: '$place' } } },
  ];
  const found = await collection.aggregate<Last>(pipeline, { hint: index }).toArray();
  const next = new Map(found.map(({ _id, last }) => [_id, last + 1]));
  return (owner) => {
    const place = next.get(owner) ?? 0;
    next.set(owner, place + 1);
    return place;
  };
}
