import type { Connection, Model } from 'mongoose';
import type { Clock } from '../domain/clock.ts';
import { unavailable } from '../domain/errors.ts';
import { isDuplicateOf } from '../mongo/errors.ts';
import type { Lock } from './access.ts';
import {
  type DetailChanges,
  type Drop,
  type NewDrop,
  type NewVersion,
  type PendingTask,
  withoutDocument,
} from './drop.ts';
import type { DropStore, Rejected, RemovedDrop } from './drop-store.ts';
import { MongoPlaces } from './mongo-places.ts';
import { MongoDropReads } from './mongo-reads.ts';
import {
  type DropDocument,
  type DropRow,
  dropDocument,
  dropModel,
  dropProjection,
  type Filter,
  ownedAt,
  toDrop,
  toDropOrNull,
  versionDocument,
  versionField,
} from './mongo-schema.ts';
import {
  change,
  details,
  headOfVersions,
  literal,
  literals,
  lockWithAccess,
  removal,
  removeExpired,
  type Update,
  visibleChange,
} from './mongo-updates.ts';
import { type Conflict, conflictOf, type DropTarget, rejectionOf } from './revision.ts';

/** Each lost attempt means that a parallel call changed the drop or took the place. */
const attempts = 100;
const expiredAtOnce = 100;

/**
 * The records of drops; `mongo-blobs-first.ts` stores their documents, and counts the day. If a conditional update matches nothing, a read tells why;
 * if by then it would match, the method tries again.
 */
export class MongoDrops extends MongoDropReads implements DropStore {
  readonly #drops: Model<DropDocument>;
  readonly #places: MongoPlaces;
  readonly #clock: Clock;

  constructor(connection: Connection, clock: Clock) {
    super(connection, clock);
    this.#drops = dropModel(connection);
    this.#places = new MongoPlaces(connection);
    this.#clock = clock;
  }

