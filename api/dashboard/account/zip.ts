import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** One file of an archive. */
export interface ZipEntry {
  /** With `/` between folders; letters, digits, `.`, `_` and `-` only. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Unix ms. */
  readonly changedAt: number;
}

/**
 * Sends the entries as one zip file, and asks for the next only when the one before is being sent: of the entries, at most two
 * are in memory at a time. If the entries fail or the client goes away, the archive ends without its directory, so no program
 * takes it for a whole one.
 * @param idleMs the client is cut off if it reads nothing for this time
 * @throws the error of the entries, after the connection was closed
 */
export async function sendZip(
  res: ServerResponse,
  entries: AsyncIterable<ZipEntry>,
  idleMs: number,
): Promise<void> {
  const zip = new ZipFile();
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.setTimeout(idleMs, () => res.destroy());
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

/** Resolves when everything before the entry has been sent; false: the client is gone. */
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
