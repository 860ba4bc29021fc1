import { ArchiveError, type ArchiveKind, blobFolders } from './archive.ts';
import type { ArchiveStore, UnfinishedImport } from './archive-store.ts';
import type { ArchiveManifest } from './format.ts';
import type { ArchivePart, OpenArchive } from './reader.ts';

/** Blobs that are stored with one call: whichever limit is reached first. */
const blobsAtOnce = 64;
const bytesAtOnce = 8 * 1024 * 1024;

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
 * can be repeated: it stores what is not there.
 * @throws ArchiveError at the first fault of the archive; the reason of the signal
 */
export async function importArchive(
  store: ArchiveStore,
  { parts }: OpenArchive,
  signal: AbortSignal,
): Promise<ArchiveManifest> {
  let blobs: Extract<ArchivePart, { type: 'blob' }>[] = [];
  let bytes = 0;

  async function flush(): Promise<void> {
    for (const folder of blobFolders)
      await store.writeBlobs(
        folder,
        blobs.filter((blob) => blob.folder === folder),
      );
    blobs = [];
    bytes = 0;
  }

  for await (const part of parts) {
    signal.throwIfAborted();
    switch (part.type) {
      case 'fault':
        throw new ArchiveError(part.text);
      case 'blob':
        blobs.push(part);
        bytes += part.bytes.byteLength;
        if (blobs.length === blobsAtOnce || bytes >= bytesAtOnce) await flush();
        break;
      case 'records':
        await flush();
        await store.write(part.kind, part.records);
        break;
      case 'end':
        await store.endImport();
        return part.manifest;
    }
  }
  throw new Error('the archive has no end'); // the reader throws before
}
