import { accountRecord } from '../accounts/account.ts';
import {
  type Field,
  faultsOf,
  field,
  flag,
  id,
  matching,
  oneOf,
  orNull,
  record,
  type StoredRecord,
  slug,
  text,
  time,
  whole,
} from '../domain/record.ts';
import { isMetadataKey, type Lock, type OwnedVersion, type Publisher } from '../drops/drop.ts';
import { idempotencyRecord } from '../idempotency/idempotency-store.ts';
import type { Takedown } from '../moderation/act.ts';
import {
  type ArchivedAccount,
  type ArchivedDrop,
  type ArchivedKey,
  type ArchivedSecret,
  type ArchiveKind,
  type ArchiveRecord,
  secretNames,
} from './archive.ts';
import { archiveTables } from './archive-tables.ts';

/** The largest VERSIONS_PER_DROP. A list of any length would be checked item by item. */
const versionsMax = 10_000;

/** The fields of a record, and of what its fields hold: an object, or a list of objects. */
interface Form {
  readonly record: StoredRecord;
  readonly parts?: Readonly<Record<string, Form>>;
}

/** @param fields one for each of the type */
function form<T>(
  fields: { readonly [N in keyof T]-?: Field },
  parts: { readonly [N in keyof T]?: Form } = {},
): Form {
  return { record: record('', fields as Record<string, Field>, []), parts: parts as Record<string, Form> }; // proof: objects without undefined
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const part = field('text', 'an object', isObject);

/** A list that is checked as a whole: item by item, long lists would take most of the time of an import. */
function list(rule: string, isValid: (items: readonly unknown[]) => boolean): Field<readonly unknown[]> {
  return field('text', rule, (value): value is unknown[] => Array.isArray(value) && isValid(value));
}

/** Of numbers, or of texts. */
function isAscending(keys: readonly (string | number)[]): boolean {
  return keys.every((key, n) => n === 0 || (keys[n - 1] ?? key) < key);
}

const dayPattern = /^\d{4}-\d\d-\d\d$/;
const isDay = (value: unknown): value is string =>
  typeof value === 'string' && dayPattern.test(value) && !Number.isNaN(Date.parse(value));
const isCount = (value: unknown): value is number => whole().isValid(value);
const isText = (value: unknown): value is string => text().isValid(value);

const isPairOf = (pair: unknown, isKey: (key: unknown) => boolean, isValue: (value: unknown) => boolean) =>
  Array.isArray(pair) && pair.length === 2 && isKey(pair[0]) && isValue(pair[1]);

const metadata = list('pairs with valid keys, each key once', (pairs) => {
  const isKey = (key: unknown) => isText(key) && isMetadataKey(key, Number.POSITIVE_INFINITY);
  const isMetadata = pairs.every((pair) => isPairOf(pair, isKey, isText));
  return isMetadata && new Map(pairs as [string, string][]).size === pairs.length; // proof: each is a pair
});

const days = list('dates with their views, ascending', (items) => {
  const areDays = items.every((item) => isPairOf(item, isDay, isCount));
  return areDays && isAscending((items as [string, number][]).map(([day]) => day)); // proof: each is a day
});

const versions = list(`a list of 1 to ${versionsMax} versions, ascending by number`, (items) => {
  if (items.length === 0 || items.length > versionsMax) return false;
  const numbers = items.map((item): unknown => Object(item).number).filter(isCount); // another one is a fault of its version
  return isAscending(numbers);
});

/** At most 98 MiB and 9 passes: otherwise one passcode could take minutes to check. */
const passcodeHash = matching(
  /^\$argon2id\$v=19\$m=\d{1,5},t=\d,p=\d\$[A-Za-z0-9+/]{1,86}\$[A-Za-z0-9+/]{1,86}$/,
  'an argon2id hash of usual cost',
);

const publisher = form<Publisher>({
  kind: oneOf(['token', 'session']),
  id: matching(/^[0-9a-f]{12,20}$/, 'the id of a token or session'),
  label: orNull(text()),
});

const version = form<OwnedVersion>(
  {
    id: id(),
    number: whole(1),
    sizeBytes: whole(),
    hasContext: flag(),
    mediaType: text(),
    createdAt: time(),
    publishedBy: orNull(part),
  },
  { publishedBy: publisher },
);

const { provider, subject, name, createdAt, suspendedAt } = accountRecord.fields;
const { lease: _, leasedUntil: __, isDone: ___, ...keyFields } = idempotencyRecord.fields;

const forms: { readonly [K in ArchiveKind]: Form } = {
  secrets: form<ArchivedSecret>({
    name: oneOf(secretNames),
    value: matching(/^[\x21-\x7e]+$/, 'visible ASCII'),
  }),

  accounts: form<ArchivedAccount>(
    { id: id(), identity: part, createdAt, suspendedAt, dayWrites: orNull(part) },
    {
      identity: form({ provider, subject, name }),
      dayWrites: form({ day: field('text', 'a date like 2026-01-31', isDay), count: whole() }),
    },
  ),

  tokens: archiveTables.tokens,
  'idempotency-keys': form<ArchivedKey>(keyFields),

  drops: form<ArchivedDrop>(
    {
      id: id(),
      ownerId: id(),
      slug: slug(),
      title: text(),
      description: orNull(text()),
      metadata,
      lock: orNull(part),
      viewCount: whole(),
      createdAt: time(),
      updatedAt: time(),
      rev: whole(1),
      takedown: orNull(part),
      expiresAt: orNull(time()),
      versions,
      days,
    },
    {
      lock: form<Lock>({ id: id(), hash: passcodeHash }),
      takedown: form<Takedown>({ at: time(), reason: text() }),
      versions: version,
    },
  ),

  reports: archiveTables.reports,
  'audit-log': archiveTables['audit-log'],
};

/**
 * Checks a record that was read from an archive, which may be damaged or made by hand.
 * @throws Error that names the kind, the id and each wrong field
 */
export function parseArchiveRecord<K extends ArchiveKind>(kind: K, value: unknown): ArchiveRecord<K> {
  const faults = faultsIn(forms[kind], value, '');
  const found = value as ArchiveRecord<K>; // proof: it has no faults
  if (faults.length === 0) return found;
  throw new Error(`${kind} ${nameOf(value)}: ${faults.join('; ')}`);
}

/** @param path `versions[0]`; '' for the record itself */
function faultsIn({ record, parts = {} }: Form, value: unknown, path: string): string[] {
  const own = faultsOf(record, value).map((fault) =>
    path === '' ? fault : fault.startsWith('it ') ? `${path} ${fault.slice(3)}` : `${path}.${fault}`,
  );
  const inner = Object.entries(parts).flatMap(([name, form]) => {
    const held: unknown = Object(value)[name];
    if (!record.fields[name]?.isValid(held)) return []; // its own fault says it
    const at = path === '' ? name : `${path}.${name}`;
    if (Array.isArray(held)) return held.flatMap((item, n) => faultsIn(form, item, `${at}[${n}]`));
    return held === null ? [] : faultsIn(form, held, at);
  });
  return [...own, ...inner];
}

/** Of a record that may be anything. */
function nameOf(value: unknown): string {
  const { id, name, key } = Object(value);
  const found: unknown = [id, name, key].find((part) => typeof part === 'string');
  return typeof found === 'string' ? found.slice(0, 64) : '(no id)';
}
