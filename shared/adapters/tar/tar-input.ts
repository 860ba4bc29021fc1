import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { ArchiveError } from '../../domain/archive-error.ts';
import type { ArchiveEntry } from '../../ports/archive-file.ts';

/**
 * The entries of a tar file, of which one is read at a time.
 * @throws ArchiveError if the bytes are no tar file, or end in the middle of an entry; the error of the source
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  let failure: unknown;
  const fed = pipeline(watch(source), tar).catch(() => undefined); // the loop throws the error, too
  async function* watch(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  let last = '';
  const fail = (error: unknown): never => {
    throw failure ?? explain(error, last);
  };
  try {
    for await (const file of tar) {
      const { name } = file.header;
      let isRead = false;
      yield {
        name: nameOf(file.header),
        size: file.header.size,
        read() {
          isRead = true;
          return readAll(file, file.header.size).catch(fail);
        },
      };
      if (!isRead) file.resume();
      last = name;
    }
  } catch (error) {
    fail(error);
  } finally {
    tar.destroy();
    await fed;
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
  const isTooShort = error.message === 'Unexpected end of data';
  if (isTooShort && last !== '') return new ArchiveError(`it is cut off after ${last}`);
  if (isTooShort) return new ArchiveError('it is not a tar file, or it is cut off at its beginning');
  if (/^(Invalid (tar )?header|Header exceeds)/.test(error.message)) {
    return new ArchiveError(
      last === ''
        ? 'it is not a tar file: unpack it first if it is compressed'
        : `it is damaged after ${last}`,
    );
  }
  return error;
}
