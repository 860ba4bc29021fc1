import { type ArchiveKind, type ArchiveRecord, archiveId } from '../../domain/archive.ts';
import type { ArchiveStore, UnfinishedImport } from '../../ports/archive-store.ts';
import type { BlobStore } from '../../ports/blob-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import { createArchiveInserts } from './archive-inserts.ts';
import { createSqliteSnapshot } from './archive-snapshot.ts';
import type { Database } from './database.ts';
import { isConstraint } from './result-codes.ts';

type Writes = { readonly [K in ArchiveKind]: (records: readonly ArchiveRecord<K>[]) => Promise<void> };

/** A mark that is there stays. Values: archive id, Unix ms. */
export const beginImportSql =
  'INSERT INTO imports (id, archive_id, begun_at) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING';

export function createSqliteArchiveStore(deps: {
  db: Database;
  html: BlobStore;
  contexts: BlobStore;
  /** Files beside the database. */
  secrets: SecretStore;
  clock: Clock;
}): ArchiveStore {
  const { db, html, contexts, secrets, clock } = deps;
  const blobStores = { html, contexts };
  const inserts = createArchiveInserts(db);
  const sql = {
    find: db.prepare('SELECT archive_id AS archiveId, begun_at AS begunAt FROM imports'),
    begin: db.prepare(beginImportSql),
    end: db.prepare('DELETE FROM imports'),
    count: db.prepare(`
      SELECT (SELECT count(*) FROM accounts) AS "accounts", (SELECT count(*) FROM tokens) AS "tokens",
        (SELECT count(*) FROM idempotency_keys) AS "idempotency-keys", (SELECT count(*) FROM drops) AS "drops",
        (SELECT count(*) FROM reports) AS "reports", (SELECT count(*) FROM audit_log) AS "audit-log"`),
  };

  /** All records or none. */
  function insertAll<K extends keyof typeof inserts>(
    kind: K,
  ): (records: readonly ArchiveRecord<K>[]) => Promise<void> {
    const insert: (record: ArchiveRecord<K>) => void = inserts[kind];
    return (records) =>
      db.write(() => {
        for (const record of records) {
          try {
            insert(record);
          } catch (cause) {
            if (!isConstraint(cause)) throw cause;
            throw new Error(`${kind} ${archiveId(kind, record)} cannot be stored: ${cause.message}`, {
              cause,
            });
          }
        }
      });
  }

  const writes: Writes = {
    async secrets(records) {
      for (const { name, value } of records) await secrets.replace(name, value);
    },
    accounts: insertAll('accounts'),
    tokens: insertAll('tokens'),
    'idempotency-keys': insertAll('idempotency-keys'),
    drops: insertAll('drops'),
    reports: insertAll('reports'),
    'audit-log': insertAll('audit-log'),
  };

  return {
    openSnapshot: async () => createSqliteSnapshot(db.openSnapshot(), secrets, clock.now()),

    async countRecords() {
      const counts = Object.entries(sql.count.get() as Record<ArchiveKind, number>); // proof: the columns selected
      return Object.fromEntries(counts.filter(([, records]) => records > 0));
    },

    async findUnfinishedImport() {
      return (sql.find.get() ?? null) as UnfinishedImport | null; // proof: the columns selected
    },

    async beginImport({ archiveId: id, begunAt }) {
      await db.write(() => sql.begin.run(id, begunAt));
    },

    async endImport() {
      await db.write(() => sql.end.run());
    },

    write: (kind, records) => writes[kind](records),

    writeBlob: (blobs, versionId, bytes) => blobStores[blobs].put(versionId, bytes),
  };
}
