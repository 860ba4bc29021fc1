import { createHash } from 'node:crypto';

/** What the headers say about a page in one content encoding. */
export interface EncodingFacts {
  readonly byteLength: number;
  /** `digestOf` the bytes. */
  readonly digest: string;
}

/** 160 bits of SHA-256, for a strong ETag (RFC 9110, section 8.8.3). Not on the event loop (docs/performance.md). */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
}

/** Not on the event loop; see `digestOf`. */
export function factsOf(bytes: Uint8Array): EncodingFacts {
  return { byteLength: bytes.byteLength, digest: digestOf(bytes) };
}
