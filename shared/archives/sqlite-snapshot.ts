import { columnOf } from '../domain/record.ts';
import {
  type DropRow,
  dropColumns,
  isLive,
  type OwnedVersionRow,
  ownedVersionColumns,
  toDrop,
  toOwnedVersion,
} from '../drops/sqlite-rows.ts';
import { auditColumns } from '../moderation/sqlite.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { Database, Snapshot } from '../sqlite/database.ts';
import { type Table, tableOf } from '../sqlite/table.ts';
import {
  type ArchivedDrop,
  type ArchivedSecret,
  type ArchiveKind,
  type ArchiveRecord,
  secretNames,
  toArchivedDrop,
} from './archive.ts';
import type { ArchiveSnapshot } from './archive-store.ts';
import { archiveTables, type TableKind } from './archive-tables.ts';

const recordsPerBatch = 1_000;
/** With up to 200 versions each. */
const dropsPerBatch = 100;

type ArchivedRow = [lockId: string | null, lockHash: string | null, ...drop: DropRow];

/** @param now Unix ms: drops that have expired by then are left out */
export function createSqliteSnapshot(db: Snapshot, secrets: SecretStore, now: number): ArchiveSnapshot {
  const liveDrops = `SELECT lock_id, lock_hash, ${dropColumns} FROM drops WHERE ${isLive('$now')}`;
  const inDrops = 'drop_id IN (SELECT value FROM json_each(?)) ORDER BY drop_id';
  const sql = {
    drops: db.prepareTuples<ArchivedRow>(`${liveDrops} AND id > $after ORDER BY id LIMIT ${dropsPerBatch}`),
    drop: db.prepareTuples<ArchivedRow>(`${liveDrops} AND id = $id`),
    versions: db.prepareTuples<[dropId: string, ...OwnedVersionRow]>(
      `SELECT drop_id, ${ownedVersionColumns} FROM drop_versions WHERE ${inDrops}, number`,
    ),
    days: db.prepareTuples<[dropId: string, day: string, views: number]>(
      `SELECT drop_id, day, count FROM day_views WHERE ${inDrops}, day`,
    ),
    html: db.prepareTuples<[bytes: Uint8Array]>('SELECT bytes FROM html_blobs WHERE id = ?'),
    contexts: db.prepareTuples<[bytes: Uint8Array]>('SELECT bytes FROM context_blobs WHERE id = ?'),
  };

  async function* readDrops(): AsyncGenerator<readonly ArchivedDrop[]> {
    let drops = toDrops(sql.drops.all({ now, after: '' }));
    for (let last = drops.at(-1); last !== undefined; last = drops.at(-1)) {
      yield drops;
      drops = toDrops(sql.drops.all({ now, after: last.id }));
    }
  }

  function toDrops(rows: readonly ArchivedRow[]): ArchivedDrop[] {
    const ids = JSON.stringify(rows.map(([, , id]) => id));
    const versions = groupByDrop(sql.versions.all(ids));
    const days = groupByDrop(sql.days.all(ids));
    return rows.map(([lockId, lockHash, ...row]) => {
      const drop = toDrop(row);
      return toArchivedDrop(drop, {
        lock: lockId === null || lockHash === null ? null : { id: lockId, hash: lockHash },
        versions: (versions.get(drop.id) ?? []).map(([, ...version]) => toOwnedVersion(version)),
        days: (days.get(drop.id) ?? []).map(([, ...day]) => day),
      });
    });
  }

  function read(kind: ArchiveKind): AsyncIterable<readonly ArchiveRecord[]> {
    if (kind === 'secrets') return readSecrets(secrets);
    return kind === 'drops' ? readDrops() : readTable(db, kind);
  }

  return {
    read: <K extends ArchiveKind>(kind: K) => read(kind) as AsyncIterable<ArchiveRecord<K>[]>, // proof: of that kind

    readDropAgain: async (id) => toDrops(sql.drop.all({ now, id }))[0] ?? null,

    async readBlobs(folder, ids) {
      const found = ids.map((id) => [id, sql[folder].get(id)?.[0]] as const);
      return new Map(found.filter((each): each is [string, Uint8Array] => each[1] !== undefined));
    },

    close: async () => db.close(),
  };
}

async function* readSecrets(secrets: SecretStore): AsyncGenerator<readonly ArchivedSecret[]> {
  for (const name of secretNames) {
    const value = await secrets.find(name);
    if (value !== null) yield [{ name, value }];
  }
}

/** The table of the kind, with any of its records. */
export function openTable(
  db: Pick<Database, 'prepare' | 'prepareTuples'>,
  kind: TableKind,
): Table<Readonly<Record<string, unknown>>> {
  const { record } = archiveTables[kind];
  return tableOf(db, record, kind === 'audit-log' ? auditColumns : {});
}

async function* readTable(db: Snapshot, kind: TableKind): AsyncGenerator<readonly ArchiveRecord[]> {
  const { record, toArchived } = archiveTables[kind];
  const key = record.key.map(columnOf).join(', ');
  const after = record.key.map(() => '?').join(', ');
  const next = openTable(db, kind).select(
    `WHERE (${key}) > (${after}) ORDER BY ${key} LIMIT ${recordsPerBatch}`,
  );
  let rows = next.all(...record.key.map(() => ''));
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    yield rows.map(toArchived).filter((archived) => archived !== null);
    const lastKey = record.key.map((name) => String(last?.[name]));
    rows = next.all(...lastKey);
  }
}

/** @param rows the id of the drop first */
function groupByDrop<Row extends readonly [string, ...unknown[]]>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row[0]) ?? [];
    group.push(row);
    groups.set(row[0], group);
  }
  return groups;
}
