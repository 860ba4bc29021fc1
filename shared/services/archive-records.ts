import { array, boolean, number, object, type Schema, string, tuple, ValidationError } from 'yup';
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

const whole = (min = 0) => {
  const rule = must(`a whole number of at least ${min}`);
  const isWhole = (value: number) => Number.isSafeInteger(value) && value >= min;
  return number()
    .typeError(rule)
    .defined(must('there'))
    .test('whole', rule, (value) => isWhole(value ?? min));
};

const id = () => matching(/^[0-9a-f]{32}$/, 'an id of 32 hex digits');
const hash = () => matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');
const slug = () => matching(slugPattern, 'a slug');
const day = () => matching(/^\d{4}-\d\d-\d\d$/, 'a date like 2026-01-31');
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

/** A list of which each item comes after the one before it. */
function ascending<T>(item: Schema<T>, keyOf: (item: T) => string | number): Schema<readonly T[]> {
  const schema = array(item)
    .typeError(must('a list'))
    .defined(must('there'))
    .test('ascending', must('ascending, without repeats'), (items) =>
      (items ?? []).every((each, n) => {
        const before = items?.[n - 1];
        return n === 0 || before === undefined || keyOf(before) < keyOf(each);
      }),
    );
  return schema as unknown as Schema<readonly T[]>; // proof: an array of items
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
  createdAt: whole(),
  publishedBy: orNull(publisher),
});

const metadata = array(tuple([text(), text()]).defined(must('there')))
  .typeError(must('a list of pairs'))
  .defined(must('there'))
  .test('keys', must('pairs with valid keys, each key once'), (pairs) => {
    const keys = (pairs ?? []).map(([key]) => key);
    return (
      keys.every((key) => isMetadataKey(key, Number.POSITIVE_INFINITY)) && new Set(keys).size === keys.length
    );
  });

const schemas: { readonly [K in ArchiveKind]: Schema<ArchiveRecord<K>> } = {
  secrets: fields<ArchivedSecret>({
    name: oneOf(secretNames),
    value: matching(/^[\x21-\x7e]+$/, 'visible ASCII'),
  }),

  accounts: fields<ArchivedAccount>({
    id: id(),
    identity,
    createdAt: whole(),
    suspendedAt: orNull(whole()),
    dayWrites: orNull(fields<NonNullable<ArchivedAccount['dayWrites']>>({ day: day(), count: whole() })),
  }),

  tokens: fields<Token>({
    id: matching(tokenIdPattern, 'an id of 12 hex digits'),
    hash: hash(),
    accountId: id(),
    label: orNull(text()),
    createdAt: whole(),
    lastUsedAt: orNull(whole()),
    expiresAt: orNull(whole()),
  }),

  'idempotency-keys': fields<ArchivedKey>({
    accountId: id(),
    key: hash(),
    hash: hash(),
    dropId: id(),
    slug: slug(),
    versionId: id(),
    createdAt: whole(),
  }),

  drops: fields<ArchivedDrop>({
    id: id(),
    ownerId: id(),
    slug: slug(),
    title: text(),
    description: orNull(text()),
    metadata,
    lock: orNull(fields<Lock>({ id: id(), hash: text() })),
    viewCount: whole(),
    createdAt: whole(),
    updatedAt: whole(),
    rev: whole(1),
    takedown: orNull(fields<Takedown>({ at: whole(), reason: text() })),
    expiresAt: orNull(whole()),
    versions: ascending(version, ({ number }) => number).test(
      'some',
      must('a list of at least one version'),
      (versions) => versions !== undefined && versions.length > 0,
    ),
    days: ascending(tuple([day(), whole()]), ([day]) => day),
  }),

  reports: fields<Report>({
    id: matching(reportIdPattern, 'an id of 16 letters and digits'),
    dropId: id(),
    slug: slug(),
    version: whole(1),
    reason: oneOf(reportReasons),
    text: text(),
    contact: orNull(text()),
    createdAt: whole(),
    closedAt: orNull(whole()),
  }),

  'audit-log': fields<AuditEntry>({
    id: id(),
    at: whole(),
    by: text(),
    act: oneOf(acts),
    target: text(),
    reason: orNull(text()),
    outcome: orNull(text()),
    endedAt: orNull(whole()),
  }),
};

/**
 * Checks a record that was read from an archive, which may be damaged or made by hand.
 * @throws Error that names the kind, the id and each wrong field
 */
export function parseArchiveRecord<K extends ArchiveKind>(kind: K, value: unknown): ArchiveRecord<K> {
  try {
    const schema: Schema = schemas[kind];
    return schema.validateSync(value, { strict: true, abortEarly: false }) as ArchiveRecord<K>; // proof: the kind's schema
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new Error(`${kind} ${nameOf(value)}: ${error.errors.join('; ')}`, { cause: error });
  }
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
