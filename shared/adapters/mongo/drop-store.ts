import type { Connection } from 'mongoose';
import type { DetailChanges, Drop, PendingTask } from '../../domain/drop.ts';
import { unavailable } from '../../domain/errors.ts';
import type { Takedown } from '../../domain/moderation.ts';
import type { DropStore } from '../../ports/drop-store.ts';
import type { ModerationStore } from '../../ports/moderation-store.ts';
import { pickPlace } from '../../util/pick-place.ts';
import { answerMs } from './connection.ts';
import { createDropReads } from './drop-reads.ts';
import {
  type DropDocument,
  type DropRow,
  dropDocument,
  dropFields,
  dropModel,
  type Filter,
  liveAt,
  ownedAt,
  type TakedownRow,
  toDrop,
  toPairs,
  toTakedown,
  versionDocument,
  versionField,
} from './drop-schema.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';

/** Each lost attempt means that a parallel call changed the drop or took the place, so a few are enough in practice. */
const attempts = 100;

type Update = Readonly<Record<string, unknown>>[];
type DropWrites = Omit<DropStore, keyof ReturnType<typeof createDropReads>>;

export function createMongoDropStore(connection: Connection): DropStore {
  return withTimeLimit(answerMs(connection), {
    ...createDropReads(connection),
    ...createDropWrites(connection),
  });
}

