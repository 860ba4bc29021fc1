import { integer } from './arguments.ts';

/** Sources and diffs are read in windows that fit into the context of a model. */
const maxBytes = 64 * 1024;
const defaultBytes = 16 * 1024;
const minBytes = 16; // so that each window has a whole character

export const windowArguments = {
  offset: integer('offset', 0, Number.MAX_SAFE_INTEGER, 'The byte at which to begin. Default: 0.'),
  length: integer('length', minBytes, maxBytes, `Bytes to read. Default: ${defaultBytes}.`),
};

/**
 * A part of a UTF-8 text, from the byte `offset` on, at most `length` bytes. It begins and ends between characters: it
 * begins or ends earlier by up to 3 bytes.
 * @returns `place`: the bytes of the whole text, where the part begins, and where the next one begins, unless this is the last
 */
export function windowOf(
  bytes: Uint8Array,
  { offset = 0, length = defaultBytes }: { offset?: number | undefined; length?: number | undefined },
) {
  const start = startOfCharacter(bytes, Math.min(offset, bytes.length));
  const end = startOfCharacter(bytes, Math.min(start + length, bytes.length));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
  const next = end < bytes.length && { next_offset: end };
  return { place: { size_bytes: bytes.length, offset: start, ...next }, text };
}

/** The start of the character that has the byte at `index`. */
function startOfCharacter(bytes: Uint8Array, index: number): number {
  let start = index;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1; // 10xxxxxx continues a character
  return start;
}
