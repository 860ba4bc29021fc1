import { randomInt } from 'node:crypto';
import type { Database } from './database.ts';

/** So many guesses before the owner's places are read: one is enough where most are free. */
const guesses = 8;

/** Numbered places of an owner's live drops, 0 up to below the cap. Called inside a write. */
export function createDropPlaces(db: Database) {
  const live = 'FROM drops WHERE owner_id = ? AND deleted_at IS NULL';
  const sql = {
    isTaken: db.prepareTuples(`SELECT 1 ${live} AND place = ?`),
    isAnyBeyond: db.prepareTuples(`SELECT 1 ${live} AND place >= ? LIMIT 1`),
    count: db.prepareTuples(`SELECT count(*) ${live}`),
    list: db.prepareTuples(`SELECT place ${live} AND place < ? ORDER BY place`),
  };

  /** Places beyond a cap that was lowered since count too, though a lower one may be free. */
  function isFull(ownerId: string, cap: number): boolean {
    if (sql.isAnyBeyond.get(ownerId, cap) === undefined) return false;
    const [count] = sql.count.get(ownerId) as [number]; // proof: an aggregate has always its one row
    return count >= cap;
  }

  return {
    /** A random free place below the cap; null: none. */
    findFree(ownerId: string, cap: number): number | null {
      if (cap < 1 || isFull(ownerId, cap)) return null;
      for (let left = guesses; left > 0; left--) {
        const place = randomInt(cap);
        if (sql.isTaken.get(ownerId, place) === undefined) return place;
      }
      const taken = sql.list.all(ownerId, cap) as [number][]; // proof: the column selected; live ones have a place
      if (taken.length >= cap) return null;
      let place = randomInt(cap - taken.length); // counting the free ones only
      for (const [other] of taken) if (other <= place) place += 1;
      return place;
    },
  };
}
