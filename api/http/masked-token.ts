import { randomBytes } from 'node:crypto';

/** No token of an earlier release begins with it. */
const marker = '~';

/**
 * The token under a new mask: two answers with one token have no bytes of it in common, so that the lengths of compressed
 * answers tell nothing about it (BREACH). @param token of ASCII
 */
export function maskToken(token: string): string {
  const bytes = Buffer.from(token, 'latin1');
  const mask = randomBytes(bytes.length);
  return marker + Buffer.concat([mask, xor(bytes, mask)]).toString('base64url');
}

/** What `maskToken` has masked. Any other text as it is: pages of releases before 1.4 have tokens without a mask. */
export function unmaskToken(text: string): string {
  if (!text.startsWith(marker)) return text;
  const both = Buffer.from(text.slice(marker.length), 'base64url');
  const half = both.length >> 1;
  return xor(both.subarray(half), both.subarray(0, half)).toString('latin1');
}

/** @param mask as long as the bytes; a longer text gets zeros, and so equals no token */
function xor(bytes: Uint8Array, mask: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (mask[at] ?? 0)));
}
