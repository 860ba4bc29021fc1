import type { Clock } from '../domain/clock.ts';
import type { Takedown } from '../moderation/act.ts';
import type { ModerationStore } from '../moderation/moderation-store.ts';
import type { Database, Statement, Value } from '../sqlite/database.ts';
import type { Drop, PendingTask } from './drop.ts';
import { changed, type DropRow, dropColumns, isLive, taskValues, toDropOrNull } from './sqlite-rows.ts';

/** What moderators find and change of drops of every account, in SQLite. */
export class SqliteModeration implements ModerationStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#sql = prepare(db);
  }

  async findDrop(slug: string): Promise<Drop | null> {
    return this.#find(slug);
  }

  takeDown(slug: string, { at, reason }: Takedown, tasks: readonly PendingTask[]): Promise<Drop | null> {
    return this.#change(slug, this.#sql.takeDown, { now: at, reason, ...taskValues(tasks) });
  }

  restore(slug: string, now: number, tasks: readonly PendingTask[]): Promise<Drop | null> {
    return this.#change(slug, this.#sql.restore, { now, ...taskValues(tasks) });
  }

  #find(slug: string): Drop | null {
    return toDropOrNull(this.#sql.find.get(slug, this.#clock.now()));
  }

  #change(slug: string, statement: Statement, values: Record<string, Value>): Promise<Drop | null> {
    return this.#db.write(() => {
      const drop = this.#find(slug);
      if (drop === null) return null;
      statement.run({ id: drop.id, ...values });
      return toDropOrNull(this.#sql.findById.get(drop.id));
    });
  }
}

function prepare(db: Database) {
  return {
    find: db.prepareTuples<DropRow>(`SELECT ${dropColumns} FROM drops WHERE slug = ? AND ${isLive('?')}`),
    findById: db.prepareTuples<DropRow>(`SELECT ${dropColumns} FROM drops WHERE id = ?`),
    takeDown: db.prepare(`
      UPDATE drops SET taken_down_at = coalesce(taken_down_at, $now), takedown_reason = $reason, ${changed}
      WHERE id = $id`),
    restore: db.prepare(`
      UPDATE drops SET taken_down_at = NULL, takedown_reason = NULL, ${changed}
      WHERE id = $id AND taken_down_at IS NOT NULL`),
  };
}
