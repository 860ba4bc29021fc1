import type { Connection } from 'mongoose';
import { importCollection } from '../archives/mongo.ts';
import type { PendingTask } from '../drops/drop.ts';
import { type DropDocument, dropModel, type VersionDocument } from '../drops/mongo-schema.ts';
import { removeExpired } from '../drops/mongo-updates.ts';
import { artefactId, artefactRecord, rendererOf, versionIdOf } from '../renders/mongo.ts';
import { daysOf, dayViewsCollection } from '../views/mongo.ts';
import type { PendingDrop, PendingPosition, PendingRender, PendingTaskStore } from './pending-task-store.ts';

type PendingRow = Pick<DropDocument, '_id' | 'owner' | 'deleted_at' | 'rev' | 'due' | 'trash'> & {
  readonly versions: readonly Pick<VersionDocument, 'id' | 'has_context'>[];
  readonly head: Pick<VersionDocument, 'id'>;
};

const pendingFields = {
  owner: 1,
  deleted_at: 1,
  rev: 1,
  due: 1,
  'versions.id': 1,
  'versions.has_context': 1,
  'head.id': 1,
  trash: 1,
} as const;

const { name: artefacts } = artefactRecord;

/** Follows each removal of pending tasks or trash; see `DropDocument.chores`. */
const noteWhetherPending = {
  $set: { chores: { $or: [{ $ne: ['$due', []] }, { $ne: ['$trash', []] }, { $ne: ['$deleted_at', null] }] } },
};

/** Callers wrap it in `forRequests`. */
export class MongoPendingTasks implements PendingTaskStore {
  readonly #drops;
  readonly #days;
  readonly #imports;

  constructor(connection: Connection) {
    this.#drops = dropModel(connection);
    this.#days = dayViewsCollection.in(connection);
    this.#imports = importCollection.in(connection);
  }

  async find(dropId: string): Promise<PendingDrop | null> {
    const row = await this.#drops.findById(dropId, pendingFields).lean<PendingRow>();
    return row === null ? null : toPendingDrop(row);
  }

  async findForRender(dropId: string, renderer: number): Promise<PendingRender | null> {
    const [row] = await this.#drops.aggregate<
      PendingRow & { readonly artefacts: readonly { _id: string }[] }
    >([
      { $match: { _id: dropId } },
      { $project: { ...pendingFields, artefact_ids: artefactIdsUpTo(renderer) } },
      {
        $lookup: {
          from: artefacts,
          localField: 'artefact_ids',
          foreignField: '_id',
          as: 'artefacts',
          pipeline: [{ $project: { _id: 1 } }],
        },
      },
    ]);
    if (row === undefined) return null;
    // Ascending, so that the newest one of a version comes last.
    const found = row.artefacts.map(({ _id }) => _id).sort();
    const renderers = new Map(found.map((id) => [versionIdOf(id), rendererOf(id)]));
    return { ...toPendingDrop(row), renderers };
  }

  async listPending(
    before: number,
    after: PendingPosition | null,
    limit: number,
  ): Promise<PendingPosition[]> {
    const isAfter = after !== null && {
      changed_at: { $gte: after.changedAt, $lt: before },
      $or: [{ changed_at: { $gt: after.changedAt } }, { _id: { $gt: after.id } }],
    };
    const rows = await this.#drops
      .find({ chores: true, changed_at: { $lt: before }, ...isAfter }, { changed_at: 1 })
      .setOptions({ sort: { changed_at: 1, _id: 1 }, limit, batchSize: limit, hint: 'drops_chores' })
      .lean<Pick<DropDocument, '_id' | 'changed_at'>[]>();
    return rows.map(({ _id, changed_at }) => ({ changedAt: changed_at, id: _id }));
  }

  removeExpired(now: number, limit: number): Promise<string[]> {
    return removeExpired(this.#drops, null, now, limit);
  }

  clearTask(dropId: string, task: PendingTask, rev: number): Promise<boolean> {
    return this.#removeFrom('due', [task], { _id: dropId, rev });
  }

  async clearTrash(dropId: string, versionIds: readonly string[]): Promise<void> {
    await this.#removeFrom('trash', versionIds, { _id: dropId });
  }

  async erase(dropId: string): Promise<void> {
    const deleted = { _id: dropId, deleted_at: { $ne: null } };
    if ((await this.#drops.exists(deleted)) === null) return;
    await this.#days.remove(daysOf(dropId));
    await this.#drops.deleteMany(deleted);
  }

  async findExisting(dropIds: readonly string[]): Promise<Set<string>> {
    if (dropIds.length === 0) return new Set();
    const rows = await this.#drops
      .find({ _id: { $in: dropIds } }, { _id: 1 })
      .setOptions({ limit: dropIds.length, batchSize: dropIds.length })
      .lean<Pick<DropDocument, '_id'>[]>();
    return new Set(rows.map(({ _id }) => _id));
  }

  async findReferenced(versionIds: readonly string[]): Promise<Set<string>> {
    if (versionIds.length === 0) return new Set();
    if ((await this.#imports.find({ _id: 'unfinished' })) !== null) return new Set(versionIds);
    const among = { $in: versionIds };
    const all = { $concatArrays: ['$versions.id', '$trash'] };
    const rows = await this.#drops
      .find({ $or: [{ 'versions.id': among }, { trash: among }] })
      .select({ _id: 0, found: { $setIntersection: [{ $literal: versionIds }, all] } })
      .setOptions({ batchSize: versionIds.length + 1 }) // an id is in one drop only
      .lean<{ readonly found: readonly string[] }[]>();
    return new Set(rows.flatMap(({ found }) => found));
  }

  /** Removes the values from the list. @returns whether a drop matched */
  async #removeFrom(list: 'due' | 'trash', values: readonly string[], filter: object): Promise<boolean> {
    const removal = { $set: { [list]: { $setDifference: [`$${list}`, { $literal: values }] } } };
    const options = { updatePipeline: true };
    const updated = await this.#drops.updateOne(filter, [removal, noteWhetherPending], options);
    return updated.matchedCount > 0;
  }
}

/** The ids of all artefacts of these renderers that a drop's versions may have: every server joins ids by its index. */
function artefactIdsUpTo(renderer: number): object {
  const renderers = Array.from({ length: renderer }, (_, i) => i + 1);
  const idsOfVersion = renderers.map((each) => ({ $concat: ['$$this', artefactId('', each)] }));
  const concat = { $concatArrays: ['$$value', idsOfVersion] };
  return { $reduce: { input: '$versions.id', initialValue: [], in: concat } };
}

function toPendingDrop(row: PendingRow): PendingDrop {
  return {
    id: row._id,
    ownerId: row.owner,
    deleted: row.deleted_at !== null,
    rev: row.rev,
    pending: row.due,
    versions: row.versions.map(({ id, has_context }) => ({ id, hasContext: has_context })),
    latestVersionId: row.head.id,
    trash: row.trash,
  };
}
