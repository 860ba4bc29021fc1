import type { Engine } from '../engines/engine.ts';
import type { ArchiveRecord } from './archive.ts';
import { ArchiveError, blobFolders, type StoredKind } from './archive-store.ts';
import type { ArchiveManifest, BlobPart } from './format.ts';
import type { ReadPart } from './reader.ts';

/** Blobs that are stored with one call: whichever limit is reached first. */
const blobsAtOnce = 64;
const bytesAtOnce = 8 * 1024 * 1024;

/**
 * Fills the store and removes its mark. After a failure it stays marked, and the same import can be repeated: it stores what
 * is absent. Replaces secrets. @throws ArchiveError at the first fault of the archive
 */
export async function importArchive(
  { archive, secrets }: Pick<Engine, 'archive' | 'secrets'>,
  parts: AsyncIterable<ReadPart>,
): Promise<ArchiveManifest> {
  let blobs: BlobPart[] = [];
  let bytes = 0;

  async function flush(): Promise<void> {
    for (const folder of blobFolders) {
      const ofFolder = blobs.filter((blob) => blob.folder === folder);
      if (ofFolder.length > 0) await archive.writeBlobs(folder, ofFolder);
    }
    blobs = [];
    bytes = 0;
  }

  for await (const part of parts) {
    if (part.type === 'fault') throw new ArchiveError(part.text);
    if (part.type === 'end') {
      await archive.endImport();
      return part.manifest;
    }
    if (part.type === 'blob') {
      blobs.push(part);
      bytes += part.bytes.byteLength;
      if (blobs.length === blobsAtOnce || bytes >= bytesAtOnce) await flush();
      continue;
    }
    await flush();
    if (part.kind !== 'secrets') await archive.write(part.kind, part.records as ArchiveRecord<StoredKind>[]); // proof: of that kind
    for (const record of part.records)
      if ('value' in record) await secrets.replace(record.name, record.value);
  }
  throw new Error('the archive has no end'); // the reader has a fault then
}
