import { randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { type ArchiveEntry, ArchiveError, type ArchiveInput, type ArchiveOutput } from './archive-store.ts';

const readBytes = 1024 * 1024;
/** One write for many small entries: a small write costs as much as a large one (docs/performance.md). */
const writeBytes = 256 * 1024;

/** @throws Error of one sentence if there is no such file */
export function openArchiveFile(path: string): ArchiveInput {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`${path} does not exist`);
  if (stats.isDirectory())
    throw new Error(`${path} is a folder, not an archive that "bin/dropleaf.js export" wrote`);
  const read = () => createReadStream(path, { highWaterMark: readBytes });
  return { size: stats.isFile() ? stats.size : null, entries: (onBytes) => readTar(read(), onBytes) };
}

export function openArchivePipe(pipe: AsyncIterable<Uint8Array>): ArchiveInput {
  return { size: null, entries: (onBytes) => readTar(pipe, onBytes) };
}

async function* readTar(
  source: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void = () => undefined,
): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  const fed = pipeline(async function* () {
    for await (const piece of source) {
      onBytes(piece.byteLength);
      yield piece;
    }
  }, tar);
  fed.catch(() => undefined); // `explain` has the error
  let last = '';
  /** The error of the source or of the tar file: entries get another one. */
  async function explain(error: unknown): Promise<never> {
    await fed.catch((reason: unknown) => {
      throw toArchiveError(reason, last);
    });
    throw error;
  }
  try {
    for await (const file of tar) {
      const { name, type, size = 0 } = file.header;
      // Links and folders have no place in an archive: their name says what they are.
      const named = type === 'file' ? name : `${name} (${type})`;
      yield { name: named, size, read: () => readAll(file).catch(explain) };
      file.resume(); // what was not read
      last = name;
    }
  } catch (error) {
    await explain(error);
  } finally {
    tar.destroy();
    await fed.catch(() => undefined);
  }
}

/** Node's `buffer()` makes a Blob of it first, which takes a third of the time of a `verify`. */
async function readAll(file: AsyncIterable<unknown>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file) pieces.push(piece as Uint8Array); // proof: an entry gives Buffers
  return Buffer.concat(pieces);
}

/** tar-stream's messages: `Unexpected end of data`, `Invalid tar header…`, `Header exceeds max size`. */
function toArchiveError(error: unknown, last: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message === 'Unexpected end of data')
    return new ArchiveError(
      last === '' ? 'it is not a tar file, or it is cut off at its beginning' : `it is cut off after ${last}`,
    );
  if (/^(Invalid (tar )?header|Header exceeds)/.test(error.message))
    return new ArchiveError(
      last === ''
        ? 'it is not a tar file: unpack it first if it is compressed'
        : `it is damaged after ${last}`,
    );
  return error;
}

/**
 * Creates an archive beside `path`, for this user only; `finish` syncs and renames it. @param createdAt Unix ms
 * @throws Error of one sentence if the file exists and may not be replaced, or cannot be created
 */
export async function createArchiveFile(
  path: string,
  { createdAt, replaces }: { createdAt: number; replaces: boolean },
): Promise<ArchiveOutput> {
  checkFree(path, replaces);
  const folder = dirname(resolve(path));
  const partial = `${resolve(path)}.${randomBytes(4).toString('hex')}.partial`;
  const failedTo = (what: string) => (cause: Error) => {
    throw new Error(`${basename(path)} cannot be ${what} ${folder}: ${cause.message}`, { cause });
  };
  const file = await open(partial, 'wx', 0o600).catch(failedTo('created in'));
  const write = (bytes: Uint8Array, done: Written) =>
    file
      .appendFile(bytes)
      .catch(failedTo('written to'))
      .then(() => done(), done);
  const tar = createArchivePipe({ write }, createdAt);
  return {
    ...tar,
    async finish() {
      const size = await tar.finish();
      await file.sync();
      await file.close();
      checkFree(path, replaces);
      await rename(partial, path);
      const handle = await open(folder, 'r'); // without its sync, a power cut may take the name back
      await handle.sync().finally(() => handle.close());
      return size;
    },
    async discard() {
      await tar.discard();
      await file.close().catch(() => undefined); // closed already
      await rm(partial, { force: true });
    },
  };
}

function checkFree(path: string, replaces: boolean): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw new Error(`${path} is not a file: name a file, or "-" for a pipe`);
  if (!replaces) throw new Error(`${path} exists already: name another file, or replace it with --force`);
}

type Written = (error?: Error | null) => void;

/** Sends an archive down a pipe, as a tar file of this user alone. @param createdAt Unix ms */
export function createArchivePipe(
  target: { write(bytes: Uint8Array, written: Written): unknown },
  createdAt: number,
): ArchiveOutput {
  const tar = pack();
  let size = 0;
  const collected = new Writable({
    highWaterMark: writeBytes,
    writev(pieces, done) {
      const bytes = Buffer.concat(pieces.map(({ chunk }) => chunk));
      size += bytes.byteLength;
      target.write(bytes, done);
    },
  });
  // Given as a stream, tar would throw the error of the other one where nobody catches it.
  const written = pipeline(async function* () {
    yield* tar;
  }, collected);
  written.catch(() => undefined); // the caller that adds the next entry gets the error

  return {
    async add(name, bytes) {
      const added = new Promise<void>((resolve, reject) => {
        const header = { name, mode: 0o600, mtime: new Date(createdAt) };
        tar.entry(header, bytes, (error) => (error ? reject(error) : resolve()));
      });
      await added.catch(async (error: unknown) => {
        await written; // throws the reason
        throw error;
      });
    },
    async finish() {
      tar.finalize();
      await written;
      return size;
    },
    async discard() {
      tar.destroy();
      await written.catch(() => undefined);
    },
  };
}
