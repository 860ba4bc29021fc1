/** The legal bodies nest two levels deep; fields that are ignored may nest deeper. */
const maxDepth = 16;

/**
 * Commas outside strings. A legal body has at most METADATA_MAX_KEYS and some ten more; each costs time on the event
 * loop again after it was parsed.
 */
const maxMembers = 1_000;

/** What a body must be, as an error says it. */
export const jsonRule = `The body must be JSON in UTF-8, at most ${maxDepth} levels deep and with at most ${maxMembers} members.`;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openers = new Set([0x5b, 0x7b]);
const closers = new Set([0x5d, 0x7d]);

/**
 * Refuses deep nesting and masses of members before the parser builds them: 12 MB of `[` take it 7 s.
 * What else is wrong with the text is left to the parser.
 * @throws SyntaxError
 */
export function checkShape(bytes: Uint8Array): void {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === quote) i = endOfString(bytes, i);
    else if (byte === comma) members++;
    else if (openers.has(byte)) depth++;
    else if (closers.has(byte)) depth--;
    if (depth > maxDepth || members > maxMembers) throw new SyntaxError(jsonRule);
  }
}

/** The closing quote of the string that opens at `start`; the end of the text if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === backslash) i++;
    else if (bytes[i] === quote) return i;
  }
  return bytes.length;
}
