/**
 * Whether a value (an answer, or a file of the user) is what the client expects. Members that it does not name may have any
 * value. No library: yup would add 45 KB and about 15 ms of each start, for errors that the client says in its own words.
 */
export type Guard<T> = (value: unknown) => value is T;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** A whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Unix ms that a Date can have. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

/** It becomes a part of paths. */
export function isSlug(value: unknown): value is string {
  return isText(value) && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

/** What a header can have without quotes. */
export function isToken(value: unknown): value is string {
  return isText(value) && /^[\x21-\x7e]+$/.test(value);
}

/** An ETag with its quotes; it becomes `If-Match`. */
export function isEtag(value: unknown): value is string {
  return isText(value) && /^"[\x21\x23-\x7e]+"$/.test(value);
}

/** An address that a browser may be started with. */
export function isWebAddress(value: unknown): value is string {
  return isText(value) && /^https?:\/\//i.test(value) && URL.canParse(value);
}

export function isAbsentOr<T>(shape: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || shape(value);
}

export function isNullOr<T>(shape: Guard<T>): Guard<T | null> {
  return (value): value is T | null => value === null || shape(value);
}

export function isListOf<T>(shape: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(shape);
}

type Shapes = Readonly<Record<string, Guard<unknown>>>;

/** What a shape accepts. Members that may be undefined may be absent. */
export type Guarded<S> = S extends Guard<infer T> ? T : never;
type Optional<S> = { [K in keyof S]: undefined extends Guarded<S[K]> ? K : never }[keyof S];
type Members<S> = { readonly [K in Exclude<keyof S, Optional<S>>]: Guarded<S[K]> } & {
  readonly [K in Optional<S>]?: Guarded<S[K]>;
};

export function hasFields<S extends Shapes>(shapes: S): Guard<Members<S>> {
  const members = Object.entries(shapes);
  return (value): value is Members<S> =>
    isRecord(value) && members.every(([name, shape]) => shape(value[name]));
}
