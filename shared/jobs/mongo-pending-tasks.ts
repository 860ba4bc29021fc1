import type { Connection } from 'mongoose';
import { importCollection } from '../archives/mongo.ts';
import { type DropDocument, dropModel, type VersionDocument } from '../drops/mongo-schema.ts';
import { removeExpired } from '../drops/mongo-updates.ts';
import { forRequests } from '../mongo/errors.ts';
import { artefactId, artefactRecord, rendererOf, versionOf } from '../renders/mongo.ts';
import { daysOf, dayViewsCollection } from '../views/mongo.ts';
import type { DropTasks, PendingTaskStore } from './pending-task-store.ts';

type TasksRow = Pick<DropDocument, '_id' | 'owner' | 'deleted_at' | 'rev' | 'due' | 'trash'> & {
  readonly versions: readonly Pick<VersionDocument, 'id' | 'has_context'>[];
  readonly head: Pick<VersionDocument, 'id'>;
};

const tasksFields = {
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

/** Follows each removal of tasks or trash; see `DropDocument.chores`. */
const updateChores = {
  $set: { chores: { $or: [{ $ne: ['$due', []] }, { $ne: ['$trash', []] }, { $ne: ['$deleted_at', null] }] } },
};

export function createMongoPendingTaskStore(connection: Connection): PendingTaskStore {
  const drops = dropModel(connection);
  const days = dayViewsCollection.in(connection);
  const imports = importCollection.in(connection);

  /** Removes the values from the list. @returns whether a drop matched */
  async function removeFrom(
    list: 'due' | 'trash',
    values: readonly string[],
    filter: object,
  ): Promise<boolean> {
    const removal = { $set: { [list]: { $setDifference: [`$${list}`, { $literal: values }] } } };
    const options = { updatePipeline: true };
    return (await drops.updateOne(filter, [removal, updateChores], options)).matchedCount > 0;
  }

  return forRequests<PendingTaskStore>(connection, {
    async find(dropId) {
      const row = await drops.findById(dropId, tasksFields).lean<TasksRow>();
      return row === null ? null : toTasks(row);
    },

    async findForRender(dropId, renderer) {
      const renderers = Array.from({ length: renderer }, (_, i) => i + 1);
      // By id, which every server joins by its index. Ascending, so that the newest one comes last.
      const idsOfVersion = renderers.map((each) => ({ $concat: ['$$this', artefactId('', each)] }));
      const concat = { $concatArrays: ['$$value', idsOfVersion] };
      const ids = { $reduce: { input: '$versions.id', initialValue: [], in: concat } };
      const [row] = await drops.aggregate<TasksRow & { readonly artefacts: readonly { _id: string }[] }>([
        { $match: { _id: dropId } },
        { $project: { ...tasksFields, artefact_ids: ids } },
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
      const found = row.artefacts.map(({ _id }) => _id).sort();
      return { ...toTasks(row), renderers: new Map(found.map((id) => [versionOf(id), rendererOf(id)])) };
    },

    async listPending(before, after, limit) {
      const isAfter = after !== null && {
        changed_at: { $gte: after.changedAt, $lt: before },
        $or: [{ changed_at: { $gt: after.changedAt } }, { _id: { $gt: after.id } }],
      };
      const rows = await drops
        .find({ chores: true, changed_at: { $lt: before }, ...isAfter }, { changed_at: 1 })
        .setOptions({ sort: { changed_at: 1, _id: 1 }, limit, batchSize: limit, hint: 'drops_chores' })
        .lean<Pick<DropDocument, '_id' | 'changed_at'>[]>();
      return rows.map(({ _id, changed_at }) => ({ changedAt: changed_at, id: _id }));
    },

    removeExpired: (now, limit) => removeExpired(drops, null, now, limit),

    clearTask: (dropId, task, rev) => removeFrom('due', [task], { _id: dropId, rev }),

    async clearTrash(dropId, versionIds) {
      await removeFrom('trash', versionIds, { _id: dropId });
    },

    async erase(dropId) {
      const deleted = { _id: dropId, deleted_at: { $ne: null } };
      if ((await drops.exists(deleted)) === null) return;
      await days.remove(daysOf(dropId));
      await drops.deleteMany(deleted);
    },

    async findExisting(dropIds) {
      if (dropIds.length === 0) return new Set();
      const rows = await drops
        .find({ _id: { $in: dropIds } }, { _id: 1 })
        .setOptions({ limit: dropIds.length, batchSize: dropIds.length })
        .lean<Pick<DropDocument, '_id'>[]>();
      return new Set(rows.map(({ _id }) => _id));
    },

    async findReferenced(versionIds) {
      if (versionIds.length === 0) return new Set();
      if ((await imports.find({ _id: 'unfinished' })) !== null) return new Set(versionIds);
      const among = { $in: versionIds };
      const all = { $concatArrays: ['$versions.id', '$trash'] };
      const rows = await drops
        .find({ $or: [{ 'versions.id': among }, { trash: among }] })
        .select({ _id: 0, found: { $setIntersection: [{ $literal: versionIds }, all] } })
        .setOptions({ batchSize: versionIds.length + 1 }) // an id is in one drop only
        .lean<{ readonly found: readonly string[] }[]>();
      return new Set(rows.flatMap(({ found }) => found));
    },
  });
}

function toTasks(row: TasksRow): DropTasks {
  return {
    id: row._id,
    ownerId: row.owner,
    deleted: row.deleted_at !== null,
    rev: row.rev,
    tasks: row.due,
    versions: row.versions.map(({ id, has_context }) => ({ id, hasContext: has_context })),
    latestVersionId: row.head.id,
    trash: row.trash,
  };
}
