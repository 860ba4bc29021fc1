import {
  type ArchivedDrop,
  ArchiveError,
  type ArchiveKind,
  type ArchiveRecord,
  archiveId,
  archiveKinds,
  type BlobFolder,
  canonicalJson,
  ownerOf,
} from './archive.ts';
import type { ArchiveOutput, ArchiveSnapshot, ArchiveStore } from './archive-store.ts';
import {
  type ArchiveHead,
  type ArchiveManifest,
  type BlobDigest,
  type BlobOfVersion,
  blobsOf,
  bytesPerEntry,
  createTotals,
  digestOf,
  digestsName,
  formatDigest,
  formatHead,
  formatManifest,
  headName,
  manifestName,
  recordsName,
  recordsPerEntry,
} from './format.ts';

/** A drop that is left out, because a blob of it is missing or is not the one that was posted. */
export interface DamagedDrop {
  readonly slug: string;
  /** `the HTML of version 3 is missing`. */
  readonly reason: string;
}

export interface ExportOptions {
  readonly head: ArchiveHead;
  /** If true, a drop with a damaged blob is left out; otherwise it ends the export. */
  readonly skipsDamaged: boolean;
  /** Ends the export with the signal's reason. */
  readonly signal: AbortSignal;
  readonly onRecords: (count: number) => void;
}

/**
 * Writes everything that must last into the archive, while the service may write too: each drop with its versions is in
 * it whole or not at all. In memory are some blobs and the records of one entry.
 * @returns the manifest, and the drops that were left out
 * @throws ArchiveError naming a damaged drop
 */
export async function exportArchive(
  store: ArchiveStore,
  output: ArchiveOutput,
  { head, skipsDamaged, signal, onRecords }: ExportOptions,
): Promise<{ manifest: ArchiveManifest; skipped: readonly DamagedDrop[] }> {
  const skipped: DamagedDrop[] = [];
  const writer = createWriter(output);
  const snapshot = await store.openSnapshot();

  /** @returns the record to write, which may be newer; null: the drop was deleted meanwhile, or is damaged */
  async function addBlobs(drop: ArchivedDrop, blobs: ReadBlobs): Promise<ArchivedDrop | null> {
    const written = new Map<string, BlobDigest>();
    let record: ArchivedDrop | null = drop;
    let damaged = await writer.addBlobs(blobsOf(drop), blobs, written);
    while (record !== null && damaged !== null) {
      const { id: damagedId, reason } = damaged;
      record = await snapshot.readDropAgain(drop.id);
      if (record?.versions.some(({ id }) => id === damagedId)) {
        if (!skipsDamaged) throw new ArchiveError(`${drop.slug} is damaged: ${reason}`);
        skipped.push({ slug: drop.slug, reason });
        record = null;
      }
      const others = record === null ? [] : blobsOf(record).filter(({ name }) => !written.has(name));
      damaged = await writer.addBlobs(others, readBlobs(snapshot, others), written);
    }
    writer.addDigests(written, record === null ? [] : blobsOf(record));
    return record;
  }

  try {
    await output.add(headName, formatHead(head));
    for await (const { kind, records } of readSnapshot(snapshot)) {
      const blobs = readBlobs(snapshot, records.flatMap(blobsOf));
      for (const record of records) {
        signal.throwIfAborted();
        const whole = 'versions' in record ? await addBlobs(record, blobs) : record;
        if (whole !== null) await writer.addRecord(kind, whole);
      }
      onRecords(records.length);
    }
    return { manifest: await writer.finish(), skipped };
  } finally {
    await snapshot.close();
  }
}

/**
 * The records of the snapshot in the order of an archive, in batches of one kind. What belongs to an account that is not
 * among them is left out: the account is deleted, or was created meanwhile.
 */
