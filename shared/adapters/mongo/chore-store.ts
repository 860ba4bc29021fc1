import type { Connection } from 'mongoose';
import type { ChoreStore } from '../../ports/chore-store.ts';
import { answerMs } from './bounds.ts';
import { createDropCommands } from './drop-commands.ts';
import { type ChoresRow, type PositionRow, toChores } from './drop-documents.ts';
import { atRev, choresOf, deletedWithId, naming, withChores, withId } from './drop-queries.ts';
import { withoutOwed, withoutTrash } from './drop-updates.ts';
import { translated } from './errors.ts';
import { daysOf, dayViewsModel } from './view-totals.ts';

export function createMongoChoreStore(connection: Connection): ChoreStore {
  const drops = createDropCommands(connection);
  const days = dayViewsModel(connection);

  return translated<ChoreStore>(answerMs(connection), {
    async findChores(dropId) {
      const row = await drops.findOne<ChoresRow>(choresOf(dropId));
      return row === null ? null : toChores(row);
    },

    async listWithChores(before, after, limit) {
      const rows = await drops.find<PositionRow>(withChores(before, after, limit));
      return rows.map(({ _id, changed_at }) => ({ changedAt: changed_at, id: _id }));
    },

    clearOwed(dropId, owed, rev) {
      return drops.note(atRev(dropId, rev), withoutOwed(owed));
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

    async findNamed(versionIds) {
      if (versionIds.length === 0) return new Set();
      const rows = await drops.find<{ readonly named: readonly string[] }>(naming(versionIds));
      return new Set(rows.flatMap(({ named }) => named));
    },
  });
}
