import type { DropQuery } from '../../domain/drop.ts';
import type { PendingPosition } from '../../ports/pending-task-store.ts';
import { dropFields, pageFields, taskFields, writePairs } from './drop-documents.ts';
import { dropIndexes } from './drop-schema.ts';

export type Filter = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

/** One command that reads drops. */
export interface Query {
  readonly filter: Filter;
  readonly fields: Fields;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  readonly limit?: number;
  /** The index to use, where a server has a choice. */
  readonly hint?: string;
}

export type BoundedQuery = Query & { readonly limit: number };

/** Beyond any list of drops, and within what every server can skip. */
const maxSkip = 2 ** 31 - 1;

/**
 * The live drop at the slug. What must not hold of it stands under `$nor`: no server tries an index there, while
 * DocumentDB joins plain conditions on owner and versions, whole ranges of their indexes, to the slug's one entry.
 */
export function atSlug(slug: string, ...noneOf: readonly Filter[]): Filter {
  return { slug, deleted_at: null, ...(noneOf.length > 0 && { $nor: noneOf }) };
}

/** The live drop at the slug where it is taken down. */
export function takenDownAt(slug: string): Filter {
  return atSlug(slug, { taken_down_at: null }); // also where there is no such field
}

/** The owner's live drop at the slug. */
export function ofOwner(ownerId: string, slug: string, ...noneOf: readonly Filter[]): Filter {
  return atSlug(slug, { owner: { $ne: ownerId } }, ...noneOf);
}

/** The same where its owner may change it: it is not taken down. */
export function changeableBy(ownerId: string, slug: string, ...noneOf: readonly Filter[]): Filter {
  return ofOwner(ownerId, slug, { taken_down_at: { $ne: null } }, ...noneOf);
}

/** The same where that version may be added: it was never there, and there is room. */
export function withRoom(ownerId: string, slug: string, versionId: string, cap: number): Filter {
  const known = [{ 'versions.id': versionId }, { trash: versionId }];
  return { ...changeableBy(ownerId, slug, ...known), version_count: { $lt: cap } };
}

/** The same where the version of that number may be removed: it is there, and not alone. */
export function withSpare(ownerId: string, slug: string, number: number): Filter {
  return { ...changeableBy(ownerId, slug), 'versions.number': number, version_count: { $gt: 1 } };
}

/** The drop, also a deleted one. */
export function withId(id: string, fields: Fields = dropFields): Query {
  return { filter: { _id: id }, fields };
}

export function ownDrop(ownerId: string, slug: string, fields: Fields = dropFields): Query {
  return { filter: ofOwner(ownerId, slug), fields };
}

/** With the version of that number, null for the head; of the list at most that one is sent. */
export function pageAt(slug: string, number: number | null): Query {
  return {
    filter: atSlug(slug),
    fields: { ...pageFields, ...(number === null ? { head: 1 } : versionOf(number)) },
  };
}

/** Of the list of versions the one of that number; no list where there is none. */
export function versionOf(number: number): Fields {
  return { versions: { $elemMatch: { number } } };
}

/** As `known`: whether the drop has that version, or had it a moment ago. */
export function isKnown(versionId: string): Fields {
  const id = { $literal: versionId };
  return { known: { $or: [{ $in: [id, '$versions.id'] }, { $in: [id, '$trash'] }] } };
}

/** At most `limit` places that the owner's live drops hold; read from the index alone. */
export function placesOf(ownerId: string, limit: number): BoundedQuery {
  return { filter: livingOf(ownerId), fields: { _id: 0, place: 1 }, limit, hint: dropIndexes.place };
}

/** The owner's live drops, as the index of places knows them. */
function livingOf(ownerId: string): Filter {
  return { owner: ownerId, place: { $gte: 0 } };
}

/** All live drops of the owner that have every pair. */
export function matching(ownerId: string, pairs: ReadonlyMap<string, string>): Query {
  const fields = dropFields;
  if (pairs.size === 0) return { filter: livingOf(ownerId), fields, hint: dropIndexes.place };
  const filter = { owner: ownerId, pairs: { $all: writePairs(pairs) } }; // deleted drops have none
  return { filter, fields, hint: dropIndexes.pairs };
}

/** The page of them that is asked for; null: it would begin behind any list. */
export function pageOf(
  ownerId: string,
  query: DropQuery,
  pairs: ReadonlyMap<string, string>,
): BoundedQuery | null {
  const { page, pageSize: limit, sortBy, sortOrder } = query;
  const skip = (page - 1) * limit;
  if (skip > maxSkip) return null;
  const direction = sortOrder === 'asc' ? 1 : -1;
  const found = { ...matching(ownerId, pairs), skip, limit };
  if (sortBy !== 'created_at') return { ...found, sort: { [sortBy]: direction, created_at: -1, _id: 1 } };
  const sorted = { ...found, sort: { created_at: direction, _id: 1 } as const };
  // In the order of its index, so that the documents of this page only are read.
  return pairs.size === 0 && sortOrder === 'desc' ? { ...sorted, hint: dropIndexes.created } : sorted;
}

/** Drops with pending tasks, in the order of their partial index; see PendingTaskStore. */
export function withTasks(before: number, after: PendingPosition | null, limit: number): BoundedQuery {
  const behind = after !== null && {
    changed_at: { $gte: after.changedAt, $lt: before },
    $or: [{ changed_at: { $gt: after.changedAt } }, { _id: { $gt: after.id } }],
  };
  return {
    filter: { chores: true, changed_at: { $lt: before }, ...behind },
    fields: { changed_at: 1 },
    sort: { changed_at: 1, _id: 1 },
    limit,
    hint: dropIndexes.chores,
  };
}

export function tasksOf(id: string): Query {
  return withId(id, taskFields);
}

/** The drop unless it has changed since it stood at `rev`. */
export function atRev(id: string, rev: number): Filter {
  return { _id: id, rev };
}

/** The drop if it is marked deleted. */
export function deletedWithId(id: string): Filter {
  return { _id: id, deleted_at: { $ne: null } };
}

/** Drops, deleted ones too, that name any of the versions, each with those it names. */
export function naming(versionIds: readonly string[]): BoundedQuery {
  const among = { $in: versionIds };
  const named = {
    $setIntersection: [{ $literal: versionIds }, { $concatArrays: ['$versions.id', '$trash'] }],
  };
  const limit = versionIds.length; // an id is in one drop only
  return { filter: { $or: [{ 'versions.id': among }, { trash: among }] }, fields: { _id: 0, named }, limit };
}
