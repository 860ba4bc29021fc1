import { isDeepStrictEqual } from 'node:util';
import { type Connection, mongo } from 'mongoose';
import type { Log } from '../../ports/log.ts';
import { type CollectionPlan, collectionsOf, type IndexPlan } from './collections.ts';
import type { Mongo } from './connection.ts';
import { retryConflicts } from './errors.ts';

const namespaceNotFound = 26;
const namespaceExists = 48;

/**
 * Makes the collections and indexes that are not there yet, and logs which. May be repeated, run twice at once,
 * and beside processes that work; removes nothing.
 * @param mongo opened with `isMigration`: an index of millions of records takes its time
 * @throws Error that says which index is in the way, or cannot be made, and why
 */
export async function migrate({ connection }: Mongo, log: Log): Promise<void> {
  let isChanged = false;
  for (const plan of collectionsOf(connection)) {
    const made = await make(connection, plan);
    if (made.length === 0) continue;
    isChanged = true;
    log.info({ collection: plan.name, made }, 'Made in MongoDB');
  }
  if (!isChanged) log.info({}, 'MongoDB has all collections and indexes');
}

/**
 * Names of collections and of indexes that are not there, or not as they are to be; of a missing collection, only
 * its own.
 */
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
    throw new Error(`MongoDB cannot make the indexes of "${name}" (${names}): ${error.message}`, {
      cause: error,
    });
  }
}

/** @throws Error where one of the same name is there and is another; of the same keys the server itself refuses it */
function checkAgainst(
  existing: readonly mongo.IndexDescriptionInfo[],
  index: IndexPlan,
  collection: string,
): void {
  const same = existing.find((other) => other.name === index.name);
  if (same === undefined || isSame(same, index)) return;
  throw new Error(
    `The index ${index.name} of "${collection}" is there with other keys or options: drop it, and migrate again`,
  );
}

function isSame(existing: mongo.IndexDescriptionInfo, plan: IndexPlan): boolean {
  return isDeepStrictEqual(partsOf(existing), partsOf(plan));
}

/** What makes an index what it is: its keys in their order, and what our plans do not use as well. */
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
