import { wholeCommentsOf } from '../comments/sqlite-rows.ts';
import { columnOf } from '../domain/record.ts';
import {
  type DropRow,
  dropColumns,
  isLive,
  toDrop,
  toOwnedVersion,
  type VersionRow,
  versionColumns,
} from '../drops/sqlite-rows.ts';
import { auditColumns } from '../moderation/sqlite.ts';
import type { Database, Snapshot } from '../sqlite/database.ts';
import { type Table, tableOf } from '../sqlite/table.ts';
import {
  type ArchivedDrop,
  type ArchiveRecord,
  archiveTables,
  recordsPerBatch,
  type TableKind,
  toArchivedDrop,
} from './archive.ts';
import type { ArchiveSnapshot, BlobFolder, StoredKind } from './archive-store.ts';

/** With up to 200 versions each. */
const dropsPerBatch = 100;

type ArchivedRow = [
  lockId: string | null,
  lockHash: string | null,
  versions: string,
  days: string,
  ...DropRow,
];

/** Reads all records for an archive, as they were at one moment. */
export class SqliteSnapshot implements ArchiveSnapshot {
  readonly #db: Snapshot;
  readonly #now: number;
  readonly #sql: ReturnType<typeof prepare>;

  /** @param now Unix ms: drops that have expired by then are left out */
  constructor(db: Snapshot, now: number) {
    this.#db = db;
    this.#now = now;
    this.#sql = prepare(db);
  }

  read<K extends StoredKind>(kind: StoredKind): AsyncIterable<readonly ArchiveRecord<K>[]> {
    const records = kind === 'drops' ? this.#readDrops() : readTable(this.#db, kind);
    return records as AsyncIterable<readonly ArchiveRecord<K>[]>; // proof: of that kind
  }

  async readDropAgain(id: string): Promise<ArchivedDrop | null> {
    return this.#sql.drop.all({ now: this.#now, id }).map(toArchived)[0] ?? null;
  }

  async readBlobs(folder: BlobFolder, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = ids.map((id) => [id, this.#sql[folder].get(id)?.[0]] as const);
    return new Map(found.filter((each): each is [string, Uint8Array] => each[1] !== undefined));
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  async *#readDrops(): AsyncGenerator<readonly ArchivedDrop[]> {
    const now = this.#now;
    let drops = this.#sql.drops.all({ now, after: '' }).map(toArchived);
    for (let last = drops.at(-1); last !== undefined; last = drops.at(-1)) {
      yield drops;
      drops = this.#sql.drops.all({ now, after: last.id }).map(toArchived);
    }
  }
}

function prepare(db: Snapshot) {
  const liveDrops = `
    SELECT lock_id, lock_hash,
      (SELECT json_group_array(json_array(${versionColumns}) ORDER BY number)
        FROM drop_versions WHERE drop_id = drops.id),
      (SELECT json_group_array(json_array(day, count) ORDER BY day) FROM day_views WHERE drop_id = drops.id),
      ${dropColumns}
    FROM drops WHERE ${isLive('$now')}`;
  return {
    drops: db.prepareTuples<ArchivedRow>(`${liveDrops} AND id > $after ORDER BY id LIMIT ${dropsPerBatch}`),
    drop: db.prepareTuples<ArchivedRow>(`${liveDrops} AND id = $id`),
    html: db.prepareTuples<[bytes: Uint8Array]>('SELECT bytes FROM html_blobs WHERE id = ?'),
    contexts: db.prepareTuples<[bytes: Uint8Array]>('SELECT bytes FROM context_blobs WHERE id = ?'),
  };
}

function toArchived([lockId, lockHash, versions, days, ...row]: ArchivedRow): ArchivedDrop {
  const versionRows: VersionRow[] = JSON.parse(versions);
  return toArchivedDrop(toDrop(row), {
    lock: lockId === null || lockHash === null ? null : { id: lockId, hash: lockHash },
    versions: versionRows.map(toOwnedVersion),
    days: JSON.parse(days),
  });
}

async function* readTable(db: Snapshot, kind: TableKind): AsyncGenerator<readonly ArchiveRecord[]> {
  const { record, toArchived } = archiveTables[kind];
  const key = record.key.map(columnOf).join(', ');
  const after = record.key.map(() => '?').join(', ');
  const next = openTable(db, kind).list(
    `WHERE (${key}) > (${after}) ORDER BY ${key} LIMIT ${recordsPerBatch(kind)}`,
  );
  let rows = await next(...record.key.map(() => ''));
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    yield rows.map(toArchived).filter((archived) => archived !== null);
    const lastKey = record.key.map((name) => String(last?.[name]));
    rows = await next(...lastKey);
  }
}

/** The table of the kind, with any of its records. */
export function openTable(
  db: Pick<Database, 'prepare' | 'prepareTuples'>,
  kind: TableKind,
): Pick<Table<Readonly<Record<string, unknown>>>, 'list' | 'inserting'> {
  // proof: its archived records
  if (kind === 'comments') return wholeCommentsOf(db) as unknown as ReturnType<typeof openTable>;
  return tableOf(db, archiveTables[kind].record, kind === 'audit-log' ? auditColumns : {});
}
