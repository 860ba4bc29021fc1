import type { Engine } from '../engines/engine.ts';
import { secretNames } from '../secrets/secret-store.ts';
import {
  type ArchivedDrop,
  type ArchiveKind,
  type ArchiveRecord,
  archiveId,
  archiveKinds,
  archiveLine,
  ownerOf,
} from './archive.ts';
import type { ArchiveOutput, ArchiveSnapshot, BlobFolder, StoredKind } from './archive-store.ts';
import {
  type ArchiveHead,
  type ArchiveManifest,
  type ArchivePart,
  type BlobDigest,
  type BlobOfVersion,
  blobDigestOf,
  blobsOf,
  bytesPerEntry,
  digestsName,
  formatDigest,
  formatHead,
  formatManifest,
  headName,
  manifestName,
  recordsName,
  recordsPerEntry,
  Totals,
} from './format.ts';

/** A drop of which a blob is missing or is not the one that was posted. */
export interface DamagedDrop {
  readonly slug: string;
  /** `the HTML of version 3 is missing`. */
  readonly reason: string;
}

/**
 * Reads everything that must last, each drop whole or not at all. Leaves out what belongs to accounts that are not in it:
 * deleted, or created meanwhile. @param isLeftOut is asked for each damaged drop, and may throw
 */
export async function* readStore(
  { archive, secrets }: Pick<Engine, 'archive' | 'secrets'>,
  isLeftOut: (damaged: DamagedDrop) => boolean,
): AsyncGenerator<ArchivePart> {
  const snapshot = await archive.openSnapshot();
  try {
    for (const name of secretNames) {
      const value = await secrets.find(name);
      if (value !== null) yield toPart('secrets', [{ name, value }]);
    }
    for await (const [kind, records] of readRecords(snapshot)) {
      if (kind !== 'drops') {
        yield toPart(kind, records);
        continue;
      }
      const drops = records as readonly ArchivedDrop[]; // proof: of that kind
      const bytesOf = readBlobs(snapshot, drops.flatMap(blobsOf));
      for (const drop of drops) yield* readDrop(snapshot, { drop, bytesOf, isLeftOut });
    }
  } finally {
    await snapshot.close();
  }
}

async function* readRecords(
  snapshot: ArchiveSnapshot,
): AsyncGenerator<[kind: StoredKind, records: readonly ArchiveRecord[]]> {
  const accounts = new Set<string | null>([null]);
  for (const kind of archiveKinds.filter((each) => each !== 'secrets')) {
    for await (const batch of snapshot.read(kind)) {
      if (kind === 'accounts') for (const record of batch) accounts.add(archiveId(kind, record));
      yield [kind, batch.filter((record) => accounts.has(ownerOf(record)))];
    }
  }
}

function toPart(
  kind: ArchiveKind,
  records: readonly ArchiveRecord[],
  digests: ReadonlyMap<string, BlobDigest> = new Map(),
): ArchivePart {
  return { type: 'records', kind, records, digests };
}

/** The drop's blobs and then its record, which is read again if a blob is missing: its version may have been removed. */
async function* readDrop(
  snapshot: ArchiveSnapshot,
  of: {
    readonly drop: ArchivedDrop;
    readonly bytesOf: AsyncIterator<Uint8Array | null>;
    readonly isLeftOut: (damaged: DamagedDrop) => boolean;
  },
): AsyncGenerator<ArchivePart> {
  let { drop, bytesOf } = of;
  const digests = new Map<string, BlobDigest>();
  for (;;) {
    for (const { name, folder, id } of blobsNotIn(digests, drop)) {
      const bytes: Uint8Array | null = (await bytesOf.next()).value ?? null;
      if (bytes === null) continue;
      const digest = blobDigestOf(bytes);
      digests.set(name, digest);
      yield { type: 'blob', folder, id, bytes, digest };
    }
    const fault = findFault(drop, digests);
    if (fault === null) break;
    const again = await snapshot.readDropAgain(drop.id);
    if (again === null) return;
    if (again.versions.some(({ id }) => id === fault.id)) {
      if (of.isLeftOut({ slug: drop.slug, reason: fault.reason })) return;
      break;
    }
    drop = again;
    bytesOf = readBlobs(snapshot, blobsNotIn(digests, drop));
  }
  yield toPart('drops', [drop], digests);
}

function blobsNotIn(digests: ReadonlyMap<string, BlobDigest>, drop: ArchivedDrop): BlobOfVersion[] {
  return blobsOf(drop).filter(({ name }) => !digests.has(name));
}

