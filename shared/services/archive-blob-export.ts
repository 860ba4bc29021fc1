import type { ArchivedDrop } from '../domain/archive.ts';
import { ArchiveError } from '../domain/archive-error.ts';
import type { ArchiveOutput } from '../ports/archive-file.ts';
import type { ArchiveSnapshot } from '../ports/archive-store.ts';
import {
  type BlobDigest,
  type BlobOfVersion,
  blobsOf,
  type createTotals,
  digestOf,
  digestsName,
  formatDigest,
} from './archive-format.ts';
import { createReadAhead } from './blob-read-ahead.ts';

/** A drop that is left out, because a blob of it is missing or is not the one that was posted. */
export interface DamagedDrop {
  readonly slug: string;
  /** `the HTML of version 3 is missing`. */
  readonly reason: string;
}

interface Deps {
  readonly snapshot: ArchiveSnapshot;
  readonly output: ArchiveOutput;
  readonly totals: ReturnType<typeof createTotals>;
  readonly skipsDamaged: boolean;
}

/** Writes the blobs of drops and, before the records that name them, their digests. */
export function createBlobExport({ snapshot, output, totals, skipsDamaged }: Deps) {
  const skipped: DamagedDrop[] = [];
  const readAhead = createReadAhead(snapshot);
  let lines: string[] = [];
  let entries = 0;

  /** Writes the blobs that are not in `written`. @returns the first that cannot be read; null: all are written */
  async function addMissing(drop: ArchivedDrop, written: Map<string, BlobDigest>) {
    for (const blob of blobsOf(drop)) {
      if (written.has(blob.name)) continue;
      const bytes = await readAhead.read(blob);
      const reason = findDamage(blob, bytes);
      if (bytes === null || reason !== null) return { blob, reason: reason ?? 'is missing' };
      await output.add(blob.name, bytes);
      written.set(blob.name, digestOf(bytes));
    }
    return null;
  }

  /** The record for which every blob is written; null: the drop was deleted meanwhile, or is damaged. */
  async function addWhole(
    drop: ArchivedDrop,
    written: Map<string, BlobDigest>,
  ): Promise<ArchivedDrop | null> {
    const missing = await addMissing(drop, written);
    if (missing === null) return drop;
    const now = await snapshot.readDropAgain(drop.id);
    if (now === null) return null;
    const { blob } = missing;
    if (!now.versions.some(({ id }) => id === blob.id)) return addWhole(now, written); // the version was removed
    const reason = `the ${blob.what} of version ${blob.version} ${missing.reason}`;
    if (!skipsDamaged) throw new ArchiveError(`${drop.slug} is damaged: ${reason}`);
    skipped.push({ slug: drop.slug, reason });
    return null;
  }

  return {
    skipped,

    /** These drops are added next. */
    expect: (drops: readonly ArchivedDrop[]) => readAhead.expect(drops.flatMap(blobsOf)),

    /**
     * Writes the blobs of the drop.
     * @returns the record to write, which may be newer; null: the drop is left out
     * @throws ArchiveError if it is damaged and may not be left out
     */
    async add(drop: ArchivedDrop): Promise<ArchivedDrop | null> {
      const written = new Map<string, BlobDigest>();
      const final = await addWhole(drop, written);
      if (final !== drop) readAhead.forget(blobsOf(drop));
      for (const { name, folder, id } of final === null ? [] : blobsOf(final)) {
        const digest = written.get(name);
        if (digest === undefined) continue;
        lines.push(formatDigest({ name, ...digest, isUsed: true }));
        totals.addBlob(folder, id, digest);
        written.delete(name);
      }
      for (const [name, digest] of written) lines.push(formatDigest({ name, ...digest, isUsed: false }));
      return final;
    },

    /** Writes the digests of all blobs since the last call. */
    async addDigests(): Promise<void> {
      if (lines.length === 0) return;
      entries += 1;
      const text = lines.join('');
      lines = [];
      await output.add(digestsName(entries), Buffer.from(text));
    },
  };
}

function findDamage({ bytes: expected }: BlobOfVersion, bytes: Uint8Array | null): string | null {
  if (bytes === null) return 'is missing';
  if (expected === null || bytes.byteLength === expected) return null;
  return `has ${bytes.byteLength} bytes, and its record says ${expected}`;
}
