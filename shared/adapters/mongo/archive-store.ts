import type { Connection } from 'mongoose';
import type { ArchiveKind, ArchiveRecord } from '../../domain/archive.ts';
import type { ArchiveStore } from '../../ports/archive-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import { accountCollection } from './account-store.ts';
import { openArchiveBlobs } from './archive-blobs.ts';
import { createArchiveInserts } from './archive-inserts.ts';
import { createMongoSnapshot } from './archive-snapshot.ts';
import { auditCollection } from './audit-log.ts';
import { answerMs, backgroundMs } from './connection.ts';
import { dropModel } from './drop-schema.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';
import { idempotencyCollection } from './idempotency-store.ts';
import { importModel } from './import-mark.ts';
import { patiently } from './patience.ts';
import { placedReports } from './report-store.ts';
import { tokenCollection } from './token-store.ts';

type Writes = { readonly [K in ArchiveKind]: (records: readonly ArchiveRecord<K>[]) => Promise<void> };

export function createMongoArchiveStore(
  connection: Connection,
  stores: { readonly secrets: SecretStore },
  clock: Clock,
): ArchiveStore {
  const imports = importModel(connection);
  const blobs = openArchiveBlobs(connection);
  const models = [
    ['accounts', accountCollection.in(connection)],
    ['tokens', tokenCollection.in(connection)],
    ['idempotency-keys', idempotencyCollection.in(connection)],
    ['drops', dropModel(connection)],
    ['reports', placedReports.in(connection)],
    ['audit-log', auditCollection.in(connection)],
  ] as const;
  const writes: Writes = {
    ...createArchiveInserts(connection),
    async secrets(records) {
      for (const { name, value } of records) await patiently(() => stores.secrets.replace(name, value));
    },
  };

  const marks = withTimeLimit<Pick<ArchiveStore, 'findUnfinishedImport' | 'beginImport' | 'endImport'>>(
    answerMs(connection),
    {
      async findUnfinishedImport() {
        const found = await imports.findById('unfinished').lean();
        return found === null ? null : { archiveId: found.archive_id, begunAt: found.begun_at };
      },

      async beginImport({ archiveId, begunAt }) {
        try {
          await imports.insertOne({ _id: 'unfinished', archive_id: archiveId, begun_at: begunAt });
        } catch (error) {
          if (!isDuplicateOf(error, '_id_')) throw error;
        }
      },

      async endImport() {
        await imports.deleteMany({ _id: 'unfinished' });
      },
    },
  );

  return {
    ...marks,
    ...withTimeLimit<Pick<ArchiveStore, 'countRecords'>>(backgroundMs, {
      async countRecords() {
        const counts = await Promise.all(
          models.map(async ([kind, model]) => [kind, await model.countDocuments()] as const),
        );
        return Object.fromEntries(counts.filter(([, records]) => records > 0));
      },
    }),

    openSnapshot: async () => createMongoSnapshot(connection, { ...stores, ...blobs }, clock.now()),
    write: (kind, records) => writes[kind](records),
    writeBlob: blobs.writeBlob,
  };
}
