import type { Database, Statement } from '../sqlite/database.ts';
import { type DropQuery, sortFields, sortOrders } from './drop-query.ts';
import { isLive } from './sqlite-rows.ts';

/** SQL: the live drops of an owner. Without the index's name SQLite may read every row. */
export const liveOfOwner = `drops INDEXED BY drops_by_owner WHERE owner_id = $ownerId AND ${isLive('$now')}`;

/** SQL: ids of drops of the owner that have expired. */
export const expiredOfOwner = `SELECT id FROM drops INDEXED BY drops_by_owner
  WHERE owner_id = $ownerId AND deleted_at IS NULL AND expires_at <= $now`;

/** SQL: live drops by an index without the time of expiry. Reading rows takes ten times as long. */
function liveBy(index: string): string {
  return `drops INDEXED BY ${index} WHERE owner_id = $ownerId AND deleted_at IS NULL AND id NOT IN (${expiredOfOwner})`;
}

/** Where lists find their ids: in the descending order of an index, or the ascending one of titles. */
const sources = {
  created_at: { from: liveOfOwner, by: 'created_at' },
  updated_at: { from: liveBy('drops_by_change'), by: 'updated_at' },
  view_count: { from: liveBy('drops_by_views'), by: 'view_count' },
  title: { from: liveBy('drops_by_title'), by: 'folded_title' },
} as const satisfies Record<DropQuery['sortBy'], object>;

/** SQL: whether a drop has each of the `$count` distinct pairs. */
const matches = `id IN (
  SELECT drop_id FROM json_each($pairs) AS pair CROSS JOIN drop_metadata AS entry
  WHERE entry.owner_id = $ownerId AND entry.key = pair.value ->> 0 AND entry.value = pair.value ->> 1
  GROUP BY drop_id HAVING count(*) = $count)`;

/** Returns its rows as one JSON text. */
export type Rows = Statement<[json: string]>;

/** Lists of ids in one order. */
export interface ListStatements {
  /** A page of all drops. */
  readonly page: Rows;
  readonly ids: Rows;
  /** Of the drops that match a filter. */
  readonly matchingIds: Rows;
}

/** The statements that list drops in SQLite, prepared once for each field and order that drops are sorted by. */
export class SqliteLists {
  readonly #byOrder = new Map<string, ListStatements>();

  constructor(db: Database) {
    for (const field of sortFields)
      for (const order of sortOrders) this.#byOrder.set(`${field} ${order}`, prepareList(db, field, order));
  }

  in({ sortBy, sortOrder }: Pick<DropQuery, 'sortBy' | 'sortOrder'>): ListStatements {
    const statements = this.#byOrder.get(`${sortBy} ${sortOrder}`);
    if (statements === undefined) throw new TypeError(`Drops cannot be sorted by ${sortBy} ${sortOrder}`);
    return statements;
  }
}

function prepareList(
  db: Database,
  field: DropQuery['sortBy'],
  order: DropQuery['sortOrder'],
): ListStatements {
  const ties = field === 'created_at' ? 'id' : 'created_at DESC, id';
  const { from: source, by } = sources[field];
  const sorted = `ORDER BY ${by} ${order}, ${ties}`;
  return {
    page: prepareRows(db, 'id', `${source} ${sorted} LIMIT $limit OFFSET $offset`),
    ids: prepareRows(db, 'id', `${source} ${sorted}`),
    matchingIds: prepareRows(db, 'id', `${source} AND ${matches} ${sorted}`),
  };
}

/** As one JSON text: a page of single values takes twice as long to read from SQLite. */
export function prepareRows(db: Database, columns: string, from: string): Rows {
  return db.prepareTuples(`
    SELECT json_group_array(json_array(${columns})) FROM (SELECT ${columns} FROM ${from})`);
}

/** @param statement an aggregate, which always has one row */
export function aggregate<T>(statement: Statement<[T]>, values: Record<string, string | number>): T {
  const row = statement.get(values);
  if (row === undefined) throw new Error('an aggregate returned no row');
  return row[0];
}

export function readIds(statement: Rows, values: Record<string, string | number>): string[] {
  const rows: [id: string][] = JSON.parse(aggregate(statement, values));
  return rows.flat();
}
