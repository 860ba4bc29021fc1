import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import { createDailyCounts } from '../accounts/mongo.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import { unavailable } from '../domain/errors.ts';
import type { Takedown } from '../moderation/act.ts';
import type { ModerationStore } from '../moderation/moderation-store.ts';
import { forRequests, isDuplicateOf } from '../mongo/errors.ts';
import { pickPlace } from '../util/random-picks.ts';
import { type Drop, withoutDocument } from './drop.ts';
import type { DropReads, DropStore } from './drop-store.ts';
import { withQuotaAndBlobs } from './mongo-blobs-first.ts';
import { createDropReads } from './mongo-reads.ts';
import {
  type DropDocument,
  type DropRow,
  dropDocument,
  dropFields,
  dropModel,
  type Filter,
  liveDropAt,
  ownedAt,
  toDrop,
  versionDocument,
  versionField,
} from './mongo-schema.ts';
import {
  change,
  details,
  headOfVersions,
  literal,
  literals,
  removal,
  removeExpired,
  type Update,
  visibleChange,
} from './mongo-updates.ts';
import { type Conflict, conflictOf, type DropTarget, rejectionOf } from './revision.ts';

/** Each lost attempt means that a parallel call changed the drop or took the place. */
const attempts = 100;
const expiredAtOnce = 100;
/** While a new cap is rolled out, processes with the old one may still take places above it. */
const capKnownMs = 60_000;
const capsKnownAtMost = 10_000;

type DropWrites = Omit<DropStore, keyof DropReads>;

export function createMongoDropStore(
  connection: Connection,
  blobs: { html: BlobStore; contexts: BlobStore },
  clock: Clock,
): DropStore {
  const records = { ...createDropReads(connection, clock), ...createDropWrites(connection, clock) };
  const days = createDailyCounts(connection);
  return withQuotaAndBlobs(forRequests(connection, records), { ...blobs, days });
}

export function createMongoModerationStore(connection: Connection, clock: Clock): ModerationStore {
  const drops = dropModel(connection);
  const liveAt = (slug: string, ...unless: readonly Filter[]) => liveDropAt(slug, clock.now(), ...unless);

  async function findDrop(slug: string): Promise<Drop | null> {
    return orNull(await drops.findOne(liveAt(slug), dropFields).lean<DropRow>());
  }

  return forRequests<ModerationStore>(connection, {
    findDrop,

    async takeDown(slug, { at, reason }, tasks) {
      const takedown = {
        taken_down_at: { $ifNull: ['$taken_down_at', at] },
        takedown_reason: literal(reason),
      };
      return orNull(await change(drops, liveAt(slug), visibleChange(takedown, at, tasks)));
    },

    async restore(slug, now, tasks) {
      const takenDown = liveAt(slug, { taken_down_at: null }); // matches an absent field too
      const update = visibleChange({ taken_down_at: null, takedown_reason: null }, now, tasks);
      return orNull(await change(drops, takenDown, update)) ?? findDrop(slug);
    },
  });
}

