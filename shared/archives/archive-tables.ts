import { accountRecord, type StoredAccount, toAccount } from '../accounts/account.ts';
import { type Token, tokenRecord } from '../credentials/token.ts';
import type { RecordOf, StoredRecord } from '../domain/record.ts';
import { type IdempotencyRecord, idempotencyRecord } from '../idempotency/idempotency-store.ts';
import { type AuditEntry, auditRecord } from '../moderation/act.ts';
import { type Report, reportRecord } from '../reports/report.ts';
import type { ArchivedAccount, ArchivedKey, ArchiveKind, ArchiveRecord } from './archive.ts';

/** Secrets are files or documents (SecretStore); the parts of a drop are in several tables. */
export type TableKind = Exclude<ArchiveKind, 'secrets' | 'drops'>;

/** How the records of a kind are stored. A stored record is identified as the archived one. */
export interface ArchiveTable<S = Readonly<Record<string, unknown>>, A = ArchiveRecord> {
  readonly record: StoredRecord;
  /** null: an archive does not have it. */
  toArchived(stored: S): A | null;
  toStored(archived: A): S;
}

const same = <T>(record: T): T => record;

/** The tables of an archive: both engines read and fill them with one loop. */
export const archiveTables: Readonly<Record<TableKind, ArchiveTable>> = {
  accounts: table<typeof accountRecord, ArchivedAccount>(accountRecord, toArchivedAccount, toStoredAccount),
  tokens: table<typeof tokenRecord, Token>(tokenRecord, same, same),
  'idempotency-keys': table<typeof idempotencyRecord, ArchivedKey>(
    idempotencyRecord,
    toArchivedKey,
    (key) => ({ ...key, lease: '', leasedUntil: 0, isDone: true }),
  ),
  reports: table<typeof reportRecord, Report>(reportRecord, same, same),
  'audit-log': table<typeof auditRecord, AuditEntry>(auditRecord, same, same),
};

export const tableKinds = Object.keys(archiveTables) as TableKind[]; // proof: its own keys

function table<R extends StoredRecord, A extends ArchiveRecord>(
  record: R,
  toArchived: (stored: RecordOf<R>) => A | null,
  toStored: (archived: A) => RecordOf<R>,
): ArchiveTable {
  const typed: ArchiveTable<RecordOf<R>, A> = { record, toArchived, toStored };
  return typed as unknown as ArchiveTable; // proof: `archiveTables` has it under the kind of its records
}

function toArchivedAccount(stored: StoredAccount): ArchivedAccount | null {
  if (stored.deletedAt !== null) return null;
  const { day, dayCount: count } = stored;
  return { ...toAccount(stored), dayWrites: day === '' ? null : { day, count } };
}

function toStoredAccount({ identity, dayWrites, ...account }: ArchivedAccount): StoredAccount {
  const { day, count: dayCount } = dayWrites ?? { day: '', count: 0 };
  return { ...account, ...identity, day, dayCount, deletedAt: null };
}

function toArchivedKey({ lease: _, leasedUntil: __, isDone, ...key }: IdempotencyRecord): ArchivedKey | null {
  return isDone ? key : null;
}
