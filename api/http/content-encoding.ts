import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import Negotiator from 'negotiator';
import { digestOf } from '../../shared/domain/etag.ts';
import type { ContentEncoding } from '../../shared/renders/render-store.ts';
import { isFresh } from './entity-tags.ts';

const maxHeaderLength = 200;

/**
 * The allowed encoding with the highest q-value, then the smallest. `*` does not mean Brotli: some clients cannot decode it.
 */
export function negotiateEncoding(header: string | undefined): ContentEncoding {
  if (header === undefined || header.length > maxHeaderLength) return 'identity';
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } });
  // Proof: negotiator takes `preferred` since 1.0, tested with 1.1.0; its published types are those of 0.6.
  const { encodings } = negotiator as unknown as {
    encodings(available: ContentEncoding[], options: { preferred: ContentEncoding[] }): ContentEncoding[];
  };
  const available: ContentEncoding[] = /\bbr\b/i.test(header)
    ? ['br', 'gzip', 'identity']
    : ['gzip', 'identity'];
  return encodings.call(negotiator, available, { preferred: ['br', 'gzip'] })[0] ?? 'identity';
}

/** Bytes that never change while the process runs. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly cacheControl: string;
}

const compressors: Readonly<Record<ContentEncoding, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: promisify(gzip),
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
};

/** @returns a handler that sends the asset, compressed once for each encoding */
export function createAssetSender({ type, bytes, cacheControl }: Asset) {
  const digest = digestOf(bytes);
  const compressed = new Map<ContentEncoding, Buffer>();

  return async (req: Request, res: Response): Promise<void> => {
    const encoding = negotiateEncoding(req.headers['accept-encoding']);
    const etag = `"${digest}-${encoding}"`;
    res.setHeader('Cache-Control', cacheControl);
    res.setHeader('Vary', 'Accept-Encoding');
    res.setHeader('ETag', etag);
    if (isFresh(req.headers['if-none-match'], etag)) {
      res.status(304).end();
      return;
    }
    const body = compressed.get(encoding) ?? (await compressors[encoding](bytes));
    compressed.set(encoding, body);
    res.locals.sharedBytes = body;
    if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
    res.setHeader('Content-Type', type);
    res.setHeader('Content-Length', body.byteLength);
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}
