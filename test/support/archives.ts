import {
  createArchivePipe,
  openArchiveFile,
  openArchivePipe,
} from '../../shared/adapters/tar/archive-file.ts';
import type { ArchiveInput, ArchiveStore } from '../../shared/ports/archive.ts';
import { type ExportOptions, exportArchive } from '../../shared/services/archive-export.ts';
import { openArchive } from '../../shared/services/archive-reader.ts';

/** A file of an archive. */
export interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const createdAt = Date.UTC(2026, 0, 31);

/** Everything in the store as an archive. */
export async function exportEntries(
  store: ArchiveStore,
  options: Partial<ExportOptions> = {},
): Promise<{ entries: Entry[]; skipped: readonly unknown[] }> {
  const entries: Entry[] = [];
  const output = {
    size: 0,
    add: async (name: string, bytes: Uint8Array) => void entries.push({ name, bytes }),
    finish: async () => undefined,
    discard: async () => undefined,
  };
  const { skipped } = await exportArchive(store, output, {
    head: { id: 'a1', release: '1.0.0', engine: 'embedded', created: new Date(createdAt).toISOString() },
    skipsDamaged: false,
    signal: new AbortController().signal,
    onRecords: () => undefined,
    ...options,
  });
  return { entries, skipped };
}

/** The bytes of a tar file with these entries. */
export async function packEntries(entries: readonly Entry[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const tar = createArchivePipe(async (bytes) => void pieces.push(bytes), { createdAt });
  for (const { name, bytes } of entries) await tar.add(name, bytes);
  await tar.finish();
  return Buffer.concat(pieces);
}

/** The text of its last entry. */
export async function readManifest(path: string): Promise<string> {
  let text = '';
  for await (const entry of openArchiveFile(path).entries()) {
    if (entry.name === 'manifest.json') text = Buffer.from(await entry.read()).toString();
  }
  return text;
}

/** The pipe that these bytes come from. */
function pipeOf(bytes: Uint8Array): ArchiveInput {
  async function* pieces() {
    for (let from = 0; from < bytes.byteLength; from += 65_536) yield bytes.subarray(from, from + 65_536);
  }
  return openArchivePipe(pieces());
}

/** What is wrong with an archive. @throws ArchiveError if it cannot be read to its end */
export async function findFaults(bytes: Uint8Array): Promise<string[]> {
  const { parts } = await openArchive(pipeOf(bytes));
  const faults: string[] = [];
  for await (const part of parts) if (part.type === 'fault') faults.push(part.text);
  return faults;
}
