import { slugPattern } from './ids.ts';

/**
 * A stored record is declared once, and what depends on its fields follows from the declaration:
 *
 *     export const tokenRecord = record('tokens', { id: …, hash: …, label: orNull(text()), … });
 *     export type Token = RecordOf<typeof tokenRecord>;
 *
 * - its type, `RecordOf`;
 * - what an import of an archive checks, `faultsOf`, and by what it is identified, `keyOf`;
 * - SQLite: columns, statements, rows (sqlite/table.ts);
 * - MongoDB: the schema, documents and records from documents (mongo/collection.ts).
 *
 * A new field is a line of the declaration, and a migration of SQLite (ARCHITECTURE.md, How to add).
 */
export interface StoredRecord<F extends Fields = Fields, K extends readonly string[] = readonly string[]> {
  /** The name of the table and of the collection. */
  readonly name: string;
  readonly fields: F;
  /** The names of the fields, in the order of the declaration. */
  readonly names: readonly string[];
  /** The fields that identify a record: MongoDB's `_id` is made of them. */
  readonly key: K;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Field<T = unknown> {
  readonly type: 'text' | 'number' | 'flag' | 'bytes' | 'object';
  /** What an import requires, as in `label must be a text`. */
  readonly rule: string;
  readonly isValid: (value: unknown) => value is T;
  readonly isNullable: boolean;
  /** MongoDB leaves the field out where it is null. */
  readonly isLeftOut: boolean;
  /** The fields of an object, or of each object of a list. */
  readonly parts?: Fields;
  /** The value in records of releases that did not have the field. */
  readonly added?: { readonly value: unknown };
}

type ObjectOf<F extends Fields> = {
  readonly [N in keyof F]: F[N] extends Field<infer T> ? T : never;
};

/** The type of the records of a declaration. */
export type RecordOf<R extends StoredRecord> = ObjectOf<R['fields']>;

/** @param key the fields that identify a record; default: `id` */
export function record<
  const F extends Fields,
  const K extends readonly (keyof F & string)[] = readonly ['id'],
>(name: string, fields: F, key?: K): StoredRecord<F, K> {
  return { name, fields, names: Object.keys(fields), key: key ?? (['id'] as const as unknown as K) }; // proof: K's default
}

/** `account_id` for `accountId`: columns and the fields of documents have such names. */
export function columnOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What identifies the record among those of its declaration. */
export function keyOf({ key }: StoredRecord, stored: Readonly<Record<string, unknown>>): string {
  return key.map((name) => stored[name]).join(' ');
}

/** What an import would refuse, as `hash must be a SHA-256 in hex`. @param path of an object in the record, `versions[0]` */
export function faultsOf(fields: Fields, value: unknown, path = ''): string[] {
  if (!isObject(value)) return [`${path || 'it'} must be an object`];
  const faults: string[] = [];
  for (const name in fields) {
    const field = fields[name];
    if (field !== undefined)
      addFaults(faults, field, Reflect.get(value, name), path === '' ? name : `${path}.${name}`);
  }
  // With `in`, `constructor` and `__proto__` would be known.
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) faults.push(`${path || 'it'} has unknown fields: ${unknown.join(', ')}`);
  return faults;
}

function addFaults(faults: string[], field: Field, value: unknown, path: string): void {
  const { rule, isValid, parts, added } = field;
  if (value === undefined && added !== undefined) return;
  if (!isValid(value)) faults.push(value === undefined ? `${path} must be there` : `${path} must be ${rule}`);
  else if (parts === undefined || value === null) return;
  else if (!Array.isArray(value)) faults.push(...faultsOf(parts, value, path));
  else for (const [n, item] of value.entries()) faults.push(...faultsOf(parts, item, `${path}[${n}]`));
}

/** The record with all its fields: archives of earlier releases lack those that were added later. */
export function withAdded(fields: Fields, found: object): object {
  return mapAdded(fields, found, (value, added) => (value === undefined ? added : value));
}

/** The record without added fields that say nothing new, so that archives of equal data stay equal. */
export function withoutAdded(fields: Fields, stored: object): object {
  return mapAdded(fields, stored, (value, added) => (value === added ? undefined : value));
}