  create(
    drop: NewDrop,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | 'no_place' | 'slug_taken'> {
    const { id, ownerId } = drop;
    let hasGuessed = false;
    return retry(async () => {
      const place = hasGuessed
        ? await this.#places.findFree(ownerId, cap)
        : await this.#places.guess(ownerId, cap);
      hasGuessed = true;
      if (place === null) return (await this.#findStored(id)) ?? this.#freePlaces(ownerId, cap);
      const document = dropDocument(drop, place, tasks);
      const refusedBy = await this.#insert(document);
      if (refusedBy === null) return toDrop(document);
      // A server may name any of the indexes that refuse, so a repeat is looked up by its id first.
      const stored = await this.#findStored(id);
      if (stored !== null) return stored;
      return refusedBy === 'drops_slug' ? 'slug_taken' : undefined;
    });
  }

  addVersion(
    target: DropTarget,
    version: NewVersion,
    changes: DetailChanges,
    cap: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected | 'version_limit'> {
    const isKnown = [{ 'versions.id': version.id }, { trash: version.id }];
    const isAddable = (now: number) => ({
      ...changeable(target, now, ...isKnown),
      version_count: { $lt: cap },
    });
    const number = { $add: ['$latest_version', 1] };
    const added = { ...literals(versionDocument(withoutDocument(version, 0))), number };
    const versions = { $concatArrays: ['$versions', [added]] };
    const set = { ...details(changes), updated_at: version.createdAt, versions };
    const update = [...visibleChange(set, version.createdAt, tasks), headOfVersions];
    const id = literal(version.id);
    const known = { $or: [{ $in: [id, '$versions.id'] }, { $in: [id, '$trash'] }] };
    type Found = { readonly version_count: number; readonly known: boolean };
    const fields = { version_count: 1, known };
    return this.#changeOr(target, isAddable, update, fields, (found: DropRow & Found, drop) => {
      if (found.known) return drop;
      return rejectionOf(drop, target) ?? (found.version_count >= cap ? 'version_limit' : undefined);
    });
  }

  changeDetails(
    target: DropTarget,
    changes: DetailChanges,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected> {
    return this.#set(target, details(changes), now, tasks);
  }

  setLock(
    target: DropTarget,
    lock: Lock | null,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected> {
    return this.#set(target, { lock: lockWithAccess(lock) }, now, tasks);
  }

  removeVersion(
    target: DropTarget,
    number: number,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected | 'no_version' | 'last_version'> {
    const hasOthers = { 'versions.number': number, version_count: { $gt: 1 } };
    const isRemovable = (at: number) => ({ ...changeable(target, at), ...hasOthers });
    const id = { $arrayElemAt: ['$versions.id', { $indexOfArray: ['$versions.number', number] }] };
    const set = {
      updated_at: now,
      trash: { $concatArrays: ['$trash', [id]] },
      versions: { $filter: { input: '$versions', cond: { $ne: ['$$this.number', number] } } },
      chores: true,
    };
    const update = [...visibleChange(set, now, tasks), headOfVersions];
    const fields = { version_count: 1, ...versionField(number) };
    return this.#changeOr(target, isRemovable, update, fields, (found: DropRow & RemovalRow, drop) => {
      return rejectionOf(drop, target) ?? refusedRemoval(found);
    });
  }

  remove(target: DropTarget, now: number): Promise<string | Conflict | null> {
    return retry(async () => {
      const removed = await change(this.#drops, atRevision(target, this.#clock.now()), removal(now));
      if (removed !== null || target.revs === null) return removed?._id ?? null;
      const found = await this.#findRefused(target);
      return found === null ? null : (conflictOf(toDrop(found), target) ?? undefined);
    });
  }

  async removeSome(ownerId: string, now: number, limit: number): Promise<RemovedDrop[]> {
    const found = await this.#drops
      .find({ owner: ownerId, place: { $gte: 0 } }, { slug: 1 })
      .setOptions({ limit, batchSize: limit, hint: 'drops_place' })
      .lean<Pick<DropDocument, '_id' | 'slug'>[]>();
    if (found.length === 0) return [];
    const among = { _id: { $in: found.map(({ _id }) => _id) }, deleted_at: null };
    await this.#drops.updateMany(among, removal(now), { updatePipeline: true });
    return found.map(({ _id: id, slug }) => ({ id, slug }));
  }

  /** @param fields with expressions: text of users must be a `literal` */
  #set(
    target: DropTarget,
    fields: object,
    now: number,
    tasks: readonly PendingTask[],
  ): Promise<Drop | Rejected> {
    const update = visibleChange({ ...fields, updated_at: now }, now, tasks);
    const isChangeable = (at: number) => changeable(target, at);
    const reasonOf = (_: DropRow, drop: Drop) => rejectionOf(drop, target) ?? undefined;
    return this.#changeOr(target, isChangeable, update, {}, reasonOf);
  }

  /**
   * Changes the drop if it matches the filter of that time (Unix ms).
   * @param reasonOf why the drop was not changed; undefined: by now it would be. It also needs these `fields`
   */
  #changeOr<T, R>(
    target: DropTarget,
    filter: (now: number) => Filter,
    update: Update,
    fields: Filter,
    reasonOf: (found: DropRow & T, drop: Drop) => R | undefined,
  ): Promise<Drop | R | null> {
    return retry<Drop | R | null>(async () => {
      const changed = await change(this.#drops, filter(this.#clock.now()), update);
      if (changed !== null) return toDrop(changed);
      const found = await this.#findRefused<T>(target, fields);
      return found === null ? null : reasonOf(found, toDrop(found));
    });
  }

  /** null: no such drop. */
  #findRefused<T>({ ownerId, slug }: DropTarget, fields: Filter = {}): Promise<(DropRow & T) | null> {
    return this.#drops
      .findOne(ownedAt(ownerId, slug, this.#clock.now()), { ...dropProjection, ...fields })
      .lean<DropRow & T>()
      .exec();
  }

  async #findStored(id: string): Promise<Drop | null> {
    return toDropOrNull(await this.#drops.findById(id, dropProjection).lean<DropRow>());
  }

  /** null: stored; otherwise the unique index that refuses the drop. */
  async #insert(document: DropDocument): Promise<string | null> {
    try {
      await this.#drops.insertOne(document);
      return null;
    } catch (error) {
      const refusedBy = ['_id_', 'drops_slug', 'drops_place'].find((index) => isDuplicateOf(error, index));
      if (refusedBy === undefined) throw error;
      return refusedBy;
    }
  }

  /** undefined: expired drops were removed, so that places are free now. */
  async #freePlaces(ownerId: string, cap: number): Promise<'no_place' | undefined> {
    const removed = await removeExpired(this.#drops, ownerId, this.#clock.now(), expiredAtOnce);
    if (removed.length > 0) return undefined;
    return (await this.#places.findFree(ownerId, cap)) === null ? 'no_place' : undefined;
  }
}

/** The owner's drop at one of the target's revisions, unless it is taken down or `unless` applies. */
function changeable(target: DropTarget, now: number, ...unless: readonly Filter[]): Filter {
  return atRevision(target, now, { taken_down_at: { $ne: null } }, ...unless);
}

/** The owner's drop at one of the target's revisions, unless `unless` applies. */
function atRevision({ ownerId, slug, revs }: DropTarget, now: number, ...unless: readonly Filter[]): Filter {
  const owned = ownedAt(ownerId, slug, now, ...unless);
  return revs === null ? owned : { ...owned, rev: { $in: revs } };
}

/** Without `versions` if no version has the number. */
type RemovalRow = Pick<DropDocument, 'version_count'> & Partial<Pick<DropDocument, 'versions'>>;

/** Why a version was not removed; undefined: by now it would be. */
function refusedRemoval(found: RemovalRow): 'no_version' | 'last_version' | undefined {
  if (found.versions?.length !== 1) return 'no_version';
  return found.version_count === 1 ? 'last_version' : undefined;
}

/** Tries until the outcome is not undefined. */
async function retry<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let left = attempts; left > 0; left--) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw unavailable('Too many parallel changes of this drop.');
}
