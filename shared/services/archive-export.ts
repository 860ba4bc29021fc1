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
} from '../domain/archive.ts';
import type { ArchiveOutput, ArchiveSnapshot, ArchiveStore } from '../ports/archive.ts';
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
} from './archive-format.ts';

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
  const snapshot = await store.openSnapshot();
  try {
    await output.add(headName, formatHead(head));
    const skipped: DamagedDrop[] = [];
    const writer = createWriter(output);
    const blobs = createBlobExport(snapshot, writer, (damaged) => {
      if (!skipsDamaged) throw new ArchiveError(`${damaged.slug} is damaged: ${damaged.reason}`);
      skipped.push(damaged);
    });
    for await (const { kind, records } of readSnapshot(snapshot)) {
      if (kind === 'drops') blobs.expect(records as readonly ArchivedDrop[]); // proof: of that kind
      for (const record of records) {
        signal.throwIfAborted();
        const final = kind === 'drops' ? await blobs.add(record as ArchivedDrop) : record; // proof: of that kind
        if (final !== null) await writer.addRecord(kind, final);
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
      const records = batch.filter(
        (record) => accounts.has(ownerOf(record) ?? '') || ownerOf(record) === null,
      );
      yield { kind, records };
    }
  }
}

/** Blobs that are read at the same time. One after the other, MongoDB's answers would take most of the time. */
const blobsAtOnce = 64;
const bytesAtOnce = 8 * 1024 * 1024;
/** Of a blob whose record does not say it. */
const usualBytes = 64 * 1024;

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

/** Writes the blobs of drops. */
function createBlobExport(
  snapshot: ArchiveSnapshot,
  writer: ReturnType<typeof createWriter>,
  onDamage: (damaged: DamagedDrop) => void,
) {
  let expected = readBlobs(snapshot, []);

  /** Writes the blobs that are whole. @returns the first that is not; null: all are */
  async function write(
    blobs: readonly BlobOfVersion[],
    bytesOfBlobs: AsyncIterator<Uint8Array | null>,
    written: Map<string, BlobDigest>,
  ): Promise<{ readonly id: string; readonly reason: string } | null> {
    let damaged: { readonly id: string; readonly reason: string } | null = null;
    for (const { name, id, what, bytes: length } of blobs) {
      const bytes: Uint8Array | null = (await bytesOfBlobs.next()).value ?? null;
      if (bytes === null) damaged ??= { id, reason: `the ${what} is missing` };
      else if (bytes.byteLength !== (length ?? bytes.byteLength))
        damaged ??= {
          id,
          reason: `the ${what} has ${bytes.byteLength} bytes, and its record says ${length}`,
        };
      else {
        await writer.addBlob(name, bytes);
        written.set(name, digestOf(bytes));
      }
    }
    return damaged;
  }

  return {
    /** These drops are added next. */
    expect(drops: readonly ArchivedDrop[]): void {
      expected = readBlobs(snapshot, drops.flatMap(blobsOf));
    },

    /** @returns the record to write, which may be newer; null: the drop was deleted meanwhile, or is damaged */
    async add(drop: ArchivedDrop): Promise<ArchivedDrop | null> {
      const written = new Map<string, BlobDigest>();
      let record: ArchivedDrop | null = drop;
      let missing = await write(blobsOf(drop), expected, written);
      while (record !== null && missing !== null) {
        const { id: damagedId, reason } = missing;
        record = await snapshot.readDropAgain(drop.id);
        if (record?.versions.some(({ id }) => id === damagedId)) {
          onDamage({ slug: drop.slug, reason });
          record = null;
        }
        const others = record === null ? [] : blobsOf(record).filter(({ name }) => !written.has(name));
        missing = await write(others, readBlobs(snapshot, others), written);
      }
      writer.addDigests(written, record === null ? [] : blobsOf(record));
      return record;
    },
  };
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
    addBlob: (name: string, bytes: Uint8Array) => output.add(name, bytes),

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
