import type { Database, Statement } from '../sqlite/database.ts';
import type { Drop } from './drop.ts';

/** The rows by which people find the drops on which they stand, one for each person of a live drop. */
export class SqlitePeople {
  readonly #insert: Statement;
  readonly #remove: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO drop_people (person, drop_id) VALUES (?, ?)');
    this.#remove = db.prepare('DELETE FROM drop_people WHERE person = ? AND drop_id = ?');
  }

  /** To be called inside a write of the database. */
  replace(dropId: string, from: Drop['people'], to: Drop['people']): void {
    const before = new Set(from);
    const after = new Set(to);
    for (const person of before) if (!after.has(person)) this.#remove.run(person, dropId);
    for (const person of after) if (!before.has(person)) this.#insert.run(person, dropId);
  }
}