/** A copy in which the added fields, also those of its parts, have the values that `change` returns. */
function mapAdded(fields: Fields, held: object, change: (value: unknown, added: unknown) => unknown): object {
  const copy: Record<string, unknown> = { ...held };
  for (const [name, { added, parts }] of Object.entries(fields)) {
    if (added !== undefined) copy[name] = change(copy[name], added.value);
    if (parts === undefined) continue;
    const value = copy[name];
    const mapPart = (part: unknown) => (isObject(part) ? mapAdded(parts, part, change) : part);
    copy[name] = Array.isArray(value) ? value.map(mapPart) : mapPart(value);
  }
  return copy;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param rule completes `label must be …` */
export function field<T>(
  type: Field['type'],
  rule: string,
  isValid: (value: unknown) => value is T,
): Field<T> {
  return { type, rule, isValid, isNullable: false, isLeftOut: false };
}

/** Present, but it may be null. */
export function orNull<T>(of: Field<T>): Field<T | null> {
  const isValid = (value: unknown): value is T | null => value === null || of.isValid(value);
  return { ...of, isValid, isNullable: true };
}

/** As `orNull`. Documents of MongoDB do not have it where it is null. */
export function orAbsent<T>(of: Field<T>): Field<T | null> {
  return { ...orNull(of), isLeftOut: true };
}

/** A field that a finished release does not have. @param value what its records are to have: null, a number, a text or a flag */
export function addedLater<T>(of: Field<T>, value: T): Field<T> {
  return { ...of, added: { value } };
}

/** SQLite would cut a text at U+0000. */
export function text(): Field<string> {
  return field('text', 'a text without U+0000', isText);
}

export function matching(pattern: RegExp, rule: string): Field<string> {
  return field('text', rule, (value): value is string => isText(value) && pattern.test(value));
}

/** @param values permanent names */
export function oneOf<const T extends string>(values: readonly T[]): Field<T> {
  const isValid = (value: unknown): value is T => values.some((each) => each === value);
  return field('text', `one of ${values.join(', ')}`, isValid);
}

/** What `newId` makes. */
export const id = (): Field<string> => matching(/^[0-9a-f]{32}$/, 'an id of 32 hex digits');

export const sha256 = (): Field<string> => matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

export const slug = (): Field<string> => matching(slugPattern, 'a slug');

export function whole(min = 0): Field<number> {
  return field('number', `a whole number of at least ${min}`, (value) => isWhole(value, min));
}

/** The last moment that a Date can be (ECMA-262): a later one would break each page and answer that shows it. */
const timeMax = 8.64e15;

/** Unix ms. */
export function time(): Field<number> {
  const isTime = (value: unknown): value is number => isWhole(value, 0) && value <= timeMax;
  return field('number', `a whole number from 0 to ${timeMax}`, isTime);
}

/** Archives hold them in files of their own. */
export function bytes(): Field<Uint8Array> {
  return field('bytes', 'bytes', (value) => value instanceof Uint8Array);
}

export function flag(): Field<boolean> {
  return field('flag', 'true or false', (value) => typeof value === 'boolean');
}

/** Only records of archives have objects and lists. `faultsOf` checks their parts. */
export function object<const F extends Fields>(parts: F): Field<ObjectOf<F>> {
  return { ...field('object', 'an object', (value): value is ObjectOf<F> => isObject(value)), parts };
}

/** @param isValid of the whole list: the items of one that is too long are not checked one by one */
export function listOf<const F extends Fields>(
  parts: F,
  rule: string,
  isValid: (items: readonly unknown[]) => boolean,
): Field<readonly ObjectOf<F>[]> {
  const isList = (value: unknown): value is readonly ObjectOf<F>[] => Array.isArray(value) && isValid(value);
  return { ...field('object', rule, isList), parts };
}

/** Stored as JSON on SQLite, as an array on MongoDB. */
export function listOfTexts(): Field<readonly string[]> {
  const isList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
  return field('object', 'a list of texts without U+0000', isList);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isWhole(value: unknown, min: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min;
}
