import type { Connection, mongo } from 'mongoose';
import { columnOf } from '../domain/record.ts';
import { type DetailChanges, detailRecord, type PendingTask } from './drop.ts';
import {
  type DropDocument,
  type DropRow,
  dropFields,
  type dropModel,
  type Filter,
  toPairs,
} from './mongo-schema.ts';
import { foldText } from './search.ts';

/** Updates of drops as aggregation pipelines, in which one update can use the values that it replaces. */
export type Update = Readonly<Record<string, unknown>>[];

type Drops = ReturnType<typeof dropModel>;

/** The drop after the update; null: none matched. */
export function change(drops: Drops, filter: Filter, update: Update): Promise<DropRow | null> {
  const options = { projection: dropFields, returnDocument: 'after', updatePipeline: true } as const;
  return drops.findOneAndUpdate(filter, update, options).lean<DropRow>().exec();
}

/** @param set fields with expressions: text of users must be a `literal` */
export function visibleChange(set: object, now: number, tasks: readonly PendingTask[]): Update {
  const changed = {
    changed_at: now,
    rev: { $add: ['$rev', 1] },
    due: { $setUnion: ['$due', literal(tasks)] },
    ...(tasks.length > 0 && { chores: true }),
  };
  return [{ $set: { ...set, ...changed } }];
}

/** Marks the drop as deleted and frees its place. */
export function removal(now: number): Update {
  const set = { deleted_at: now, chores: true, pairs: [] };
  return [...visibleChange(set, now, []), { $unset: ['place', 'expires_at'] }];
}

/** See PendingTaskStore. @param ownerId only drops of this owner; null: of all */
export async function removeExpired(
  drops: Drops,
  ownerId: string | null,
  now: number,
  limit: number,
): Promise<string[]> {
  const expired = { expires_at: { $lte: now }, deleted_at: null };
  const found = await drops
    .find({ ...expired, ...(ownerId !== null && { owner: ownerId }) }, { _id: 1 })
    .setOptions({ sort: { expires_at: 1 }, limit, batchSize: limit, hint: 'drops_expiring' })
    .lean<{ readonly _id: string }[]>();
  const ids = found.map(({ _id }) => _id);
  if (ids.length === 0) return ids;
  await drops.updateMany({ _id: { $in: ids }, ...expired }, removal(now), { updatePipeline: true });
  return ids;
}

/** Follows each change of the list of versions. */
export const headOfVersions = {
  $set: {
    head: { $last: '$versions' },
    latest_version: { $last: '$versions.number' },
    version_count: { $size: '$versions' },
  },
};

export function details({ metadata, ...changes }: DetailChanges): object {
  const { title, description } = changes;
  const given = new Map<string, unknown>(Object.entries(changes));
  const set = Object.entries(detailRecord.fields)
    .filter(([name]) => given.has(name))
    .map(([name, { isLeftOut }]) => {
      const value = given.get(name);
      return [columnOf(name), isLeftOut && value === null ? '$$REMOVE' : literal(value)];
    });
  return {
    ...Object.fromEntries(set),
    ...(title !== undefined && { folded_title: literal(foldText(title)) }),
    ...(description !== undefined && { folded_description: literal(foldText(description)) }),
    ...(metadata !== undefined && { pairs: literal(toPairs(metadata)) }),
  };
}

/** In a pipeline, text that begins with `$` would name a field. */
export function literal(value: unknown) {
  return { $literal: value };
}

export function literals(values: object): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, literal(value)]));
}

const updatesAtOnce = 100;

type Texts = Pick<DropDocument, '_id' | 'title' | 'description' | 'folded_title' | 'folded_description'>;

/** Folds the texts of drops that an earlier release has stored, also beside this one. @returns of how many drops */
export async function foldStoredTexts(connection: Connection): Promise<number> {
  const drops = connection.collection<Texts>('drops');
  const projection = { title: 1, description: 1, folded_title: 1, folded_description: 1 };
  let folded = 0;
  let updates: mongo.AnyBulkWriteOperation<Texts>[] = [];

  async function update(): Promise<void> {
    if (updates.length > 0) folded += (await drops.bulkWrite(updates, { ordered: false })).modifiedCount;
    updates = [];
  }

  for await (const { _id, title, description, ...stored } of drops.find({}, { projection })) {
    const texts = { folded_title: foldText(title), folded_description: foldText(description) };
    const isCurrent =
      stored.folded_title === texts.folded_title && stored.folded_description === texts.folded_description;
    if (isCurrent) continue;
    // Not if it was changed meanwhile: this release folds what it changes.
    updates.push({ updateOne: { filter: { _id, title, description }, update: { $set: texts } } });
    if (updates.length === updatesAtOnce) await update();
  }
  await update();
  return folded;
}
