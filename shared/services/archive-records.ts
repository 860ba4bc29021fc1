import { array, boolean, number, object, type Schema, string, ValidationError } from 'yup';
import type { Account } from '../domain/account.ts';
import {
  type ArchivedAccount,
  type ArchivedDrop,
  type ArchivedKey,
  type ArchivedSecret,
  type ArchiveKind,
  type ArchiveRecord,
  secretNames,
} from '../domain/archive.ts';
import { isMetadataKey, type Lock, type OwnedVersion, type Publisher } from '../domain/drop.ts';
import { slugPattern } from '../domain/ids.ts';
import { type AuditEntry, acts, type Takedown } from '../domain/moderation.ts';
import { type Report, reportIdPattern, reportReasons } from '../domain/report.ts';
import { type Token, tokenIdPattern } from '../domain/token.ts';

interface At {
  readonly path: string;
}

const must =
  (rule: string) =>
  ({ path }: At) =>
    `${path} must be ${rule}`;

const text = () =>
  string()
    .strict()
    .typeError(must('a text'))
    .defined(must('there'))
    .test('no-nul', must('without U+0000'), (value) => !value?.includes('\0')); // SQLite would cut the text there

const matching = (pattern: RegExp, rule: string) => text().matches(pattern, must(rule));

const isCount = (value: unknown, min = 0): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min;

const whole = (min = 0) => {
  const rule = must(`a whole number of at least ${min}`);
  return number()
    .typeError(rule)
    .defined(must('there'))
    .test('whole', rule, (value) => isCount(value ?? min, min));
};

/** The last moment that a Date can be (ECMA-262): a later one would break each page and answer that shows it. */
const timeMax = 8.64e15;

/** Unix ms. */
const time = () => whole().max(timeMax, must(`at most ${timeMax}`));

const id = () => matching(/^[0-9a-f]{32}$/, 'an id of 32 hex digits');
const hash = () => matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');
const slug = () => matching(slugPattern, 'a slug');
const dayPattern = /^\d{4}-\d\d-\d\d$/;
const isDay = (text: unknown) =>
  typeof text === 'string' && dayPattern.test(text) && !Number.isNaN(Date.parse(text));
const day = () => text().test('day', must('a date like 2026-01-31'), isDay);

/** At most 98 MiB and 9 passes: otherwise one passcode could take minutes to check. */
const passcodeHash = () =>
  matching(
    /^\$argon2id\$v=19\$m=\d{1,5},t=\d,p=\d\$[A-Za-z0-9+/]{1,86}\$[A-Za-z0-9+/]{1,86}$/,
    'an argon2id hash of usual cost',
  );
const oneOf = <T extends string>(values: readonly T[]) =>
  string()
    .oneOf(values, must(`one of ${values.join(', ')}`))
    .defined(must('there'));
/** Present, but it may be null. */
const orNull = <T>(schema: Schema<T>): Schema<T | null> => schema.nullable().defined(must('there'));

/** An object with these fields and no others. */
function fields<T extends object>(shape: { readonly [F in keyof T]-?: Schema<T[F]> }): Schema<T> {
  const schema = object(shape as Record<string, Schema>)
    .typeError(must('an object'))
    .noUnknown(({ path, unknown }: At & { unknown: string }) => `${path} has unknown fields: ${unknown}`)
    .defined(must('there'));
  return schema as unknown as Schema<T>; // proof: each field of T has its schema
}

/** A list that is checked as a whole: with a schema for each item, long lists would take most of the time of an import. */
function listOf<T>(rule: string, isValid: (items: readonly unknown[]) => boolean): Schema<readonly T[]> {
  const schema = array()
    .typeError(must(rule))
    .defined(must('there'))
    .test('list', must(rule), (items) => isValid(items ?? []));
  return schema as unknown as Schema<readonly T[]>; // proof: `isValid` checks the type of each item
}

function isAscending(keys: readonly (string | number)[]): boolean {
  return keys.every((key, n) => n === 0 || (keys[n - 1] ?? key) < key);
}

const identity = fields<Account['identity']>({ provider: text(), subject: text(), name: text() });

const publisher = fields<Publisher>({
  kind: oneOf(['token', 'session'] as const),
  id: matching(/^[0-9a-f]{12,20}$/, 'the id of a token or session'),
  label: orNull(text()),
});

const version = fields<OwnedVersion>({
  id: id(),
  number: whole(1),
  sizeBytes: whole(),
  hasContext: boolean().typeError(must('true or false')).defined(must('there')),
  mediaType: text(),
  createdAt: time(),
  publishedBy: orNull(publisher),
});

