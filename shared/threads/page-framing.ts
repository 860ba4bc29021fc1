import { brotliCompressSync, gzipSync } from 'node:zlib';
import { putFirstInHead } from '../html/first-in-head.ts';
import type { ContentEncoding } from '../renders/render-store.ts';
import { brotliOptions } from '../util/brotli.ts';
import { brotliQuality, gzipOptions } from './page-render.ts';

/** A page with the script of the viewer's frame, in one encoding. Its time is bounded: only the start of the page is parsed. */
export function framePage(page: Uint8Array, script: Uint8Array, encoding: ContentEncoding): Uint8Array {
  const framed = putFirstInHead(page, script);
  if (encoding === 'br')
    return new Uint8Array(brotliCompressSync(framed, brotliOptions(brotliQuality, framed.length)));
  // Copies, because posting a Uint8Array from a thread copies its whole buffer.
  return new Uint8Array(encoding === 'gzip' ? gzipSync(framed, gzipOptions) : framed);
}
