import { randomBytes } from 'node:crypto';
import { createReadStream, type Stats, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Header, pack } from 'tar-stream';
import { ArchiveError } from './archive.ts';
import type { ArchiveEntry, ArchiveInput, ArchiveOutput } from './archive-store.ts';

const readBytes = 1024 * 1024;
/** One write for many small entries: a write of 512 bytes costs as much as one of 256 KB. */
const writeBytes = 256 * 1024;

/**
 * Opens an archive to read it.
 * @throws Error of one sentence if there is no such file
 */
export function openArchiveFile(path: string): ArchiveInput {
  const stats = statOf(path);
  if (stats === null) throw new Error(`${path} does not exist`);
  if (stats.isDirectory())
    throw new Error(`${path} is a folder, not an archive that "bin/dropleaf.js export" wrote`);
  const read = () => createReadStream(path, { highWaterMark: readBytes });
  return createInput(stats.isFile() ? stats.size : null, read);
}

/** Reads an archive from a pipe. */
export function openArchivePipe(pipe: AsyncIterable<Uint8Array>): ArchiveInput {
  return createInput(null, () => pipe);
}

function createInput(size: number | null, source: () => AsyncIterable<Uint8Array>): ArchiveInput {
  async function* count(onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
    for await (const piece of source()) {
      onBytes(piece.byteLength);
      yield piece;
    }
  }
  return { size, entries: (onBytes = () => undefined) => readTar(count(onBytes)) };
}

/**
 * The entries of a tar file, of which one is read at a time.
 * @throws ArchiveError if the bytes are no tar file, or end in the middle of an entry; the error of the source
 */
async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  const fed = pipeline(source, tar);
  const failure = fed.then(
    () => null,
    (error: unknown) => error,
  );
  let last = '';
  const fail = async (error: unknown): Promise<never> => {
    throw explain((await failure) ?? error, last);
  };
  try {
    for await (const file of tar) {
      const { header } = file;
      let isRead = false;
      yield {
        name: nameOf(header),
        size: header.size,
        read() {
          isRead = true;
          return readAll(file, header.size).catch(fail);
        },
      };
      if (!isRead) file.resume();
      last = header.name;
    }
  } catch (error) {
    await fail(error);
  } finally {
    tar.destroy();
    await failure;
  }
}

/** Links and folders have no place in an archive: their name says what they are. */
function nameOf({ name, type }: Header): string {
  return type === 'file' ? name : `${name} (${type})`;
}

async function readAll(file: AsyncIterable<unknown>, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for await (const piece of file) {
    const part = piece as Uint8Array; // proof: an entry gives Buffers, of `size` bytes together
    bytes.set(part, length);
    length += part.byteLength;
  }
  return bytes;
}

/** tar-stream's messages: `Unexpected end of data`, `Invalid tar header…`, `Header exceeds max size`. */
function explain(error: unknown, last: string): unknown {
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
 * Creates an archive beside `path`, of this user alone; `finish` syncs it and gives it its name.
 * @param createdAt Unix ms
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
  const sink: Sink = {
    write: (bytes) => file.appendFile(bytes).catch(failedTo('written to')),
    async finish() {
      await file.sync();
      await file.close();
      checkFree(path, replaces);
      await rename(partial, path);
      const handle = await open(folder, 'r'); // without its sync, a power cut may take the name back
      await handle.sync().finally(() => handle.close());
    },
    async discard() {
      await file.close().catch(() => undefined); // closed already
      await rm(partial, { force: true });
    },
  };
  return createTarOutput(sink, createdAt);
}

/** Sends an archive down a pipe. @param write resolves when the pipe has taken the bytes */
export function createArchivePipe(
  write: (bytes: Uint8Array) => Promise<void>,
  { createdAt }: { createdAt: number },
): ArchiveOutput {
  const nothing = () => Promise.resolve();
  return createTarOutput({ write, finish: nothing, discard: nothing }, createdAt);
}

interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Writes entries as a tar file of this user alone. */
function createTarOutput(sink: Sink, createdAt: number): ArchiveOutput {
  const tar = pack();
  let size = 0;
  const collected = new Writable({
    highWaterMark: writeBytes,
    writev(pieces, done) {
      const bytes = Buffer.concat(pieces.map(({ chunk }) => chunk));
      size += bytes.byteLength;
      sink.write(bytes).then(() => done(), done);
    },
  });
  // Given as a stream, tar would throw the error of the other one where nobody catches it.
  async function* pieces(): AsyncGenerator<unknown> {
    yield* tar;
  }
  const written = pipeline(pieces, collected);
  written.catch(() => undefined); // the caller that adds the next entry gets the error

  return {
    get size() {
      return size;
    },
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
      await sink.finish();
    },
    async discard() {
      tar.destroy();
      await written.catch(() => undefined);
      await sink.discard();
    },
  };
}

function checkFree(path: string, replaces: boolean): void {
  const stats = statOf(path);
  if (stats === null) return;
  if (!stats.isFile()) throw new Error(`${path} is not a file: name a file, or "-" for a pipe`);
  if (!replaces) throw new Error(`${path} exists already: name another file, or replace it with --force`);
}

function statOf(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}