export function createMongoModerationStore(connection: Connection): ModerationStore {
  const drops = dropModel(connection);

  async function findDrop(slug: string): Promise<Drop | null> {
    return orNull(await drops.findOne(liveAt(slug), dropFields).lean<DropRow>());
  }

  return withTimeLimit<ModerationStore>(answerMs(connection), {
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

/**
 * Each method is one conditional update, or an insert at a place that was free. If an update matches nothing, a read
 * tells why; if by then it would match, the method tries again.
 */
function createDropWrites(connection: Connection): DropWrites {
  const drops = dropModel(connection);

  /** The owner's drop, unless it is taken down or `unless` applies. */
  function changeable(ownerId: string, slug: string, ...unless: readonly Filter[]): Filter {
    return ownedAt(ownerId, slug, { taken_down_at: { $ne: null } }, ...unless);
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

  function changeDetails(ownerId: string, slug: string, update: Update): Promise<Drop | Takedown | null> {
    return retry(async () => {
      const changed = await change(drops, changeable(ownerId, slug), update);
      if (changed !== null) return toDrop(changed);
      const fields = { taken_down_at: 1, takedown_reason: 1 } as const;
      const found = await drops.findOne(ownedAt(ownerId, slug), fields).lean<TakedownRow>();
      return found === null ? null : (toTakedown(found) ?? undefined);
    });
  }

  return {
    create: (drop, cap, tasks) =>
      retry(async () => {
        const place = cap < 1 ? null : await findFreePlace(drop.ownerId, cap);
        if (place === null) return (await findStored(drop.id)) ?? 'no_place';
        const document = dropDocument(drop, place, tasks);
        const refusedBy = await insert(document);
        if (refusedBy === null) return toDrop(document);
        // A server may name any of the indexes that refuse, so a repeat is looked up by its id first.
        const stored = await findStored(drop.id);
        if (stored !== null) return stored;
        return refusedBy === 'drops_slug' ? 'slug_taken' : undefined;
      }),

    addVersion: (ownerId, slug, version, changes, cap, tasks) =>
      retry(async () => {
        const isKnown = [{ 'versions.id': version.id }, { trash: version.id }];
        const filter = { ...changeable(ownerId, slug, ...isKnown), version_count: { $lt: cap } };
        const added = { ...literals(versionDocument(version)), number: { $add: ['$latest_version', 1] } };
        const set = {
          ...details(changes),
          updated_at: version.createdAt,
          versions: { $concatArrays: ['$versions', [added]] },
        };
        const changed = await change(drops, filter, [
          ...visibleChange(set, version.createdAt, tasks),
          headOfVersions,
        ]);
        if (changed !== null) return toDrop(changed);
        const id = literal(version.id);
        const known = { $or: [{ $in: [id, '$versions.id'] }, { $in: [id, '$trash'] }] };
        const found = await drops
          .findOne(ownedAt(ownerId, slug), { ...dropFields, version_count: 1, known })
          .lean<DropRow & { readonly version_count: number; readonly known: boolean }>();
        if (found === null) return null;
        if (found.known) return toDrop(found);
        return toTakedown(found) ?? (found.version_count >= cap ? 'version_limit' : undefined);
      }),

    changeDetails: (ownerId, slug, changes, now, tasks) =>
      changeDetails(ownerId, slug, visibleChange({ ...details(changes), updated_at: now }, now, tasks)),

    setLock: (ownerId, slug, lock, now, tasks) =>
      changeDetails(ownerId, slug, visibleChange({ lock: literal(lock), updated_at: now }, now, tasks)),

    removeVersion: (ownerId, slug, number, now, tasks) =>
      retry(async () => {
        const filter = {
          ...changeable(ownerId, slug),
          'versions.number': number,
          version_count: { $gt: 1 },
        };
        const id = { $arrayElemAt: ['$versions.id', { $indexOfArray: ['$versions.number', number] }] };
        const set = {
          updated_at: now,
          trash: { $concatArrays: ['$trash', [id]] },
          versions: { $filter: { input: '$versions', cond: { $ne: ['$$this.number', number] } } },
          chores: true,
        };
        const changed = await change(drops, filter, [...visibleChange(set, now, tasks), headOfVersions]);
        if (changed !== null) return toDrop(changed);
        const fields = { taken_down_at: 1, takedown_reason: 1, version_count: 1, ...versionField(number) };
        const found = await drops.findOne(ownedAt(ownerId, slug), fields).lean<RemovalRow>();
        return found === null ? null : refusedRemoval(found);
      }),

    async remove(ownerId, slug, now) {
      const set = { deleted_at: now, chores: true, pairs: [] };
      const update = [...visibleChange(set, now, []), { $unset: 'place' }];
      return (await change(drops, ownedAt(ownerId, slug), update))?._id ?? null;
    },
  };
}

/** Without `versions` if no version has the number. */
type RemovalRow = TakedownRow & Pick<DropDocument, 'version_count'> & Partial<Pick<DropDocument, 'versions'>>;

/** Why a version was not removed; undefined: by now it would be. */
function refusedRemoval(found: RemovalRow): Takedown | 'no_version' | 'last_version' | undefined {
  const takedown = toTakedown(found);
  if (takedown !== null) return takedown;
  if (found.versions?.length !== 1) return 'no_version';
  return found.version_count === 1 ? 'last_version' : undefined;
}

/** The drop after the update; null: none matched. */
function change(
  drops: ReturnType<typeof dropModel>,
  filter: Filter,
  update: Update,
): Promise<DropRow | null> {
  const options = { projection: dropFields, returnDocument: 'after', updatePipeline: true } as const;
  return drops.findOneAndUpdate(filter, update, options).lean<DropRow>().exec();
}

/** @param set fields with expressions: text of users must be a `literal` */
function visibleChange(set: object, now: number, tasks: readonly PendingTask[]): Update {
  const changed = {
    changed_at: now,
    rev: { $add: ['$rev', 1] },
    due: { $setUnion: ['$due', literal(tasks)] },
    ...(tasks.length > 0 && { chores: true }),
  };
  return [{ $set: { ...set, ...changed } }];
}

/** Follows each change of the list of versions. */
const headOfVersions = {
  $set: {
    head: { $last: '$versions' },
    latest_version: { $last: '$versions.number' },
    version_count: { $size: '$versions' },
  },
};

function details({ title, description, metadata }: DetailChanges): object {
  return {
    ...(title !== undefined && { title: literal(title) }),
    ...(description !== undefined && { description: literal(description) }),
    ...(metadata !== undefined && { pairs: literal(toPairs(metadata)) }),
  };
}

/** In a pipeline, text that begins with `$` would name a field. */
function literal(value: unknown) {
  return { $literal: value };
}

function literals(values: object): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, literal(value)]));
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
