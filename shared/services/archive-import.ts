import type { ArchiveKind } from '../domain/archive.ts';
import { ArchiveError } from '../domain/archive-error.ts';
import type { ArchiveStore, UnfinishedImport } from '../ports/archive-store.ts';
import { type ArchiveManifest, recordsPerEntry } from './archive-format.ts';
import type { ArchivePart, OpenArchive } from './archive-reader.ts';

/** Blobs that are stored in parallel: whichever limit is reached first. */
const blobsAtOnce = 64;
const blobBytesAtOnce = 8 * 1024 * 1024;

/** What an import may do with a store. */
export type Target =
  | { readonly state: 'empty' }
  /** An import of the same archive has not ended, and goes on. */
  | { readonly state: 'unfinished' }
  /** An import of another archive has not ended. */
  | { readonly state: 'other-archive'; readonly archiveId: string; readonly begunAt: number }
  | { readonly state: 'not-empty'; readonly counts: Partial<Record<ArchiveKind, number>> };

/**
 * Marks a store that the archive can be imported into as unfinished: no service starts on it until the import has ended. A store
 * that this import has created has the mark.
 * @returns the state before
 */
export async function beginImport(store: ArchiveStore, begun: UnfinishedImport): Promise<Target> {
  const found = await store.findUnfinishedImport();
  if (found !== null && found.archiveId !== begun.archiveId) return { state: 'other-archive', ...found };
  if (found !== null && found.begunAt !== begun.begunAt) return { state: 'unfinished' };
  const counts = await store.countRecords();
  if (Object.keys(counts).length > 0) return { state: 'not-empty', counts };
  await store.beginImport(begun);
  return { state: 'empty' };
}

/**
 * Fills the store, which `beginImport` has marked, and removes the mark. If it fails, the store stays marked, and the same import
 * can be repeated.
 * @throws ArchiveError at the first fault of the archive; the reason of the signal
 */
export async function importArchive(
  store: ArchiveStore,
  { parts }: OpenArchive,
  signal: AbortSignal,
): Promise<ArchiveManifest> {
  const stored = await store.countRecords();
  const read: Partial<Record<ArchiveKind, number>> = {};
  const blobs = createBlobWrites(store);
  let manifest: ArchiveManifest | null = null;
  for await (const part of parts) {
    signal.throwIfAborted();
    switch (part.type) {
      case 'fault':
        throw new ArchiveError(part.text);
      case 'blob':
        // An interrupted import has stored records in their order: the next entry of drops is stored for certain.
        if ((stored.drops ?? 0) - (read.drops ?? 0) < recordsPerEntry) await blobs.add(part);
        break;
      case 'records': {
        const { kind, records } = part;
        const count = (read[kind] ?? 0) + records.length;
        read[kind] = count;
        await blobs.flush();
        if ((stored[kind] ?? 0) < count) await store.write(kind, records);
        break;
      }
      case 'end':
        manifest = part.manifest;
    }
  }
  await blobs.flush();
  if (manifest === null) throw new Error('the archive has no end'); // the reader throws before
  await store.endImport();
  return manifest;
}

type Blob = Extract<ArchivePart, { type: 'blob' }>;

function createBlobWrites(store: ArchiveStore) {
  let waiting: Blob[] = [];
  let bytes = 0;

  async function flush(): Promise<void> {
    const blobs = waiting;
    waiting = [];
    bytes = 0;
    await Promise.all(blobs.map(({ folder, id, bytes }) => store.writeBlob(folder, id, bytes)));
  }

  return {
    async add(blob: Blob): Promise<void> {
      waiting.push(blob);
      bytes += blob.bytes.byteLength;
      if (waiting.length === blobsAtOnce || bytes >= blobBytesAtOnce) await flush();
    },
    flush,
  };
}
