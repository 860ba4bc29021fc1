import { columnOf } from '../domain/record.ts';
import { type Access, accessLock, type Lock } from './access.ts';
import { type DetailChanges, detailRecord, type PendingTask } from './drop.ts';
import {
  type DropRow,
  type dropModel,
  dropProjection,
  type Filter,
  foldedFields,
  toPairs,
} from './mongo-schema.ts';

/** Updates of drops as aggregation pipelines, in which one update can use the values that it replaces. */
export type Update = Readonly<Record<string, unknown>>[];

type Drops = ReturnType<typeof dropModel>;

/** The drop after the update; null: none matched. */
export function change(drops: Drops, filter: Filter, update: Update): Promise<DropRow | null> {
  const options = { projection: dropProjection, returnDocument: 'after', updatePipeline: true } as const;
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
  return [...visibleChange(set, now, []), { $unset: ['place', 'expires_at', 'people'] }];
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

export function details(given: DetailChanges): object {
  const { metadata, ...changes } = given;
  const values = new Map<string, unknown>(Object.entries(changes));
  const set = Object.entries(detailRecord.fields)
    .filter(([name]) => values.has(name))
    .map(([name, { isLeftOut }]) => {
      const value = values.get(name);
      return [columnOf(name), isLeftOut && value === null ? '$$REMOVE' : literal(value)];
    });
  return {
    ...Object.fromEntries(set),
    ...literals(foldedFields(given)),
    ...(metadata !== undefined && { pairs: literal(toPairs(metadata)) }),
    ...(changes.access !== undefined && { lock: lockFollowing(changes.access) }),
  };
}

/** The lock after a change of the access (`storedLock`). */
function lockFollowing(access: Access): object {
  if (access !== 'link') return { $ifNull: ['$lock', literal(accessLock)] };
  return { $cond: [{ $eq: ['$lock.id', accessLock.id] }, null, '$lock'] };
}

/** @param lock null: no passcode */
export function lockWithAccess(lock: Lock | null): object {
  if (lock !== null) return literal(lock);
  return { $cond: [{ $in: ['$access', ['members', 'named']] }, literal(accessLock), null] };
}

/** In a pipeline, text that begins with `$` would name a field. */
export function literal(value: unknown) {
  return { $literal: value };
}

export function literals(values: object): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, literal(value)]));
}
