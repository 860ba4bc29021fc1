import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ServiceResponse } from '../../http/send.ts';

/** One file of an archive. */
export interface ZipEntry {
  /** With `/` between folders. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Unix ms. */
  readonly changedAt: number;
}

/**
 * Sends the entries as one zip file; at most two are in memory. If they fail it has no directory: no program takes it for whole.
 * @param idleMs the client is cut off if it reads nothing for this time
 */
export async function sendZip(
  res: ServiceResponse,
  entries: AsyncIterable<ZipEntry>,
  idleMs: number,
): Promise<void> {
  const zip = new ZipFile();
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.setTimeout(idleMs, () => res.destroy());
  zip.outputStream.once('data', () => {
    res.locals.begunAt = performance.now();
  });
  zip.outputStream.pipe(res);
  try {
    for await (const entry of entries) {
      if (!(await begin(zip, entry, gone.signal))) return;
    }
    zip.end();
    if (!res.closed) await once(res, 'close');
  } catch (error) {
    res.destroy();
    throw error;
  }
}

/** Resolves when everything before the entry has been sent; false: the client has disconnected. */
function begin(zip: ZipFile, { path, bytes, changedAt }: ZipEntry, gone: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(false);
    if (gone.aborted) return stop();
    gone.addEventListener('abort', stop, { once: true });
    zip.once('error', reject);
    zip.addReadStreamLazy(path, { mtime: new Date(changedAt), size: bytes.byteLength }, (open) => {
      gone.removeEventListener('abort', stop);
      zip.off('error', reject);
      open(null, Readable.from([bytes], { objectMode: false }));
      resolve(true);
    });
  });
}
