import { isDeepStrictEqual } from 'node:util';
import { type Connection, mongo } from 'mongoose';
import { correctStoredSizes } from '../comments/mongo-sizes.ts';
import { foldStoredTexts } from '../drops/mongo-texts.ts';
import type { Log } from '../log/log.ts';
import type { Mongo } from './connection.ts';
import { knownDataForm, raiseDataForm, refuseNewer } from './data-form.ts';
import { retryConflicts } from './errors.ts';
import { createMongoStores } from './stores.ts';

const namespaceNotFound = 26;
const namespaceExists = 48;

interface CollectionPlan {
  readonly name: string;
  /** Beside the index of ids. */
  readonly indexes: readonly IndexPlan[];
}

interface IndexPlan {
  readonly name: string;
  readonly key: Readonly<Record<string, number>>;
  readonly unique?: true;
  readonly partialFilterExpression?: mongo.Document;
}

/** Pages that earlier releases rendered. They are rendered again when they are next read. */
const retiredCollections = ['renders', 'loose_files', 'rendered.files', 'rendered.chunks'];

/** Every collection of the stores: each store makes its models on the connection. */
export function collectionsOf(connection: Connection): CollectionPlan[] {
  createMongoStores(connection, { now: Date.now });
  const ofModels = Object.values(connection.models).map(({ collection, schema }) => {
    // proof: each schema names its indexes, with keys of 1 and -1 only
    const indexes = schema.indexes().map(([key, options]) => ({ ...options, key }) as IndexPlan);
    return { name: collection.name, indexes };
  });
  return [...ofModels, ...bucketOf('html')];
}

/** The indexes that the driver would create before the first upload. */
function bucketOf(bucket: string): CollectionPlan[] {
  const files = { name: 'filename_1_uploadDate_1', key: { filename: 1, uploadDate: 1 } };
  const chunks = { name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, unique: true as const };
  return [
    { name: `${bucket}.files`, indexes: [files] },
    { name: `${bucket}.chunks`, indexes: [chunks] },
  ];
}

/**
 * Creates missing collections and indexes, drops retired collections, folds texts, and then raises the form. May run twice at
 * once, and while the service runs. @param mongo opened with `isMigration` @throws Error that says what is wrong
 */
export async function migrate({ connection }: Mongo, log: Log): Promise<void> {
  await refuseNewer(connection);
  let isChanged = false;
  for (const plan of collectionsOf(connection)) {
    const made = await make(connection, plan);
    if (made.length === 0) continue;
    isChanged = true;
    log.info({ collection: plan.name, made }, 'Created in MongoDB');
  }
  for (const name of retiredCollections) {
    if ((await listIndexes(connection, name)) === null) continue;
    await connection.dropCollection(name);
    isChanged = true;
    log.info({ collection: name }, 'Dropped from MongoDB');
  }
  const drops = await foldStoredTexts(connection);
  if (drops > 0) log.info({ drops }, 'Folded titles, descriptions and tags for searches');
  const comments = await correctStoredSizes(connection);
  if (comments > 0) log.info({ comments }, 'Corrected the sizes of comments');
  if (await retryConflicts(() => raiseDataForm(connection))) {
    isChanged = true;
    log.info({ form: knownDataForm }, 'MongoDB has the form of this release');
  }
  if (!isChanged) log.info({}, 'MongoDB has all collections and indexes');
}

/** Names of missing collections, and of indexes that are missing or differ. */
export async function findMissing({ connection }: Mongo): Promise<string[]> {
  const missing = await Promise.all(
    collectionsOf(connection).map(async ({ name, indexes }) => {
      const existing = await listIndexes(connection, name);
      if (existing === null) return [name];
      const isThere = (index: IndexPlan) =>
        existing.some((other) => other.name === index.name && isSame(other, index));
      return indexes.filter((index) => !isThere(index)).map(nameOf);
    }),
  );
  return missing.flat();
}

async function make(connection: Connection, { name, indexes }: CollectionPlan): Promise<string[]> {
  const existing = await listIndexes(connection, name);
  if (existing === null) await createCollection(connection, name);
  for (const index of indexes) checkAgainst(existing ?? [], index, name);
  const missing = indexes.filter((index) => !existing?.some((other) => other.name === index.name));
  if (missing.length > 0) await createIndexes(connection, name, missing);
  return [...(existing === null ? [name] : []), ...missing.map(nameOf)];
}

/** null: no such collection. */
async function listIndexes(
  connection: Connection,
  name: string,
): Promise<mongo.IndexDescriptionInfo[] | null> {
  try {
    return await connection.collection(name).listIndexes().toArray();
  } catch (error) {
    if (isCode(error, namespaceNotFound)) return null;
    throw error;
  }
}

async function createCollection(connection: Connection, name: string): Promise<void> {
  try {
    await retryConflicts(() => connection.createCollection(name));
  } catch (error) {
    if (!isCode(error, namespaceExists)) throw error; // another migration was first
  }
}

async function createIndexes(
  connection: Connection,
  name: string,
  indexes: readonly IndexPlan[],
): Promise<void> {
  const specs = indexes.map((index) => ({ ...index }));
  try {
    await retryConflicts(() => connection.collection(name).createIndexes(specs));
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError)) throw error;
    const names = indexes.map(nameOf).join(', ');
    throw new Error(`MongoDB cannot create the indexes of "${name}" (${names}): ${error.message}`, {
      cause: error,
    });
  }
}

/** @throws Error if an index of the same name differs; the server refuses another name for the same keys */
function checkAgainst(
  existing: readonly mongo.IndexDescriptionInfo[],
  index: IndexPlan,
  collection: string,
): void {
  const same = existing.find((other) => other.name === index.name);
  if (same === undefined || isSame(same, index)) return;
  throw new Error(
    `The index ${index.name} of "${collection}" has other keys or options: drop it, and run "bin/dropleaf.js migrate" again`,
  );
}

function isSame(existing: mongo.IndexDescriptionInfo, plan: IndexPlan): boolean {
  return isDeepStrictEqual(partsOf(existing), partsOf(plan));
}

/** Its keys in their order and its options, also options that our plans do not use. */
function partsOf(index: IndexPlan | mongo.IndexDescriptionInfo): unknown[] {
  const { key, unique, partialFilterExpression, sparse, collation, expireAfterSeconds } =
    index as Partial<mongo.IndexDescriptionInfo>; // proof: a plan has some of the same fields
  const options = [unique ?? false, sparse ?? false, partialFilterExpression, collation, expireAfterSeconds];
  return [Object.entries(key ?? {}), ...options];
}

function nameOf({ name }: IndexPlan): string {
  return name;
}

function isCode(error: unknown, code: number): boolean {
  return error instanceof mongo.MongoServerError && error.code === code;
}
