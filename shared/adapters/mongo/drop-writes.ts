import type { Drop } from '../../domain/drop.ts';
import { unavailable } from '../../domain/errors.ts';
import type { Takedown } from '../../domain/moderation.ts';
import type { DropStore } from '../../ports/drop-store.ts';
import type { DropCommands } from './drop-commands.ts';
import {
  type DropRow,
  dropFields,
  takedownFields,
  toDocument,
  toDrop,
  toTakedown,
} from './drop-documents.ts';
import { pickPlace } from './drop-places.ts';
import {
  changeableBy,
  isKnown,
  ofOwner,
  ownDrop,
  placesOf,
  versionOf,
  withId,
  withRoom,
  withSpare,
} from './drop-queries.ts';
import { type DropDocument, dropIndexes } from './drop-schema.ts';
import {
  additionOf,
  changeOfDetails,
  changeOfLock,
  deletion,
  removalOf,
  type Update,
} from './drop-updates.ts';

/** One that is lost was won by another call of the same moment, so it is a few that are lost in a row. */
const attempts = 100;

type DropWrites = Pick<
  DropStore,
  'create' | 'addVersion' | 'changeDetails' | 'setLock' | 'removeVersion' | 'remove'
>;

/**
 * Each is one conditional update, or an insert with the place that was drawn for it. Why an update matched nothing
 * is asked afterwards; where the answer is that by now it would match, it is tried again.
 */
export function createDropWrites(drops: DropCommands): DropWrites {
  async function findStored(id: string): Promise<Drop | null> {
    const row = await drops.findOne<DropRow>(withId(id));
    return row === null ? null : toDrop(row);
  }

  async function drawPlace(ownerId: string, cap: number): Promise<number | null> {
    if (cap < 1) return null;
    const taken = await drops.find<Required<Pick<DropDocument, 'place'>>>(placesOf(ownerId, cap));
    return pickPlace(
      taken.map(({ place }) => place),
      cap,
    );
  }

  function changeShown(ownerId: string, slug: string, update: Update): Promise<Drop | Takedown | null> {
    return untilSettled(async () => {
      const changed = await drops.change(changeableBy(ownerId, slug), update);
      if (changed !== null) return toDrop(changed);
      const found = await drops.findOne<TakedownRow>(ownDrop(ownerId, slug, takedownFields));
      return found === null ? null : (toTakedown(found) ?? undefined);
    });
  }

  return {
    create: (drop, cap, tasks) =>
      untilSettled(async () => {
        const place = await drawPlace(drop.ownerId, cap);
        if (place === null) return (await findStored(drop.id)) ?? 'no_place';
        const document = toDocument(drop, place, tasks);
        const refusedBy = await drops.insert(document);
        if (refusedBy === null) return toDrop(document);
        // Which of several is told of is the server's choice, so a repeat may be told of its slug or place.
        const stored = await findStored(drop.id);
        if (stored !== null) return stored;
        return refusedBy === dropIndexes.slug ? 'slug_taken' : undefined;
      }),

    addVersion: (ownerId, slug, version, changes, cap, tasks) =>
      untilSettled(async () => {
        const filter = withRoom(ownerId, slug, version.id, cap);
        const changed = await drops.change(filter, additionOf(version, changes, tasks));
        if (changed !== null) return toDrop(changed);
        const query = ownDrop(ownerId, slug, { ...dropFields, version_count: 1, ...isKnown(version.id) });
        const found = await drops.findOne<RefusedAddition>(query);
        if (found === null) return null;
        if (found.known) return toDrop(found);
        return toTakedown(found) ?? (found.version_count >= cap ? 'version_limit' : undefined);
      }),

    changeDetails: (ownerId, slug, changes, now, tasks) =>
      changeShown(ownerId, slug, changeOfDetails(changes, now, tasks)),

    setLock: (ownerId, slug, lock, now, tasks) => changeShown(ownerId, slug, changeOfLock(lock, now, tasks)),

    removeVersion: (ownerId, slug, number, now, tasks) =>
      untilSettled(async () => {
        const changed = await drops.change(withSpare(ownerId, slug, number), removalOf(number, now, tasks));
        if (changed !== null) return toDrop(changed);
        const fields = { ...takedownFields, version_count: 1, ...versionOf(number) };
        const found = await drops.findOne<RefusedRemoval>(ownDrop(ownerId, slug, fields));
        if (found === null) return null;
        const takedown = toTakedown(found);
        if (takedown !== null) return takedown;
        if (found.versions?.length !== 1) return 'no_version';
        return found.version_count === 1 ? 'last_version' : undefined;
      }),

    async remove(ownerId, slug, now) {
      const row = await drops.change(ofOwner(ownerId, slug), deletion(now));
      return row === null ? null : row._id;
    },
  };
}

/** Tries until the outcome is another than undefined. */
async function untilSettled<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let left = attempts; left > 0; left--) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw unavailable('Too many others are changing this at the moment.');
}

type TakedownRow = Pick<DropDocument, keyof typeof takedownFields>;

type RefusedAddition = DropRow & Pick<DropDocument, 'version_count'> & { readonly known: boolean };

/** Without `versions` where none has the number. */
type RefusedRemoval = TakedownRow &
  Pick<DropDocument, 'version_count'> &
  Partial<Pick<DropDocument, 'versions'>>;