export async function* readSnapshot(
  snapshot: ArchiveSnapshot,
): AsyncGenerator<{ readonly kind: ArchiveKind; readonly records: readonly ArchiveRecord[] }> {
  const accounts = new Set<string>();
  for (const kind of archiveKinds) {
    for await (const batch of snapshot.read(kind)) {
      if (kind === 'accounts') for (const record of batch) accounts.add(archiveId(record));
      const records = batch.filter((record) => {
        const owner = ownerOf(record);
        return owner === null || accounts.has(owner);
      });
      yield { kind, records };
    }
  }
}

/** Blobs that are read at the same time. One after the other, MongoDB's answers would take most of the time. */
const blobsAtOnce = 64;
const bytesAtOnce = 8 * 1024 * 1024;
/** Of a blob whose record does not say it. */
const usualBytes = 64 * 1024;

type ReadBlobs = AsyncIterator<Uint8Array | null>;

/** The bytes of the blobs, in their order; null: no such blob. While some are worked on, the next ones are read. */
export async function* readBlobs(
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

  let next = readNext();
  for (let yielded = 0; yielded < blobs.length; ) {
    const chunk = await next;
    next = readNext();
    yield* chunk;
    yielded += chunk.length;
  }
}

/** Writes the entries between the head and the end of an archive, and the manifest. */
function createWriter(output: ArchiveOutput) {
  const totals = createTotals();
  let digests: string[] = [];
  let digestEntries = 0;
  let kind: ArchiveKind = archiveKinds[0];
  let lines: Uint8Array[] = [];
  let bytes = 0;
  let recordEntries = 0;

  /** Writes the collected records of the kind, and before them the digests of their blobs. */
  async function flush(): Promise<void> {
    const [text, entry] = [digests.join(''), Buffer.concat(lines)];
    digests = [];
    lines = [];
    bytes = 0;
    if (text !== '') await output.add(digestsName(++digestEntries), Buffer.from(text));
    if (entry.byteLength > 0) await output.add(recordsName(kind, ++recordEntries), entry);
  }

  return {
    /** Adds the blobs that are whole to the archive and to `written`. @returns the first that is not; null: all are */
    async addBlobs(
      blobs: readonly BlobOfVersion[],
      bytesOfBlobs: ReadBlobs,
      written: Map<string, BlobDigest>,
    ): Promise<{ readonly id: string; readonly reason: string } | null> {
      const damaged: { id: string; reason: string }[] = [];
      for (const { name, id, what, bytes: length } of blobs) {
        const bytes: Uint8Array | null = (await bytesOfBlobs.next()).value ?? null;
        if (bytes !== null && bytes.byteLength === (length ?? bytes.byteLength)) {
          await output.add(name, bytes);
          written.set(name, digestOf(bytes));
        } else {
          const fault =
            bytes === null ? 'is missing' : `has ${bytes.byteLength} bytes, and its record says ${length}`;
          damaged.push({ id, reason: `the ${what} ${fault}` });
        }
      }
      return damaged[0] ?? null;
    },

    /** @param written the digests of blobs that were added, by name @param used those that the next record names */
    addDigests(written: Map<string, BlobDigest>, used: readonly BlobOfVersion[]): void {
      for (const { name, folder, id } of used) {
        const digest = written.get(name);
        if (digest !== undefined) totals.addBlob(folder, id, digest);
      }
      const names = new Set(used.map(({ name }) => name));
      for (const [name, digest] of written)
        digests.push(formatDigest({ name, ...digest, isUsed: names.has(name) }));
    },

    async addRecord(kindOfRecord: ArchiveKind, record: ArchiveRecord): Promise<void> {
      if (kindOfRecord !== kind) {
        await flush();
        kind = kindOfRecord;
        recordEntries = 0;
      }
      const line = Buffer.from(`${canonicalJson(record)}\n`);
      totals.addRecord(kind, line);
      lines.push(line);
      bytes += line.byteLength;
      if (lines.length === recordsPerEntry || bytes >= bytesPerEntry) await flush();
    },

    async finish(): Promise<ArchiveManifest> {
      await flush();
      const manifest = totals.toManifest();
      await output.add(manifestName, formatManifest(manifest));
      return manifest;
    },
  };
}
