import { createHash } from 'node:crypto';

/** What the headers say about a page in one content encoding. */
export interface EncodingFacts {
  readonly byteLength: number;
  /** `digestOf` the bytes. */
  readonly digest: string;
}

/**
 * A part of a strong ETag (RFC 9110, section 8.8.3): 160 bits of SHA-256 in 27 characters. The caller adds the content
 * encoding to the ETag, because two encodings may have equal bytes. Hashing 2 MB takes 5 ms: do not call it on the event
 * loop.
 */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
}

/** Do not call it on the event loop; see `digestOf`. */
export function factsOf(bytes: Uint8Array): EncodingFacts {
  return { byteLength: bytes.byteLength, digest: digestOf(bytes) };
}
