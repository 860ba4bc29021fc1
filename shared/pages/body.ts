import type { ContentEncoding, RenderHead } from '../renders/render-store.ts';

/** What the headers say about a body that can be served now. */
export interface BodyFacts {
  /** A page that was made without a full parse has `identity`, whatever encoding was requested. */
  readonly encoding: ContentEncoding;
  readonly byteLength: number;
  /** A strong ETag of bytes and encoding (RFC 9110, section 8.8.3); null if the body is not final. */
  readonly etag: string | null;
  /** false: made without a full parse, or for the frame on the event loop. Later requests get a better one, so no cache may keep this one. */
  readonly isFinal: boolean;
}

/** A page in one encoding. Immutable, and the same object for as long as it is in memory. */
export interface Body extends BodyFacts {
  readonly bytes: Uint8Array;
}

/** What the viewer's frame has before everything else in head (docs/decisions/viewer.md). One for each process. */
export interface Framing {
  /** One element of ASCII. */
  readonly script: Uint8Array;
  /** Of the script, for ETags. */
  readonly digest: string;
}

/** Of the raw page. */
export function bodyFactsOf(encoding: ContentEncoding, { facts }: Pick<RenderHead, 'facts'>): BodyFacts {
  const { byteLength, digest } = facts[encoding];
  return { encoding, byteLength, etag: `"${digest}-${encoding}"`, isFinal: true };
}

/** Of the raw page. */
export function bodyOf(bytes: Uint8Array, encoding: ContentEncoding, head: Pick<RenderHead, 'facts'>): Body {
  return { ...bodyFactsOf(encoding, head), bytes: asBuffer(bytes) };
}

/** A Buffer of the same memory, because Node would make one for each response. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** For the viewer's frame. @param raw the ETag of the raw page without encoding */
export function framedBody(
  bytes: Uint8Array,
  encoding: ContentEncoding,
  raw: string,
  { digest }: Framing,
): Body {
  const etag = `${raw.slice(0, -1)}-${digest}-${encoding}"`;
  return { encoding, byteLength: bytes.byteLength, etag, isFinal: true, bytes: asBuffer(bytes) };
}

/** A page that a later request gets in a better form. */
export function unfinishedBody(bytes: Uint8Array): Body {
  return { encoding: 'identity', byteLength: bytes.byteLength, etag: null, isFinal: false, bytes };
}