/** The first version that lacks a blob. */
function findFault(
  drop: ArchivedDrop,
  digests: ReadonlyMap<string, BlobDigest>,
): { readonly id: string; readonly reason: string } | null {
  for (const { name, id, what, bytes } of blobsOf(drop)) {
    const found = digests.get(name);
    if (found === undefined) return { id, reason: `the ${what} is missing` };
    if (found.bytes !== (bytes ?? found.bytes))
      return { id, reason: `the ${what} has ${found.bytes} bytes, and its record says ${bytes}` };
  }
  return null;
}

/** Blobs that are read at the same time. One after the other, MongoDB's answers would take most of the time. */
const blobsAtOnce = 64;
const bytesAtOnce = 8 * 1024 * 1024;
/** The size of a blob whose record does not say it. */
const usualBytes = 64 * 1024;

/** The bytes of the blobs, in their order; null: no such blob. While some are worked on, the next ones are read. */
async function* readBlobs(
  snapshot: ArchiveSnapshot,
  blobs: readonly BlobOfVersion[],
): AsyncGenerator<Uint8Array | null> {
  async function readMany(chunk: readonly BlobOfVersion[]): Promise<(Uint8Array | null)[]> {
    const idsIn = (folder: BlobFolder) => chunk.filter((blob) => blob.folder === folder).map(({ id }) => id);
    const html = await snapshot.readBlobs('html', idsIn('html'));
    const contexts = await snapshot.readBlobs('contexts', idsIn('contexts'));
    return chunk.map(({ folder, id }) => (folder === 'html' ? html : contexts).get(id) ?? null);
  }

  let from = 0;
  function readNext(): Promise<(Uint8Array | null)[]> {
    let to = from;
    for (let bytes = 0; to < blobs.length && to - from < blobsAtOnce && bytes < bytesAtOnce; to++)
      bytes += blobs[to]?.bytes ?? usualBytes;
    const reading = readMany(blobs.slice(from, to));
    reading.catch(() => undefined); // the error is for the caller that awaits it
    from = to;
    return reading;
  }

  let chunk = await readNext();
  while (chunk.length > 0) {
    const next = readNext();
    yield* chunk;
    chunk = await next;
  }
}

/** Writes the parts as an archive. In memory are the records of one entry. @returns the manifest */
export async function writeArchive(
  output: Pick<ArchiveOutput, 'add'>,
  head: ArchiveHead,
  parts: AsyncIterable<ArchivePart>,
): Promise<ArchiveManifest> {
  const totals = new Totals();
  /** The digests of blobs that were added since the last record, by name. */
  const written = new Map<string, BlobDigest>();
  let digests = '';
  let digestEntries = 0;
  let kind: ArchiveKind = archiveKinds[0] ?? 'secrets';
  let recordEntries = 0;
  let lines: Uint8Array[] = [];
  let bytes = 0;

  /** A blob that is not used is one of a drop or version that was removed meanwhile. */
  function listDigests(used: readonly BlobOfVersion[]): void {
    const names = new Set(used.map(({ name }) => name));
    for (const [name, digest] of written)
      digests += formatDigest({ name, ...digest, isUsed: names.has(name) });
    written.clear();
  }

  async function addRecord(record: ArchiveRecord): Promise<void> {
    const blobs = blobsOf(record);
    for (const blob of blobs) {
      const digest = written.get(blob.name);
      if (digest !== undefined) totals.addBlob(blob, digest);
    }
    listDigests(blobs);
    const line = Buffer.from(archiveLine(kind, record));
    totals.addRecord(kind, line);
    lines.push(line);
    bytes += line.byteLength;
    if (lines.length === recordsPerEntry || bytes >= bytesPerEntry) await flush();
  }

  async function flush(): Promise<void> {
    const text = Buffer.from(digests);
    const entry = Buffer.concat(lines);
    digests = '';
    lines = [];
    bytes = 0;
    if (text.byteLength > 0) await output.add(digestsName(++digestEntries), text);
    if (entry.byteLength > 0) await output.add(recordsName(kind, ++recordEntries), entry);
  }

  await output.add(headName, formatHead(head));
  for await (const part of parts) {
    if (part.type === 'blob') {
      const name = `${part.folder}/${part.id}`;
      await output.add(name, part.bytes);
      written.set(name, part.digest);
      continue;
    }
    if (part.kind !== kind) {
      if (kind === 'drops') listDigests([]);
      await flush();
      kind = part.kind;
      recordEntries = 0;
    }
    for (const record of part.records) await addRecord(record);
  }
  listDigests([]);
  await flush();
  const manifest = totals.toManifest();
  await output.add(manifestName, formatManifest(manifest));
  return manifest;
}
