import type { ArchiveSnapshot } from '../ports/archive-store.ts';
import type { BlobOfVersion } from './archive-format.ts';

/** Blobs that are read at the same time. One after the other, MongoDB's answers would take most of the time. */
const readsAtOnce = 64;
const bytesAtOnce = 16 * 1024 * 1024;
/** Of a blob whose record does not say it. */
const usualBytes = 64 * 1024;

/** Reads the blobs that are needed next while earlier ones are worked on. */
export function createReadAhead({ readBlob }: Pick<ArchiveSnapshot, 'readBlob'>) {
  const waiting = new Map<string, BlobOfVersion>();
  const reading = new Map<string, { blob: BlobOfVersion; bytes: Promise<Uint8Array | null> }>();
  let size = 0;

  const sizeOf = ({ bytes }: BlobOfVersion) => bytes ?? usualBytes;

  /** Many at once, because a store may read them with one command. */
  function startReads(): void {
    if (reading.size > readsAtOnce / 2) return;
    for (const [name, blob] of waiting) {
      if (reading.size >= readsAtOnce || (reading.size > 0 && size + sizeOf(blob) > bytesAtOnce)) return;
      const bytes = readBlob(blob.folder, blob.id);
      bytes.catch(() => undefined); // the error is for who asks for the blob
      reading.set(name, { blob, bytes });
      size += sizeOf(blob);
      waiting.delete(name);
    }
  }

  function take(blob: BlobOfVersion): Promise<Uint8Array | null> | undefined {
    waiting.delete(blob.name);
    const started = reading.get(blob.name);
    if (started === undefined) return undefined;
    reading.delete(blob.name);
    size -= sizeOf(started.blob);
    return started.bytes;
  }

  return {
    /** These blobs are needed next, in about this order. */
    expect(blobs: readonly BlobOfVersion[]): void {
      for (const blob of blobs) waiting.set(blob.name, blob);
      startReads();
    },

    /** null: no such blob. */
    async read(blob: BlobOfVersion): Promise<Uint8Array | null> {
      const bytes = await (take(blob) ?? readBlob(blob.folder, blob.id));
      startReads();
      return bytes;
    },

    /** These blobs are not needed any more. */
    forget(blobs: readonly BlobOfVersion[]): void {
      for (const blob of blobs) void take(blob);
      startReads();
    },
  };
}
