/** A legal body has 2 levels; unknown fields, which are ignored, may have more. */
const maxDepth = 16;

/** Commas outside strings. With the default METADATA_MAX_KEYS a legal body has at most about 20. */
const maxMembers = 1_000;

/** Of the names in a path that is shown. */
const maxShownName = 64;

export const jsonRule = 'The body must be valid JSON in UTF-8';
export const jsonShapeRule = `The body must be at most ${maxDepth} levels deep and have at most ${maxMembers} members`;

export interface ParsedJson {
  readonly value: unknown;
  /** What `findIllFormed` says of the value. */
  readonly illFormed: string | null;
}

/** `parseJson` in a thread, for large bodies (docs/performance.md). The caller must not use the bytes afterwards. */
export type ParseJson = (bytes: Uint8Array) => Promise<ParsedJson>;

/**
 * Checks `jsonShapeRule` first: JSON.parse is slow for a text of `[` (docs/performance.md). @throws SyntaxError: no UTF-8, no JSON, or the rule
 */
export function parseJson(bytes: Uint8Array): ParsedJson {
  checkJsonShape(bytes, { maxDepth, maxMembers }, jsonShapeRule);
  const value: unknown = JSON.parse(decode(bytes));
  return { value, illFormed: findIllFormed(value) };
}

/**
 * JSON can have half of a surrogate pair (`"\udce9"`), which no UTF-8 can store. A text of 2 MB takes 3 ms at most.
 * @param value of JSON within `jsonShapeRule`
 * @returns the path of the first text, or name of a member, that has one: `metadata.key`, `resolves[0]`; null: none has
 */
export function findIllFormed(value: unknown, path = ''): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    const shown = name.slice(0, maxShownName).toWellFormed();
    const prefix = path === '' ? '' : `${path}.`;
    const inner = isList ? `${path}[${name}]` : prefix + shown;
    const found = name.isWellFormed() ? findIllFormed(member, inner) : inner;
    if (found !== null) return found;
  }
  return null;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SyntaxError('The text is not UTF-8', { cause: error });
  }
}

/** @param limits.maxMembers commas outside strings @throws SyntaxError with the message if the text exceeds a limit */
export function checkJsonShape(
  bytes: Uint8Array,
  limits: { readonly maxDepth: number; readonly maxMembers: number },
  message: string,
): void {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === 0x22 /* " */) i = endOfString(bytes, i);
    else if (byte === 0x2c /* , */) members++;
    else if (byte === 0x5b /* [ */ || byte === 0x7b /* { */) depth++;
    else if (byte === 0x5d /* ] */ || byte === 0x7d /* } */) depth--;
    if (depth > limits.maxDepth || members > limits.maxMembers) throw new SyntaxError(message);
  }
}

/** @returns the index of the closing quote, or the length of the text if there is none */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === 0x5c /* \ */) i++;
    else if (bytes[i] === 0x22 /* " */) return i;
  }
  return bytes.length;
}
