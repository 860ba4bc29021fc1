import { randomBytes } from 'node:crypto';
import { createReadStream, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { ArchiveInput, ArchiveOutput } from '../../ports/archive-file.ts';
import { readTar } from './tar-input.ts';
import { type ByteSink, createTarOutput } from './tar-output.ts';

const readBytes = 1024 * 1024;

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
  return stats.isFile() ? createInput(stats.size, read) : createInput(null, read);
}

/** Reads an archive from a pipe. */
export function openArchivePipe(pipe: AsyncIterable<Uint8Array>): ArchiveInput {
  return createInput(null, () => pipe);
}

function createInput(size: number | null, open: () => AsyncIterable<Uint8Array>): ArchiveInput {
  return { size, entries: (onBytes = () => undefined) => readTar(count(open(), onBytes)) };
}

async function* count(
  pieces: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    onBytes(piece.byteLength);
    yield piece;
  }
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
  const file = await open(partial, 'wx', 0o600).catch((cause: Error) => {
    throw new Error(`${basename(path)} cannot be created in ${folder}: ${cause.message}`, { cause });
  });
  const sink: ByteSink = {
    write: (bytes) =>
      writeAll(file, bytes).catch((cause: Error) => {
        throw new Error(`${basename(path)} cannot be written to ${folder}: ${cause.message}`, { cause });
      }),
    async finish() {
      await file.sync();
      await file.close();
      checkFree(path, replaces);
      await rename(partial, path);
      await syncFolder(folder);
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

function checkFree(path: string, replaces: boolean): void {
  const stats = statOf(path);
  if (stats === null) return;
  if (!stats.isFile()) throw new Error(`${path} is not a file: name a file, or "-" for a pipe`);
  if (!replaces) throw new Error(`${path} exists already: name another file, or replace it with --force`);
}

function statOf(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.byteLength; ) {
    from += (await file.write(bytes, from)).bytesWritten;
  }
}

/** Without it, a power cut may take the name back. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
