import { columnOf, type RecordOf, type StoredRecord } from '../domain/record.ts';
import { inParts } from '../util/in-parts.ts';
import type { Database, Value, Values } from './database.ts';

export type Row = readonly Value[];

/** The fields of a record as columns. */
export interface Columns<T> {
  readonly names: readonly string[];
  /** Adds the fields to the object. @param from the column of the first one */
  read<O extends object>(row: Row, into: O, from?: number): O & T;
  /** In the order of `names`. */
  valuesOf(record: T): Value[];
}

/** A stored record (domain/record.ts) in SQLite. */
export interface Table<T> {
  /** `tokens.id, tokens.hash, …`: what `read` expects. */
  readonly columns: string;
  /** A function that returns the first record of `SELECT … FROM tokens` and the rest of the statement; null: none. */
  find(rest: string): (...values: Values) => Promise<T | null>;
  /** As `find`, with all records. */
  list(rest: string): (...values: Values) => Promise<T[]>;
  /** A function that runs a statement and returns the record that it has changed. To be called inside `Database.write`. */
  changing(sql: string): (...values: Values) => T | null;
  /**
   * Inserts a record inside `Database.write`; false: nothing was stored. @param rest such as `ON CONFLICT (id) DO NOTHING`
   */
  inserting(rest?: string): (record: T) => boolean;
  read(row: Row): T;
}

/** @param columnNamed by default `columnOf` */
export function columnsOf<R extends StoredRecord>(
  { names, fields }: R,
  columnNamed: (name: string) => string = columnOf,
): Columns<RecordOf<R>> {
  type T = RecordOf<R>;
  const isFlag = names.map((name) => fields[name]?.type === 'flag');
  const isJson = names.map((name) => fields[name]?.type === 'object');
  return {
    names: names.map(columnNamed),

    /** A loop: `Object.fromEntries` and spread objects are slow (docs/performance.md). */
    read<O extends object>(row: Row, into: O, from = 0) {
      const found = into as Record<string, unknown>; // proof: it gets more fields
      names.forEach((name, n) => {
        const value = row[from + n];
        if (isFlag[n]) found[name] = value !== 0;
        else found[name] = isJson[n] && typeof value === 'string' ? JSON.parse(value) : value;
      });
      return found as O & T; // proof: tables are STRICT, so the columns have the types of the fields
    },

    valuesOf: (stored: T) =>
      names.map((name, n) => {
        const value = stored[name] as Value | boolean; // proof: the types of fields, except JSON
        if (isJson[n]) return value === null ? null : JSON.stringify(value);
        return typeof value === 'boolean' ? Number(value) : value;
      }),
  };
}

/** @param renamed columns that have another name than `columnOf` */
export function tableOf<R extends StoredRecord>(
  db: Pick<Database, 'prepare' | 'prepareTuples'>,
  record: R,
  renamed: { readonly [N in keyof R['fields']]?: string } = {},
): Table<RecordOf<R>> {
  type T = RecordOf<R>;
  const { name: table } = record;
  const {
    names: own,
    read: readInto,
    valuesOf,
  } = columnsOf(record, (name) => renamed[name] ?? columnOf(name));
  const columns = own.map((column) => `${table}.${column}`).join(', ');
  const read = (row: Row): T => readInto(row, {});

  function first(sql: string) {
    const statement = db.prepareTuples<Row>(sql);
    return (...values: Values) => {
      const row = statement.get(...values);
      return row === undefined ? null : read(row);
    };
  }

  return {
    columns,

    find(rest) {
      const find = first(`SELECT ${columns} FROM ${table} ${rest}`);
      return async (...values) => find(...values);
    },

    list(rest) {
      const statement = db.prepareTuples<Row>(`SELECT ${columns} FROM ${table} ${rest}`);
      return async (...values) => statement.all(...values).map(read);
    },

    changing: (sql) => first(`${sql} RETURNING ${columns}`),

    inserting(rest = '') {
      const insert = db.prepare(`${insertSql(table, own)} ${rest}`);
      return (stored) => insert.run(...valuesOf(stored)).changes > 0;
    },
    read,
  };
}

/** SQL: values are positional. */
export function insertSql(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** Deleting so many tokens takes up to three milliseconds. */
const rowsPerWrite = 50;

/**
 * Writes in parts, with other work between. @param change changes at most `limit` rows inside a write and returns how many: fewer
 * if none is left @returns how many
 */
export function changeInParts(db: Database, change: (limit: number) => number): Promise<number> {
  return inParts(rowsPerWrite, (limit) => db.write(() => change(limit)));
}

/**
 * Returns a function that deletes the records of the condition, such as `expires_at < ?`, in parts, and writes nothing if there
 * is none.
 */
export function removalOf(
  db: Database,
  { name, key }: Pick<StoredRecord, 'name' | 'key'>,
  condition: string,
): (value: Value) => Promise<void> {
  const keys = key.map(columnOf).join(', ');
  const isAny = db.prepareTuples(`SELECT 1 FROM ${name} WHERE ${condition} LIMIT 1`);
  const remove = db.prepare(
    `DELETE FROM ${name} WHERE (${keys}) IN (SELECT ${keys} FROM ${name} WHERE ${condition} LIMIT ?)`,
  );
  return async (value) => {
    if (isAny.get(value) !== undefined) await changeInParts(db, (limit) => remove.run(value, limit).changes);
  };
}

/** Deleting a large blob, which is overwritten with zeros, blocks the event loop (docs/performance.md). */
const blobsPerWrite = 2;

/** Lists and deletes what a table of blobs has by id. Not atomic. */
export function blobIds(db: Database, table: string, column: string) {
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${column} = ?`);
  const list = db.prepareTuples<[id: string]>(`
    SELECT DISTINCT ${column} FROM ${table} WHERE ${column} > ? AND ${column} < ? ORDER BY ${column} LIMIT ?`);
  return {
    async delete(ids: readonly string[]): Promise<void> {
      for (let from = 0; from < ids.length; from += blobsPerWrite) {
        await db.write(() => {
          for (const id of ids.slice(from, from + blobsPerWrite)) remove.run(id);
        });
      }
    },

    async listIds(after: string, below: string, limit: number): Promise<string[]> {
      return list.all(after, below, limit).map(([id]) => id);
    },
  };
}
