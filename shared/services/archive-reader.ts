import { type ArchiveKind, type ArchiveRecord, archiveKinds } from '../domain/archive.ts';
import { ArchiveError } from '../domain/archive-error.ts';
import type { ArchiveEntry, ArchiveInput } from '../ports/archive-file.ts';
import type { ArchiveBlobs } from '../ports/archive-store.ts';
import { createBlobChecks } from './archive-blob-checks.ts';
import {
  type ArchiveHead,
  type ArchiveManifest,
  type BlobDigest,
  compareManifest,
  createTotals,
  headName,
  maxEntryBytes,
  parseEntryName,
  parseHead,
} from './archive-format.ts';
import { createRecordChecks } from './archive-record-checks.ts';

/** A piece of an archive, or a fault in it. What follows a fault is read all the same. */
export type ArchivePart =
  | { readonly type: 'blob'; readonly folder: ArchiveBlobs; readonly id: string; readonly bytes: Uint8Array }
  | RecordsPart
  | { readonly type: 'fault'; readonly text: string }
  /** The last one. `manifest` is what the archive holds, whatever its manifest says. */
  | { readonly type: 'end'; readonly manifest: ArchiveManifest };

export interface RecordsPart {
  readonly type: 'records';
  readonly kind: ArchiveKind;
  readonly records: readonly ArchiveRecord[];
  /** Of drops: the digests of their blobs, by the name of their entry. */
  readonly digests: ReadonlyMap<string, BlobDigest>;
}

export interface OpenArchive {
  readonly head: ArchiveHead;
  /**
   * Everything in the archive, each digest and reference checked. In memory are one entry, and the ids of all accounts.
   * @throws ArchiveError if it is cut off
   */
  readonly parts: AsyncIterable<ArchivePart>;
  /** Ends the reading, also before its end. */
  close(): Promise<void>;
}

/** @throws ArchiveError if it is not an archive of Dropleaf that this release can read */
export async function openArchive(
  input: ArchiveInput,
  onBytes?: (count: number) => void,
): Promise<OpenArchive> {
  const entries = input.entries(onBytes)[Symbol.asyncIterator]();
  const close = async () => void (await entries.return?.());
  try {
    const first = await entries.next();
    if (first.done || first.value.name !== headName || first.value.size > maxEntryBytes) {
      throw new ArchiveError(`it is not an archive of Dropleaf: it does not begin with ${headName}`);
    }
    const head = parseHead(await first.value.read());
    return { head, parts: readParts({ [Symbol.asyncIterator]: () => entries }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* readParts(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<ArchivePart> {
  const totals = createTotals();
  const blobs = createBlobChecks(totals);
  const records = createRecordChecks(totals);
  let last = headName;
  let manifest: ArchiveManifest | null = null;
  for await (const entry of entries) {
    const content = parseEntryName(entry.name);
    const refusal = content === null ? 'is not a part of an archive' : refuse(entry, manifest !== null);
    if (content === null || refusal !== null) {
      yield toFault(`${entry.name} ${refusal}`);
      continue;
    }
    last = entry.name;
    const bytes = await entry.read();
    switch (content.type) {
      case 'blob':
        yield* blobs.addBlob(entry.name, bytes).map(toFault);
        yield { type: 'blob', folder: content.folder, id: content.id, bytes };
        break;
      case 'digests':
        yield* blobs.addDigests(entry.name, bytes).map(toFault);
        break;
      case 'records': {
        const kind = archiveKinds.find((known) => known === content.kind);
        if (kind === undefined) {
          yield toFault(`${entry.name} holds records of an unknown kind`);
          break;
        }
        const read = records.read(entry.name, kind, bytes);
        const checked = kind === 'drops' ? blobs.check(read.drops) : { faults: [], digests: new Map() };
        yield* [...read.faults, ...checked.faults].map(toFault);
        yield { type: 'records', kind, records: read.records, digests: checked.digests };
        break;
      }
      case 'manifest':
        manifest = totals.toManifest();
        yield* [...blobs.checkEnd(), ...compareManifest(bytes, manifest)].map(toFault);
    }
  }
  if (manifest === null) throw new ArchiveError(`it is cut off after ${last}: it has no manifest.json`);
  yield { type: 'end', manifest };
}

/** Why the entry is not read; null: it is. */
function refuse({ size }: ArchiveEntry, hasManifest: boolean): string | null {
  if (hasManifest) return 'comes after manifest.json, which ends an archive';
  return size > maxEntryBytes ? `has ${size} bytes, and no entry has more than ${maxEntryBytes}` : null;
}

/** A text of an archive made by hand may have megabytes. */
const faultMaxCharacters = 1_000;

function toFault(text: string): ArchivePart {
  const isLong = text.length > faultMaxCharacters;
  return { type: 'fault', text: isLong ? `${text.slice(0, faultMaxCharacters)}…` : text };
}
