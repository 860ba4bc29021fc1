import type { DetailChanges, Lock, NewVersion, PendingTask } from '../../domain/drop.ts';
import type { Takedown } from '../../domain/moderation.ts';
import { writePairs, writeVersion } from './drop-documents.ts';

/** Operators that need no old value take values as they are; where old values count, it is a pipeline of stages. */
export type Update = Readonly<Record<string, unknown>> | Readonly<Record<string, unknown>>[];

/** In a pipeline `$` means a field, and text of users may begin with it. */
const literal = (value: unknown) => ({ $literal: value });

/** Stages that follow a change of the list of versions. */
const headOfVersions = {
  $set: {
    head: { $last: '$versions' },
    latest_version: { $last: '$versions.number' },
    version_count: { $size: '$versions' },
  },
};

const notePending = {
  $set: { chores: { $or: [{ $ne: ['$due', []] }, { $ne: ['$trash', []] }, { $ne: ['$deleted_at', null] }] } },
};

export function changeOfDetails(changes: DetailChanges, now: number, tasks: readonly PendingTask[]): Update {
  return visibly(details(changes), now, tasks);
}

export function changeOfLock(lock: Lock | null, now: number, tasks: readonly PendingTask[]): Update {
  return visibly({ lock: lock === null ? null : { id: lock.id, hash: lock.hash } }, now, tasks);
}

/** One that is there already keeps its time. */
export function takingDown({ at, reason }: Takedown, tasks: readonly PendingTask[]): Update {
  const { updated_at: _, ...stamped } = stamps(at, tasks); // which is the owner's
  return [
    {
      $set: {
        ...stamped,
        ...(tasks.length > 0 && { chores: true }),
        taken_down_at: { $ifNull: ['$taken_down_at', at] },
        takedown_reason: literal(reason),
      },
    },
  ];
}

export function restoring(now: number, tasks: readonly PendingTask[]): Update {
  return noted({ taken_down_at: null, takedown_reason: null }, now, tasks);
}

function visibly(set: Readonly<Record<string, unknown>>, now: number, tasks: readonly PendingTask[]): Update {
  return noted({ ...set, updated_at: now }, now, tasks);
}

function noted(set: Readonly<Record<string, unknown>>, now: number, tasks: readonly PendingTask[]): Update {
  return {
    $set: { ...set, changed_at: now, ...(tasks.length > 0 && { chores: true }) },
    $inc: { rev: 1 },
    $addToSet: { due: { $each: [...tasks] } },
  };
}

/** Its number is the one after the latest; where more is known of it, see `withRoom`. */
export function additionOf(
  version: NewVersion,
  changes: DetailChanges,
  tasks: readonly PendingTask[],
): Update {
  const added = { ...mapValues(writeVersion(version), literal), number: { $add: ['$latest_version', 1] } };
  return [
    {
      $set: {
        ...mapValues(details(changes), literal),
        ...stamps(version.createdAt, tasks),
        ...(tasks.length > 0 && { chores: true }),
        versions: { $concatArrays: ['$versions', [added]] },
      },
    },
    headOfVersions,
  ];
}

/** Of the version of that number, which is there; its id goes to the trash. */
export function removalOf(number: number, now: number, tasks: readonly PendingTask[]): Update {
  const id = { $arrayElemAt: ['$versions.id', { $indexOfArray: ['$versions.number', number] }] };
  return [
    {
      $set: {
        ...stamps(now, tasks),
        chores: true,
        trash: { $concatArrays: ['$trash', [id]] },
        versions: { $filter: { input: '$versions', cond: { $ne: ['$$this.number', number] } } },
      },
    },
    headOfVersions,
  ];
}

/** Deletes it and frees its place. */
export function deletion(now: number): Update {
  return {
    $set: { deleted_at: now, changed_at: now, chores: true, pairs: [] },
    $unset: { place: 1 },
    $inc: { rev: 1 },
  };
}

export function withoutTask(task: PendingTask): Update {
  return [{ $set: { due: { $setDifference: ['$due', literal([task])] } } }, notePending];
}

export function withoutTrash(versionIds: readonly string[]): Update {
  return [{ $set: { trash: { $setDifference: ['$trash', literal(versionIds)] } } }, notePending];
}

/** What every visible change does, in a pipeline. */
function stamps(now: number, tasks: readonly PendingTask[]) {
  return {
    updated_at: now,
    changed_at: now,
    rev: { $add: ['$rev', 1] },
    due: { $setUnion: ['$due', literal(tasks)] },
  };
}

function details({ title, description, metadata }: DetailChanges): Readonly<Record<string, unknown>> {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { pairs: writePairs(metadata) }),
  };
}

function mapValues(values: object, change: (value: unknown) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
