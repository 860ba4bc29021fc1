import { type ArchivedDrop, type ArchiveKind, archiveKinds, canonicalJson } from '../domain/archive.ts';
import type { ArchiveOutput } from '../ports/archive-file.ts';
import type { ArchiveStore } from '../ports/archive-store.ts';
import { createBlobExport, type DamagedDrop } from './archive-blob-export.ts';
import {
  type ArchiveHead,
  type ArchiveManifest,
  bytesPerEntry,
  createTotals,
  formatHead,
  formatManifest,
  headName,
  manifestName,
  recordsName,
  recordsPerEntry,
} from './archive-format.ts';

export interface ExportOptions {
  readonly head: Omit<ArchiveHead, 'format'>;
  /** If true, a drop with a damaged blob is left out; otherwise it ends the export. */
  readonly skipsDamaged: boolean;
  /** Ends the export with the signal's reason. */
  readonly signal: AbortSignal;
  readonly onRecords: (count: number) => void;
}

/**
 * Writes everything that must last into the archive, while the service may write too: each drop with its versions is in
 * it whole or not at all. In memory are one blob and the records of one entry.
 * @returns the manifest, and the drops that were left out
 * @throws ArchiveError naming a damaged drop
 */
export async function exportArchive(
  store: ArchiveStore,
  output: ArchiveOutput,
  { head, skipsDamaged, signal, onRecords }: ExportOptions,
): Promise<{ manifest: ArchiveManifest; skipped: readonly DamagedDrop[] }> {
  const snapshot = await store.openSnapshot();
  try {
    await output.add(headName, formatHead(head));
    const totals = createTotals();
    const blobs = createBlobExport({ snapshot, output, totals, skipsDamaged });
    for (const kind of archiveKinds) {
      const flush = async (lines: Uint8Array, name: string) => {
        if (kind === 'drops') await blobs.addDigests();
        await output.add(name, lines);
      };
      const entries = createRecordEntries(kind, flush);
      for await (const batch of snapshot.read(kind)) {
        if (kind === 'drops') blobs.expect(batch as readonly ArchivedDrop[]); // proof: of that kind
        for (const record of batch) {
          signal.throwIfAborted();
          const final = kind === 'drops' ? await blobs.add(record as ArchivedDrop) : record; // proof: of that kind
          if (final === null) continue;
          const line = Buffer.from(`${canonicalJson(final)}\n`);
          totals.addRecord(kind, line);
          await entries.add(line);
        }
        onRecords(batch.length);
      }
      await entries.flush();
    }
    await blobs.addDigests(); // of drops that were deleted after the last entry
    const manifest = totals.toManifest();
    await output.add(manifestName, formatManifest(manifest));
    return { manifest, skipped: blobs.skipped };
  } finally {
    await snapshot.close();
  }
}

/** Collects lines into entries of limited size. */
function createRecordEntries(kind: ArchiveKind, add: (lines: Uint8Array, name: string) => Promise<void>) {
  let lines: Uint8Array[] = [];
  let bytes = 0;
  let number = 0;

  async function flush(): Promise<void> {
    if (lines.length === 0) return;
    number += 1;
    const entry = Buffer.concat(lines, bytes);
    lines = [];
    bytes = 0;
    await add(entry, recordsName(kind, number));
  }

  return {
    async add(line: Uint8Array): Promise<void> {
      lines.push(line);
      bytes += line.byteLength;
      if (lines.length === recordsPerEntry || bytes >= bytesPerEntry) await flush();
    },
    flush,
  };
}
