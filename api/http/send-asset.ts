import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { digestOf } from '../../shared/domain/etag.ts';
import type { ContentEncoding } from '../../shared/ports/render-store.ts';
import { createEncodingNegotiator } from './content-encoding.ts';
import { isFresh } from './send.ts';

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

/** Answers with the asset in the smallest encoding that the client takes, made once, away from the event loop. */
export function createAssetSender({ type, bytes, cacheControl }: Asset) {
  const negotiateEncoding = createEncodingNegotiator();
  const digest = digestOf(bytes);
  const made = new Map<ContentEncoding, Promise<Buffer>>();

  function encoded(encoding: ContentEncoding): Promise<Buffer> {
    const known = made.get(encoding);
    if (known !== undefined) return known;
    const making = compressors[encoding](bytes);
    made.set(encoding, making);
    return making;
  }

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
    const body = await encoded(encoding);
    res.locals.sharedBytes = body; // one memory for all clients (unread-answers.ts)
    if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
    res.setHeader('Content-Type', type);
    res.setHeader('Content-Length', body.byteLength);
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}
