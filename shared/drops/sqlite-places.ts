import { randomInt } from 'node:crypto';
import type { Database } from '../sqlite/database.ts';
import { pickPlace } from '../util/random-picks.ts';

/** The numbered places of an owner's live drops below the cap. */
export class SqlitePlaces {
  readonly #isTaken;
  readonly #list;

  constructor(db: Database) {
    this.#isTaken = db.prepareTuples(`
      SELECT 1 FROM drops WHERE owner_id = $ownerId AND deleted_at IS NULL AND place = $place
      UNION ALL
      SELECT 1 FROM drops WHERE owner_id = $ownerId AND deleted_at IS NULL AND place >= $cap LIMIT 1`);
    this.#list = db.prepareTuples<[place: number]>(`
      SELECT place FROM drops INDEXED BY drops_one_per_place
      WHERE owner_id = ? AND deleted_at IS NULL LIMIT ?`);
  }

  /** null: none is free. All places are read only if a guess is taken, or the cap was lowered. */
  findFree(ownerId: string, cap: number): number | null {
    if (cap < 1) return null;
    const guess = randomInt(cap);
    if (this.#isTaken.get({ ownerId, place: guess, cap }) === undefined) return guess;
    const taken = this.#list.all(ownerId, cap).map(([place]) => place);
    return pickPlace(taken, cap);
  }
}
