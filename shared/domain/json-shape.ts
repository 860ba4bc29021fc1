/** Bodies of ours nest three deep. */
const maxDepth = 64;
/** Bodies of ours have some forty; each costs on the event loop too, when the value is handed over. */
const maxMembers = 10_000;

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
    if (depth > maxDepth || members > maxMembers)
      throw new SyntaxError('The JSON is too deep or has too many members.');
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
