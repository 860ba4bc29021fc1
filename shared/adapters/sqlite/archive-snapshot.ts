import { accountRecord, type StoredAccount, toAccount } from '../../domain/account.ts';
import {
  type ArchivedAccount,
  type ArchivedDrop,
  type ArchivedKey,
  type ArchivedSecret,
  type ArchiveKind,
  type ArchiveRecord,
  secretNames,
  toArchivedDrop,
} from '../../domain/archive.ts';
import { reportRecord } from '../../domain/report.ts';
import { tokenRecord } from '../../domain/token.ts';
import type { ArchiveSnapshot } from '../../ports/archive-store.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import { auditTableOf } from './audit-log.ts';
import type { Snapshot } from './database.ts';
import {
  type DropRow,
  dropColumns,
  isLive,
  type OwnedVersionRow,
  ownedVersionColumns,
  toDrop,
  toOwnedVersion,
} from './drop-rows.ts';
import { tableOf } from './table.ts';

const recordsPerBatch = 1_000;
/** With up to 200 versions each. */
const dropsPerBatch = 100;

type ArchivedRow = [lockId: string | null, lockHash: string | null, ...drop: DropRow];
type VersionOfDrop = [dropId: string, ...version: OwnedVersionRow];
type DayOfDrop = [dropId: string, day: string, views: number];

type Reads = { readonly [K in ArchiveKind]: () => AsyncIterable<readonly ArchiveRecord<K>[]> };

/** @param now Unix ms: drops that have expired by then are left out */
export function createSqliteSnapshot(db: Snapshot, secrets: SecretStore, now: number): ArchiveSnapshot {
  const ofAccount = (column: string) =>
    `EXISTS (SELECT 1 FROM accounts AS a WHERE a.id = ${column} AND a.deleted_at IS NULL)`;
  const livingDrops = `
    SELECT lock_id, lock_hash, ${dropColumns} FROM drops WHERE ${isLive('$now')} AND ${ofAccount('owner_id')}`;
  const next = 'id > ? ORDER BY id LIMIT ?';
  const inDrops = 'drop_id IN (SELECT value FROM json_each(?))';
  const sql = {
    accounts: tableOf(db, accountRecord).select(`WHERE deleted_at IS NULL AND ${next}`),
    tokens: tableOf(db, tokenRecord).select(`WHERE ${ofAccount('account_id')} AND ${next}`),
    keys: db.prepare(`
      SELECT account_id AS accountId, key, hash, drop_id AS dropId, slug, version_id AS versionId,
        created_at AS createdAt
      FROM idempotency_keys WHERE is_done AND ${ofAccount('account_id')} AND (account_id, key) > (?, ?)
      ORDER BY account_id, key LIMIT ?`),
    drops: db.prepareTuples(`${livingDrops} AND id > $after ORDER BY id LIMIT $limit`),
    drop: db.prepareTuples(`${livingDrops} AND id = $id`),
    versions: db.prepareTuples(`
      SELECT drop_id, ${ownedVersionColumns} FROM drop_versions WHERE ${inDrops} ORDER BY drop_id, number`),
    days: db.prepareTuples(
      `SELECT drop_id, day, count FROM day_views WHERE ${inDrops} ORDER BY drop_id, day`,
    ),
    reports: tableOf(db, reportRecord).select(`WHERE ${next}`),
    audit: auditTableOf(db).select(`WHERE ${next}`),
    html: db.prepareTuples('SELECT bytes FROM html_blobs WHERE id = ?'),
    contexts: db.prepareTuples('SELECT bytes FROM context_blobs WHERE id = ?'),
  };

  const reads: Reads = {
    secrets: () => readSecrets(secrets),

    accounts: () =>
      readAll((last) => {
        return sql.accounts.all(last?.id ?? '', recordsPerBatch).map(toArchivedAccount);
      }),

    tokens: () => readAll((last) => sql.tokens.all(last?.id ?? '', recordsPerBatch)),

    'idempotency-keys': () =>
      readAll((last) => {
        const rows = sql.keys.all(last?.accountId ?? '', last?.key ?? '', recordsPerBatch);
        return rows as ArchivedKey[]; // proof: the columns selected
      }),

    drops: () =>
      readAll(
        (last) =>
          toDrops(sql.drops.all({ now, after: last?.id ?? '', limit: dropsPerBatch }) as ArchivedRow[]), // proof: `livingDrops`
      ),

    reports: () => readAll((last) => sql.reports.all(last?.id ?? '', recordsPerBatch)),

    'audit-log': () => readAll((last) => sql.audit.all(last?.id ?? '', recordsPerBatch)),
  };

  function toDrops(rows: readonly ArchivedRow[]): ArchivedDrop[] {
    const ids = JSON.stringify(rows.map(([, , id]) => id));
    const versions = groupByDrop(sql.versions.all(ids) as VersionOfDrop[], toOwnedVersion); // proof: the columns selected
    const days = groupByDrop(sql.days.all(ids) as DayOfDrop[], (day) => day); // proof: the columns selected
    return rows.map(([lockId, lockHash, ...row]) => {
      const drop = toDrop(row);
      return toArchivedDrop(drop, {
        lock: lockId === null || lockHash === null ? null : { id: lockId, hash: lockHash },
        versions: versions.get(drop.id) ?? [],
        days: days.get(drop.id) ?? [],
      });
    });
  }

  return {
    read: (kind) => reads[kind](),

    async readDropAgain(id) {
      return toDrops(sql.drop.all({ now, id }) as ArchivedRow[])[0] ?? null; // proof: `livingDrops`
    },

    async readBlob(blobs, versionId) {
      const row = sql[blobs].get(versionId) as [Uint8Array] | undefined; // proof: the column selected
      return row?.[0] ?? null;
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

/** @param list the batch after that record; null: the first one */
async function* readAll<T>(list: (last: T | null) => readonly T[]): AsyncGenerator<readonly T[]> {
  let batch = list(null);
  while (batch.length > 0) {
    yield batch;
    batch = list(batch.at(-1) ?? null);
  }
}

/** @param rows the id of the drop, then the columns of the item */
function groupByDrop<Row extends unknown[], T>(
  rows: readonly [dropId: string, ...Row][],
  toItem: (row: Row) => T,
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const [dropId, ...row] of rows) {
    const group = groups.get(dropId) ?? [];
    group.push(toItem(row));
    groups.set(dropId, group);
  }
  return groups;
}

function toArchivedAccount(stored: StoredAccount): ArchivedAccount {
  const { day, dayCount: count } = stored;
  return { ...toAccount(stored), dayWrites: day === '' ? null : { day, count } };
}
