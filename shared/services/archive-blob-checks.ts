import type { ArchivedDrop } from '../domain/archive.ts';
import { ArchiveError } from '../domain/archive-error.ts';
import {
  type BlobDigest,
  blobsOf,
  type createTotals,
  digestOf,
  type ListedDigest,
  parseDigest,
} from './archive-format.ts';

/** Blobs without their record, of which the digests are in memory. An export writes far fewer before a record. */
const maxWaiting = 500_000;

/**
 * Checks that each version has its blobs, and that these are the ones that were exported. Blobs come first, then their
 * digests, then the records that name them.
 */
export function createBlobChecks(totals: ReturnType<typeof createTotals>) {
  /** What came since the last records, by name. */
  const found = new Map<string, BlobDigest>();
  const listed = new Map<string, ListedDigest>();

  function checkBlobs(drop: ArchivedDrop, digests: Map<string, BlobDigest>): string[] {
    const faults: string[] = [];
    for (const { name, folder, id, what, version, bytes } of blobsOf(drop)) {
      const blob = found.get(name);
      const said = listed.get(name);
      found.delete(name);
      listed.delete(name);
      const fault = findFault(blob, said, bytes);
      if (fault !== null) faults.push(`${name} (${what} of version ${version} of ${drop.slug}) ${fault}`);
      if (blob === undefined) continue;
      digests.set(name, blob);
      totals.addBlob(folder, id, blob);
    }
    return faults;
  }

  /** What no record has named: blobs whose drop or version was removed during the export. */
  function checkRest(): string[] {
    const faults: string[] = [];
    for (const [name, said] of listed) {
      const fault = findFault(found.get(name), said, null);
      if (fault !== null) faults.push(`${name} ${fault}`);
      else if (said.isUsed) faults.push(`${name} belongs to no drop in the archive`);
      found.delete(name);
    }
    for (const name of found.keys()) faults.push(`${name} is not in the list of digests`);
    found.clear();
    listed.clear();
    return faults;
  }

  return {
    /** @returns faults @throws ArchiveError if too many came without their records */
    addBlob(name: string, bytes: Uint8Array): string[] {
      const faults = found.has(name) ? [`${name} is twice in the archive`] : [];
      found.set(name, digestOf(bytes));
      requireRoom(found);
      return faults;
    },

    /** @returns faults, of damaged lines the first @throws ArchiveError if too many came without their records */
    addDigests(entry: string, bytes: Uint8Array): string[] {
      const lines = Buffer.from(bytes).toString('latin1').split('\n');
      const faults = lines.pop() === '' ? [] : [`${entry} is damaged: its last line has no end`];
      for (const [n, line] of lines.entries()) {
        const digest = parseDigest(line);
        if (digest === null) return [...faults, `${entry} is damaged in line ${n + 1}`];
        listed.set(digest.name, digest);
        requireRoom(listed);
      }
      return faults;
    },

    /** Checks the blobs of these drops, which came since the drops before them. @returns their digests by name */
    check(drops: readonly ArchivedDrop[]): { faults: string[]; digests: ReadonlyMap<string, BlobDigest> } {
      const digests = new Map<string, BlobDigest>();
      const faults = drops.flatMap((drop) => checkBlobs(drop, digests));
      return { faults: [...faults, ...checkRest()], digests };
    },

    /** For blobs after the last drop. @returns faults */
    checkEnd: checkRest,
  };
}

function requireRoom({ size }: ReadonlyMap<string, unknown>): void {
  if (size > maxWaiting) throw new ArchiveError(`it has more than ${maxWaiting} blobs without their records`);
}

/** @param bytes the length that the record says; null: it does not */
function findFault(
  blob: BlobDigest | undefined,
  said: ListedDigest | undefined,
  bytes: number | null,
): string | null {
  if (blob === undefined) return 'is missing';
  if (said === undefined) return 'is not in the list of digests';
  if (blob.bytes !== said.bytes) return `has ${blob.bytes} bytes, and the list of digests says ${said.bytes}`;
  if (bytes !== null && blob.bytes !== bytes) return `has ${blob.bytes} bytes, and its record says ${bytes}`;
  if (blob.sha256 === said.sha256) return null;
  return `is damaged: its SHA-256 is ${blob.sha256}, and the list of digests says ${said.sha256}`;
}
