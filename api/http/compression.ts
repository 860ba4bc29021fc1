import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { brotliOptions } from '../../shared/util/brotli.ts';
import { FairQueue } from '../../shared/util/fair-queue.ts';
import { negotiateEncoding } from './content-encoding.ts';
import { isFromOtherSite } from './form.ts';

/** Less is not worth the time. */
const minBytes = 1_024;

/** Higher levels cost more CPU than their bytes are worth (docs/performance.md). */
const brotliQuality = 4;
const gzipLevel = 4;

/** Of the four threads of libuv's pool, which flush the log of SQLite, too. */
const maxAtOnce = 2;
/** About 20 ms of large pages. */
const maxWaiting = 32;

const compressors = {
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: gzipLevel }),
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, brotliOptions(brotliQuality, bytes.length)),
};

/** Whose answer it is; absent: nobody's. */
interface Client {
  readonly accountId?: string;
  readonly sessionId?: string;
}

/** The body in the coding. null: it is sent as it is, because too many bodies wait. Never rejects. */
type Compress = (
  body: Buffer,
) => Promise<{ readonly encoding: 'gzip' | 'br'; readonly bytes: Buffer } | null>;

/** Sets Vary. @returns compresses a body of ours of so many bytes for the request of this answer; null: it is sent as it is */
export type ChooseCompression = (res: ServerResponse, byteLength: number, client: Client) => Compress | null;

/** For one process: a few bodies are compressed at once. Accounts take fair turns; all requests without one are one. */
export function createCompression(): ChooseCompression {
  const turns = new FairQueue(maxAtOnce, maxWaiting);

  return (res, byteLength, { accountId = '', sessionId }) => {
    // A strong ETag names the bytes (RFC 9110, section 8.8.1): of a drop that is its revision, in any coding.
    if (byteLength < minBytes || res.hasHeader('ETag')) return null;
    const varies = res.getHeader('Vary');
    res.setHeader('Vary', varies === undefined ? 'Accept-Encoding' : `${varies}, Accept-Encoding`);
    const encoding = negotiateEncoding(res.req.headers['accept-encoding']);
    if (encoding === 'identity') return null;
    // Another site chose the address of a page that only this person sees: if the page repeats a guess of what is on it, its
    // compressed form is shorter, and networks see lengths (BREACH).
    if (sessionId !== undefined && isFromOtherSite(res.req)) return null;
    return async (body) => {
      // zlib fails only where it gets no memory; the body is there as it is.
      const bytes = await turns.run([accountId], () => compressors[encoding](body)).catch(() => undefined);
      return bytes === undefined ? null : { encoding, bytes };
    };
  };
}
