import { accessRequestRecord } from '../access-requests/access-request-store.ts';
import { accountRecord, type StoredAccount, toAccount } from '../accounts/account.ts';
import { commentRecord, sizeFields, sizesOf, withClaims } from '../comments/comment.ts';
import { tokenRecord } from '../credentials/token.ts';
import {
  type Field,
  type Fields,
  faultsOf,
  field,
  id,
  keyOf,
  listOf,
  matching,
  object,
  oneOf,
  orNull,
  type RecordOf,
  record,
  type StoredRecord,
  text,
  time,
  whole,
  withAdded,
  withoutAdded,
} from '../domain/record.ts';
import { type Drop, dropRecord, isMetadataKey, ownedVersionRecord } from '../drops/drop.ts';
import { type IdempotencyRecord, idempotencyRecord } from '../idempotency/idempotency-store.ts';
import { identityRecord, type StoredIdentity } from '../identities/identity-store.ts';
import { auditRecord } from '../moderation/act.ts';
import { reportRecord } from '../reports/report.ts';
import { secretRecord } from '../secrets/secret-store.ts';

/** The largest VERSIONS_PER_DROP. */
const versionsMax = 10_000;

const day = matching(/^\d{4}-\d\d-\d\d$/, 'a date like 2026-01-31');
const isDay = (value: unknown): value is string => day.isValid(value) && !Number.isNaN(Date.parse(value));
const isKey = (value: unknown): value is string =>
  typeof value === 'string' && isMetadataKey(value, Number.POSITIVE_INFINITY);
const isText = text().isValid;
const isCount = whole().isValid;

function pairs<V>(
  rule: string,
  isName: (name: unknown) => name is string,
  isValue: (value: unknown) => value is V,
  areNames: (names: readonly string[]) => boolean,
): Field<readonly (readonly [name: string, value: V])[]> {
  type Pair = readonly [string, V];
  const isPair = (pair: unknown): pair is Pair =>
    Array.isArray(pair) && pair.length === 2 && isName(pair[0]) && isValue(pair[1]);
  const arePairs = (items: unknown): items is Pair[] =>
    Array.isArray(items) && items.every(isPair) && areNames(items.map(([name]) => name));
  return field('object', rule, arePairs);
}

/** Whether all are numbers or all are texts, in ascending order. */
function isAscending(keys: readonly (string | number)[]): boolean {
  return keys.every((key, n) => n === 0 || (keys[n - 1] ?? key) < key);
}

/** At most 98 MiB and 9 passes: otherwise one passcode could take minutes to check. */
const passcodeHash = matching(
  /^\$argon2id\$v=19\$m=\d{1,5},t=\d,p=\d\$[A-Za-z0-9+/]{1,86}\$[A-Za-z0-9+/]{1,86}$/,
  'an argon2id hash of usual cost',
);

const publisher = object({
  kind: oneOf(['token', 'session']),
  id: matching(/^[0-9a-f]{12,20}$/, 'the id of a token or session'),
  label: orNull(text()),
});

/** By number, ascending; at least one. Each has its HTML as a blob under its id, and its context if `hasContext`. */
const versions = listOf(
  { ...ownedVersionRecord.fields, publishedBy: orNull(publisher) },
  `a list of 1 to ${versionsMax} versions, ascending by number`,
  (items) =>
    items.length > 0 &&
    items.length <= versionsMax &&
    isAscending(items.map((item): unknown => Object(item).number).filter(isCount)),
);

const { latestVersion: _latest, ...dropFields } = dropRecord.fields;

/** A drop with all that belongs to it, except its blobs. */
const archivedDropRecord = record('drops', {
  ...dropFields,
  /** In the owner's order. */
  metadata: pairs(
    'pairs with valid keys, each key once',
    isKey,
    isText,
    (keys) => new Set(keys).size === keys.length,
  ),
  lock: orNull(object({ id: id(), hash: passcodeHash })),
  takedown: orNull(object({ at: time(), reason: text() })),
  versions,
  /** Views by UTC day (`2026-01-31`), without days that have none. */
  days: pairs('dates with their views, ascending', isDay, isCount, isAscending),
});

const { provider, subject, name, createdAt, suspendedAt, commentsSeen, defaultAccess } = accountRecord.fields;

const archivedAccountRecord = record('accounts', {
  id: id(),
  identity: object({ provider, subject, name }),
  createdAt,
  suspendedAt,
  commentsSeen,
  defaultAccess,
  /** The writes that were counted on the last UTC day with a write; null: none yet. */
  dayWrites: orNull(object({ day: field('text', day.rule, isDay), count: whole() })),
});

const { refreshToken: _token, ...identityFields } = identityRecord.fields;

const { lease: _, leasedUntil: __, isDone: ___, ...keyFields } = idempotencyRecord.fields;

/**
 * Everything that must last, equal on both engines, in the order of reading: an account before what belongs to it, the key of
 * a write before its drop. Not in it: what is made again or expires soon, what is deleted or expired, and what has a meaning in
 * one store only (places below the caps, pending tasks, numbers of batches of views). Refresh tokens are not, either: both services
 * would use them, and the provider would take one of them for a thief.
 */
export const archiveRecords = {
  secrets: secretRecord,
  accounts: archivedAccountRecord,
  identities: record('identities', identityFields, ['provider', 'subject']),
  tokens: tokenRecord,
  'idempotency-keys': record('idempotency_keys', keyFields, ['accountId', 'key']),
  drops: archivedDropRecord,
  comments: commentRecord,
  'access-requests': accessRequestRecord,
  reports: reportRecord,
  'audit-log': auditRecord,
} as const;

export type ArchiveKind = keyof typeof archiveRecords;

export const archiveKinds = Object.keys(archiveRecords) as ArchiveKind[]; // proof: its own keys

