import type { Account } from '../accounts/account.ts';
import type { Token } from '../credentials/token.ts';
import type { Drop, Lock, OwnedVersion, WriteIds } from '../drops/drop.ts';
import type { AuditEntry } from '../moderation/act.ts';
import type { Report } from '../reports/report.ts';

/**
 * What an archive holds: everything that must last, in a form that is the same on both engines. The order is the order in
 * which a store is read: an account before what belongs to it, and the key of a write before the drop that it wrote.
 *
 * Left out, because it is made again or ends soon: sessions, sign-ins, uploads, writes under way, rendered pages, share
 * cards, jobs, counts for limits, the registry of web processes. Left out, because it is gone for everybody: deleted
 * accounts and drops, expired drops, blobs of removed versions. Left out, because it has a meaning within one store only:
 * places below the caps, pending tasks, numbers of batches of views.
 */
export const archiveKinds = [
  'secrets',
  'accounts',
  'tokens',
  'idempotency-keys',
  'drops',
  'reports',
  'audit-log',
] as const;

export type ArchiveKind = (typeof archiveKinds)[number];

export interface ArchiveRecords {
  secrets: ArchivedSecret;
  accounts: ArchivedAccount;
  tokens: Token;
  'idempotency-keys': ArchivedKey;
  drops: ArchivedDrop;
  reports: Report;
  'audit-log': AuditEntry;
}

/** Plain JSON: no `undefined`, no maps. */
export type ArchiveRecord<K extends ArchiveKind = ArchiveKind> = ArchiveRecords[K];

/** The secrets that a service generates. One that is set in the environment is not among them. */
export const secretNames = ['sign-in-key', 'signing-secret'] as const;

export type SecretName = (typeof secretNames)[number];

export interface ArchivedSecret {
  readonly name: SecretName;
  readonly value: string;
}

export interface ArchivedAccount extends Account {
  /** The writes that were counted on the last UTC day with a write (`2026-01-31`); null: none yet. */
  readonly dayWrites: { readonly day: string; readonly count: number } | null;
}

/** A finished write with an `Idempotency-Key`. */
export interface ArchivedKey extends Omit<WriteIds, 'isRepeat'> {
  readonly accountId: string;
  readonly key: string;
  /** Of the request. */
  readonly hash: string;
  readonly createdAt: number;
}

/** A drop with all that belongs to it, except its blobs. `latestVersion` is the number of its last version. */
export interface ArchivedDrop extends Omit<Drop, 'metadata' | 'locked' | 'latestVersion'> {
  /** In the owner's order. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
  readonly lock: Lock | null;
  /** By number, ascending; at least one. Each has its HTML as a blob under its id, and its context if `hasContext`. */
  readonly versions: readonly OwnedVersion[];
  /** Views by UTC day (`2026-01-31`), ascending, without days that have none. */
  readonly days: readonly (readonly [day: string, views: number])[];
}

/** Where the bytes of versions are, by version id. */
export const blobFolders = ['html', 'contexts'] as const;

export type BlobFolder = (typeof blobFolders)[number];

export interface ArchivedBlob {
  /** Of its version. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** What identifies the record among those of its kind, in ASCII. */
export function archiveId(record: ArchiveRecord): string {
  if ('id' in record) return record.id;
  return 'key' in record ? `${record.accountId} ${record.key}` : record.name;
}

/** The account that the record belongs to; null: to none. */
export function ownerOf(record: ArchiveRecord): string | null {
  if ('ownerId' in record) return record.ownerId;
  return 'accountId' in record ? record.accountId : null;
}

/** The drop as an archive holds it. */
export function toArchivedDrop(
  { metadata, locked: _, latestVersion: __, ...drop }: Drop,
  parts: Pick<ArchivedDrop, 'lock' | 'versions' | 'days'>,
): ArchivedDrop {
  return { ...drop, metadata: [...metadata], ...parts };
}

/** One line of JSON, the same text for equal records: the keys of every object are sorted, as RFC 8785 sorts them. */
export function canonicalJson(record: ArchiveRecord): string {
  return JSON.stringify(record, (_key, value: unknown) => (isObject(value) ? sortKeys(value) : value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Something is wrong with an archive. The message is a clause about it: `it is cut off after html/0198f…`. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** For a process or a backup that needs all data. @param begunAt Unix ms */
export function importHasNotEnded(archiveId: string, begunAt: number): Error {
  return new Error(
    `these data are incomplete: the import of the archive ${archiveId}, begun ${new Date(begunAt).toISOString()}, has not ` +
      'ended; run "bin/dropleaf.js import FILE" again with the same file',
  );
}
