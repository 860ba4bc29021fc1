import type { Connection } from 'mongoose';
import type { PendingTaskStore } from '../../ports/pending-task-store.ts';
import { answerMs } from './connection.ts';
import { createDropCommands } from './drop-commands.ts';
import { type PositionRow, type TasksRow, toDropTasks } from './drop-documents.ts';
import { atRev, deletedWithId, naming, tasksOf, withId, withTasks } from './drop-queries.ts';
import { withoutTask, withoutTrash } from './drop-updates.ts';
import { withTimeLimit } from './errors.ts';
import { daysOf, dayViewsModel } from './view-totals.ts';

export function createMongoPendingTaskStore(connection: Connection): PendingTaskStore {
  const drops = createDropCommands(connection);
  const days = dayViewsModel(connection);

  return withTimeLimit<PendingTaskStore>(answerMs(connection), {
    async find(dropId) {
      const row = await drops.findOne<TasksRow>(tasksOf(dropId));
      return row === null ? null : toDropTasks(row);
    },

    async listPending(before, after, limit) {
      const rows = await drops.find<PositionRow>(withTasks(before, after, limit));
      return rows.map(({ _id, changed_at }) => ({ changedAt: changed_at, id: _id }));
    },

    clearTask(dropId, task, rev) {
      return drops.note(atRev(dropId, rev), withoutTask(task));
    },

    async clearTrash(dropId, versionIds) {
      await drops.note(withId(dropId).filter, withoutTrash(versionIds));
    },

    async erase(dropId) {
      const deleted = deletedWithId(dropId);
      if (!(await drops.isThere(deleted))) return;
      await days.deleteMany(daysOf(dropId));
      await drops.erase(deleted);
    },

    async findReferenced(versionIds) {
      if (versionIds.length === 0) return new Set();
      const rows = await drops.find<{ readonly named: readonly string[] }>(naming(versionIds));
      return new Set(rows.flatMap(({ named }) => named));
    },
  });
}
