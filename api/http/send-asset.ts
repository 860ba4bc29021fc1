import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { digestOf } from '../../shared/domain/etag.ts';
import type { Form } from '../../shared/ports/render-store.ts';
import { createFormChooser } from './content-encoding.ts';
import { isFresh } from './if-none-match.ts';

/** Bytes that never change while the process runs. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  readonly cacheControl: string;
}

const compressors: Readonly<Record<Form, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: promisify(gzip),
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
};

/** Answers with the asset in the smallest form that the client takes, made once, away from the event loop. */
export function createAssetSender({ type, bytes, cacheControl }: Asset) {
  const chooseForm = createFormChooser();
  const digest = digestOf(bytes);
  const made = new Map<Form, Promise<Buffer>>();

  function inForm(form: Form): Promise<Buffer> {
    const known = made.get(form);
    if (known !== undefined) return known;
    const making = compressors[form](bytes);
    made.set(form, making);
    return making;
  }

  return async (req: Request, res: Response): Promise<void> => {
    const form = chooseForm(req.headers['accept-encoding']);
    const etag = `"${digest}-${form}"`;
    res.setHeader('Cache-Control', cacheControl);
    res.setHeader('Vary', 'Accept-Encoding');
    res.setHeader('ETag', etag);
    if (isFresh(req.headers['if-none-match'], etag)) {
      res.status(304).end();
      return;
    }
    const body = await inForm(form);
    res.locals.sharedBytes = body; // one memory for all clients (unread-answers.ts)
    if (form !== 'identity') res.setHeader('Content-Encoding', form);
    res.setHeader('Content-Type', type);
    res.setHeader('Content-Length', body.byteLength);
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}