/** Plain JSON: no `undefined`, no maps. */
export type ArchiveRecord<K extends ArchiveKind = ArchiveKind> = {
  [N in ArchiveKind]: RecordOf<(typeof archiveRecords)[N]>;
}[K];

export type ArchivedDrop = RecordOf<typeof archivedDropRecord>;

/** What identifies the record among those of its kind, in ASCII. */
export function archiveId(kind: ArchiveKind, archived: ArchiveRecord): string {
  return keyOf(archiveRecords[kind], archived);
}

/** The account that the record belongs to; null: to none. */
export function ownerOf(archived: ArchiveRecord): string | null {
  if ('ownerId' in archived) return archived.ownerId;
  return 'accountId' in archived ? archived.accountId : null;
}

/** Checks a record of an archive. @throws Error that names the kind, the id and each wrong field */
export function parseArchiveRecord<K extends ArchiveKind>(
  kind: K,
  value: unknown,
  fields: Fields = archiveRecords[kind].fields,
): ArchiveRecord<K> {
  const faults = faultsOf(fields, value);
  if (faults.length === 0) return withAdded(fields, Object(value)) as ArchiveRecord<K>; // proof: it has no faults
  const { id, name, key } = Object(value);
  const found: unknown = [id, name, key].find((part) => typeof part === 'string');
  throw new Error(`${kind} ${String(found ?? '(no id)').slice(0, 64)}: ${faults.join('; ')}`);
}

/** The drop as an archive holds it. */
export function toArchivedDrop(
  { metadata, locked: _, latestVersion: __, ...drop }: Drop,
  parts: Pick<ArchivedDrop, 'lock' | 'versions' | 'days'>,
): ArchivedDrop {
  return { ...drop, metadata: [...metadata], ...parts };
}

/** Secrets are files or documents (SecretStore); the parts of a drop are in several tables. */
export type TableKind = Exclude<ArchiveKind, 'secrets' | 'drops'>;

/** How the records of a kind are stored. A stored record is identified as the archived one. */
export interface ArchiveTable<S = Readonly<Record<string, unknown>>, A = ArchiveRecord> {
  readonly record: StoredRecord;
  /** null: an archive does not have it. */
  toArchived(stored: S): A | null;
  toStored(archived: A): S;
}

/** Both engines read and fill these tables with one loop. */
export const archiveTables: Readonly<Record<TableKind, ArchiveTable>> = {
  accounts: table('accounts', accountRecord, toArchivedAccount, ({ identity, dayWrites, ...account }) => {
    const { day, count: dayCount } = dayWrites ?? { day: '', count: 0 };
    const ofThisStore = { deletedAt: null, identityHash: null, countsAs: null };
    return { ...account, ...identity, day, dayCount, ...ofThisStore };
  }),
  identities: table(
    'identities',
    identityRecord,
    ({ refreshToken: _, ...identity }: StoredIdentity) => identity,
    (identity) => ({ ...identity, refreshToken: null }),
  ),
  tokens: sameTable(tokenRecord),
  'idempotency-keys': table('idempotency-keys', idempotencyRecord, toArchivedKey, (key) => {
    return { ...key, lease: '', leasedUntil: 0, isDone: true };
  }),
  comments: table(
    'comments',
    record(commentRecord.name, { ...commentRecord.fields, ...sizeFields }),
    ({ bytes: _, texts: __, ...comment }) => withClaims(comment),
    (comment) => ({ ...withClaims(comment), ...sizesOf(comment) }),
  ),
  'access-requests': sameTable(accessRequestRecord),
  reports: sameTable(reportRecord),
  'audit-log': sameTable(auditRecord),
};

/** How many records are read at once. A thread may have 64 KiB of texts, one of an earlier release 3 MB. */
export function recordsPerBatch(kind: TableKind): number {
  return kind === 'comments' ? 20 : 1_000;
}

export const tableKinds = Object.keys(archiveTables) as TableKind[]; // proof: its own keys

function table<K extends TableKind, R extends StoredRecord>(
  _kind: K,
  record: R,
  toArchived: (stored: RecordOf<R>) => ArchiveRecord<K> | null,
  toStored: (archived: ArchiveRecord<K>) => RecordOf<R>,
): ArchiveTable {
  const typed: ArchiveTable<RecordOf<R>, ArchiveRecord<K>> = { record, toArchived, toStored };
  return typed as unknown as ArchiveTable; // proof: `archiveTables` has it under the kind of its records
}

function sameTable(record: StoredRecord): ArchiveTable {
  const same = <T>(stored: T): T => stored;
  return { record, toArchived: same, toStored: same } as unknown as ArchiveTable; // proof: `archiveRecords` has it, too
}

function toArchivedAccount(stored: StoredAccount): ArchiveRecord<'accounts'> | null {
  if (stored.deletedAt !== null) return null;
  const { day, dayCount: count } = stored;
  const { countsAs: _, ...account } = toAccount(stored);
  return { ...account, dayWrites: day === '' ? null : { day, count } };
}

function toArchivedKey(stored: IdempotencyRecord): ArchiveRecord<'idempotency-keys'> | null {
  const { lease: _, leasedUntil: __, isDone, ...key } = stored;
  return isDone ? key : null;
}

/** The record as an archive holds it. */
export function archiveLine<K extends ArchiveKind>(
  kind: K,
  archived: ArchiveRecord<K>,
  fields: Fields = archiveRecords[kind].fields,
): string {
  return `${canonicalJson(withoutAdded(fields, archived))}\n`;
}

/** One line of JSON, the same text for equal records: the keys of every object are sorted, as RFC 8785 sorts them. */
export function canonicalJson(archived: object): string {
  return JSON.stringify(archived, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