const versions = array(version)
  .typeError(must('a list'))
  .defined(must('there'))
  .min(1, must('a list of at least one version'))
  .test('ascending', must('ascending by number, without repeats'), (items) =>
    isAscending((items ?? []).map(({ number }) => number)),
  );

const metadata = listOf<[string, string]>('pairs with valid keys, each key once', (pairs) => {
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && isKey(pair[0]) && isValue(pair[1]);
  const isKey = (key: unknown) => typeof key === 'string' && isMetadataKey(key, Number.POSITIVE_INFINITY);
  const isValue = (value: unknown) => typeof value === 'string' && !value.includes('\0');
  return pairs.every(isPair) && new Map(pairs as [string, string][]).size === pairs.length; // proof: each is a pair
});

const days = listOf<[string, number]>('dates with their views, ascending', (items) => {
  const isCounted = (item: unknown) =>
    Array.isArray(item) && item.length === 2 && isDay(item[0]) && isCount(item[1]);
  return items.every(isCounted) && isAscending((items as [string, number][]).map(([day]) => day)); // proof: each is a day
});

const schemas: { readonly [K in ArchiveKind]: Schema<ArchiveRecord<K>> } = {
  secrets: fields<ArchivedSecret>({
    name: oneOf(secretNames),
    value: matching(/^[\x21-\x7e]+$/, 'visible ASCII'),
  }),

  accounts: fields<ArchivedAccount>({
    id: id(),
    identity,
    createdAt: time(),
    suspendedAt: orNull(time()),
    dayWrites: orNull(fields<NonNullable<ArchivedAccount['dayWrites']>>({ day: day(), count: whole() })),
  }),

  tokens: fields<Token>({
    id: matching(tokenIdPattern, 'an id of 12 hex digits'),
    hash: hash(),
    accountId: id(),
    label: orNull(text()),
    createdAt: time(),
    lastUsedAt: orNull(time()),
    expiresAt: orNull(time()),
  }),

  'idempotency-keys': fields<ArchivedKey>({
    accountId: id(),
    key: hash(),
    hash: hash(),
    dropId: id(),
    slug: slug(),
    versionId: id(),
    createdAt: time(),
  }),

  drops: fields<ArchivedDrop>({
    id: id(),
    ownerId: id(),
    slug: slug(),
    title: text(),
    description: orNull(text()),
    metadata,
    lock: orNull(fields<Lock>({ id: id(), hash: passcodeHash() })),
    viewCount: whole(),
    createdAt: time(),
    updatedAt: time(),
    rev: whole(1),
    takedown: orNull(fields<Takedown>({ at: time(), reason: text() })),
    expiresAt: orNull(time()),
    versions,
    days,
  }),

  reports: fields<Report>({
    id: matching(reportIdPattern, 'an id of 16 letters and digits'),
    dropId: id(),
    slug: slug(),
    version: whole(1),
    reason: oneOf(reportReasons),
    text: text(),
    contact: orNull(text()),
    createdAt: time(),
    closedAt: orNull(time()),
  }),

  'audit-log': fields<AuditEntry>({
    id: id(),
    at: time(),
    by: text(),
    act: oneOf(acts),
    target: text(),
    reason: orNull(text()),
    outcome: orNull(text()),
    endedAt: orNull(time()),
  }),
};

/**
 * Checks a record that was read from an archive, which may be damaged or made by hand.
 * @throws Error that names the kind, the id and each wrong field
 */
export function parseArchiveRecord<K extends ArchiveKind>(kind: K, value: unknown): ArchiveRecord<K> {
  if (hasTooManyVersions(value)) {
    throw new Error(`${kind} ${nameOf(value)}: versions must be a list of at most ${versionsMax}`);
  }
  try {
    const schema: Schema = schemas[kind];
    return schema.validateSync(value, { strict: true, abortEarly: false }) as ArchiveRecord<K>; // proof: the kind's schema
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new Error(`${kind} ${nameOf(value)}: ${error.errors.join('; ')}`, { cause: error });
  }
}

/** The largest VERSIONS_PER_DROP. The schema would check a list of any length, item by item. */
const versionsMax = 10_000;

function hasTooManyVersions(value: unknown): boolean {
  const { versions } = Object(value) as Record<string, unknown>; // proof: any property of any object may be read so
  return Array.isArray(versions) && versions.length > versionsMax;
}

/** Of a record that may be anything. */
function nameOf(value: unknown): string {
  const { id, name, key } = Object(value) as Record<string, unknown>; // proof: any property of any object may be read so
  return (
    [id, name, key]
      .find((part) => typeof part === 'string')
      ?.toString()
      .slice(0, 64) ?? '(no id)'
  );
}
