import { type Drop, type DropQuery, sortFields, sortOrders } from '../../domain/drop.ts';
import type { Database, Statement } from './database.ts';
import { type DropRow, dropColumns, toDrop } from './drop-rows.ts';

/** The live drops of an owner. */
const all = 'drops WHERE owner_id = $ownerId AND deleted_at IS NULL';

/** Their ids, where the metadata holds each of the `$count` distinct pairs. Deleted drops have no such rows. */
const matching = `
  SELECT drop_id FROM json_each($pairs) AS pair CROSS JOIN drop_metadata AS entry
  WHERE entry.owner_id = $ownerId AND entry.key = pair.value ->> 0 AND entry.value = pair.value ->> 1
  GROUP BY drop_id HAVING count(*) = $count`;

/** Reads pages of owners' lists. One statement for each order, whatever the filter holds. */
export function createDropList(db: Database) {
  const countAll = db.prepareTuples(`SELECT count(*) FROM ${all}`);
  const countMatching = db.prepareTuples(`SELECT count(*) FROM (${matching})`);
  const listAll = new Map<string, Statement>();
  const listMatching = new Map<string, Statement>();
  for (const field of sortFields) {
    for (const order of sortOrders) {
      const ties = field === 'created_at' ? 'id' : 'created_at DESC, id';
      const page = `ORDER BY ${field} ${order}, ${ties} LIMIT $limit OFFSET $offset`;
      const found = `(${matching}) CROSS JOIN drops ON id = drop_id`;
      listAll.set(`${field} ${order}`, prepareList(`SELECT ${dropColumns} FROM ${all} ${page}`));
      listMatching.set(`${field} ${order}`, prepareList(`SELECT ${dropColumns} FROM ${found} ${page}`));
    }
  }

  /** As one text: a page of values takes twice as long to cross from SQLite one by one. */
  function prepareList(select: string): Statement {
    return db.prepareTuples(`SELECT json_group_array(json_array(${dropColumns})) FROM (${select})`);
  }

  function count(ownerId: string): number {
    const [total] = countAll.get({ ownerId }) as [number]; // proof: an aggregate has always its one row
    return total;
  }

  function read(statement: Statement | undefined, values: Record<string, string | number>): Drop[] {
    if (statement === undefined) throw new TypeError('Drops cannot be sorted so');
    const [rows] = statement.get(values) as [string]; // proof: an aggregate has always its one row
    return (JSON.parse(rows) as DropRow[]).map(toDrop); // proof: `dropColumns`
  }

  return {
    count,

    list(ownerId: string, query: DropQuery): { drops: Drop[]; total: number } {
      const { page, pageSize: limit, sortBy, sortOrder, metadata } = query;
      const pairs = new Map(metadata);
      if (metadata.some(([key, value]) => pairs.get(key) !== value)) return { drops: [], total: 0 };
      const offset = (page - 1) * limit;
      const filter = { ownerId, pairs: JSON.stringify([...pairs]), count: pairs.size };
      const total = pairs.size === 0 ? count(ownerId) : (countMatching.get(filter) as [number])[0]; // proof: as above
      if (offset >= total) return { drops: [], total }; // also where the offset is more than SQLite can count
      const sort = `${sortBy} ${sortOrder}`;
      const drops =
        pairs.size === 0
          ? read(listAll.get(sort), { ownerId, limit, offset })
          : read(listMatching.get(sort), { ...filter, limit, offset });
      return { drops, total };
    },
  };
}