/** If a conditional update matches nothing, a read tells why; if by then it would match, the method tries again. */
function createDropWrites(connection: Connection, clock: Clock): DropWrites {
  const drops = dropModel(connection);
  /** By owner: no drop was above this cap. */
  const knownCaps = new LRUCache<string, number>({ max: capsKnownAtMost, ttl: capKnownMs });

  /** The owner's drop at one of the target's revisions, unless it is taken down or `unless` applies. */
  function changeable(target: DropTarget, ...unless: readonly Filter[]): Filter {
    return acceptable(target, { taken_down_at: { $ne: null } }, ...unless);
  }

  /** The owner's drop at one of the target's revisions, unless `unless` applies. */
  function acceptable({ ownerId, slug, revs }: DropTarget, ...unless: readonly Filter[]): Filter {
    return {
      ...ownedAt(ownerId, slug, clock.now(), ...unless),
      ...(revs !== null && { rev: { $in: revs } }),
    };
  }

  /** null: no such drop. */
  function findRefused<T>({ ownerId, slug }: DropTarget, more: Filter = {}): Promise<(DropRow & T) | null> {
    return drops
      .findOne(ownedAt(ownerId, slug, clock.now()), { ...dropFields, ...more })
      .lean<DropRow & T>()
      .exec();
  }

  async function findStored(id: string): Promise<Drop | null> {
    return orNull(await drops.findById(id, dropFields).lean<DropRow>());
  }

  /** null: stored; otherwise the unique index that refuses the drop. */
  async function insert(document: DropDocument): Promise<string | null> {
    try {
      await drops.insertOne(document);
      return null;
    } catch (error) {
      const refusedBy = ['_id_', 'drops_slug', 'drops_place'].find((index) => isDuplicateOf(error, index));
      if (refusedBy === undefined) throw error;
      return refusedBy;
    }
  }

  /** A place that may be taken. Once a minute a read finds out whether places above a lowered cap are taken. */
  async function guessPlace(ownerId: string, cap: number): Promise<number | null> {
    if (knownCaps.get(ownerId) !== cap) {
      const above = await drops
        .findOne({ owner: ownerId, place: { $gte: cap } }, { _id: 0, place: 1 })
        .setOptions({ hint: 'drops_place' })
        .lean();
      if (above !== null) return findFreePlace(ownerId, cap);
      knownCaps.set(ownerId, cap);
    }
    return randomInt(cap);
  }

  async function findFreePlace(ownerId: string, cap: number): Promise<number | null> {
    const taken = await drops
      .find({ owner: ownerId, place: { $gte: 0 } }, { _id: 0, place: 1 }) // from the index alone
      .setOptions({ limit: cap, batchSize: cap, hint: 'drops_place' })
      .lean<Required<Pick<DropDocument, 'place'>>[]>();
    return pickPlace(
      taken.map(({ place }) => place),
      cap,
    );
  }

  /** undefined: expired drops were removed, so that places are free now. */
  async function freePlaces(ownerId: string, cap: number): Promise<'no_place' | undefined> {
    const removed = await removeExpired(drops, ownerId, clock.now(), expiredAtOnce);
    if (removed.length > 0) return undefined;
    return cap < 1 || (await findFreePlace(ownerId, cap)) === null ? 'no_place' : undefined;
  }

  /** @param reasonOf why the drop was not changed; undefined: by now it would be. It also needs the fields `more` */
  function changeOr<T, R>(
    target: DropTarget,
    filter: () => Filter,
    update: Update,
    more: Filter,
    reasonOf: (found: DropRow & T, drop: Drop) => R | undefined,
  ): Promise<Drop | R | null> {
    return retry<Drop | R | null>(async () => {
      const changed = await change(drops, filter(), update);
      if (changed !== null) return toDrop(changed);
      const found = await findRefused<T>(target, more);
      return found === null ? null : reasonOf(found, toDrop(found));
    });
  }

  function changeDetails(target: DropTarget, update: Update): Promise<Drop | Takedown | Conflict | null> {
    const reasonOf = (_: DropRow, drop: Drop) => rejectionOf(drop, target) ?? undefined;
    return changeOr(target, () => changeable(target), update, {}, reasonOf);
  }

  return {
    create(drop, cap, tasks) {
      let find = guessPlace;
      return retry(async () => {
        const place = cap < 1 ? null : await find(drop.ownerId, cap);
        find = findFreePlace;
        if (place === null) return (await findStored(drop.id)) ?? freePlaces(drop.ownerId, cap);
        const document = dropDocument(drop, place, tasks);
        const refusedBy = await insert(document);
        if (refusedBy === null) return toDrop(document);
        // A server may name any of the indexes that refuse, so a repeat is looked up by its id first.
        const stored = await findStored(drop.id);
        if (stored !== null) return stored;
        return refusedBy === 'drops_slug' ? 'slug_taken' : undefined;
      });
    },

    addVersion(target, version, changes, cap, tasks) {
      const isKnown = [{ 'versions.id': version.id }, { trash: version.id }];
      const filter = () => ({ ...changeable(target, ...isKnown), version_count: { $lt: cap } });
      const number = { $add: ['$latest_version', 1] };
      const added = { ...literals(versionDocument(withoutDocument(version, 0))), number };
      const versions = { $concatArrays: ['$versions', [added]] };
      const set = { ...details(changes), updated_at: version.createdAt, versions };
      const update = [...visibleChange(set, version.createdAt, tasks), headOfVersions];
      const id = literal(version.id);
      const known = { $or: [{ $in: [id, '$versions.id'] }, { $in: [id, '$trash'] }] };
      type Found = { readonly version_count: number; readonly known: boolean };
      return changeOr(target, filter, update, { version_count: 1, known }, (found: DropRow & Found, drop) => {
        if (found.known) return drop;
        return rejectionOf(drop, target) ?? (found.version_count >= cap ? 'version_limit' : undefined);
      });
    },

    changeDetails: (target, changes, now, tasks) =>
      changeDetails(target, visibleChange({ ...details(changes), updated_at: now }, now, tasks)),

    setLock: (target, lock, now, tasks) =>
      changeDetails(target, visibleChange({ lock: literal(lock), updated_at: now }, now, tasks)),

    removeVersion(target, number, now, tasks) {
      const isRemovable = { 'versions.number': number, version_count: { $gt: 1 } };
      const filter = () => ({ ...changeable(target), ...isRemovable });
      const id = { $arrayElemAt: ['$versions.id', { $indexOfArray: ['$versions.number', number] }] };
      const set = {
        updated_at: now,
        trash: { $concatArrays: ['$trash', [id]] },
        versions: { $filter: { input: '$versions', cond: { $ne: ['$$this.number', number] } } },
        chores: true,
      };
      const update = [...visibleChange(set, now, tasks), headOfVersions];
      const more = { version_count: 1, ...versionField(number) };
      return changeOr(
        target,
        filter,
        update,
        more,
        (found: DropRow & RemovalRow, drop) => rejectionOf(drop, target) ?? refusedRemoval(found),
      );
    },

    remove: (target, now) =>
      retry(async () => {
        const removed = await change(drops, acceptable(target), removal(now));
        if (removed !== null || target.revs === null) return removed?._id ?? null;
        const found = await findRefused(target);
        return found === null ? null : (conflictOf(toDrop(found), target) ?? undefined);
      }),

    async removeSome(owner, now, limit) {
      const found = await drops
        .find({ owner, place: { $gte: 0 } }, { slug: 1 })
        .setOptions({ limit, batchSize: limit, hint: 'drops_place' })
        .lean<Pick<DropDocument, '_id' | 'slug'>[]>();
      if (found.length === 0) return [];
      const among = { _id: { $in: found.map(({ _id }) => _id) }, deleted_at: null };
      await drops.updateMany(among, removal(now), { updatePipeline: true });
      return found.map(({ _id: id, slug }) => ({ id, slug }));
    },
  };
}

/** Without `versions` if no version has the number. */
type RemovalRow = Pick<DropDocument, 'version_count'> & Partial<Pick<DropDocument, 'versions'>>;

/** Why a version was not removed; undefined: by now it would be. */
function refusedRemoval(found: RemovalRow): 'no_version' | 'last_version' | undefined {
  if (found.versions?.length !== 1) return 'no_version';
  return found.version_count === 1 ? 'last_version' : undefined;
}

function orNull(row: DropRow | null): Drop | null {
  return row === null ? null : toDrop(row);
}

/** Tries until the outcome is not undefined. */
async function retry<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let left = attempts; left > 0; left--) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw unavailable('Too many parallel changes of this drop.');
}
