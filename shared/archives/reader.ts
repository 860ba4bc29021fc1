import { checkJsonShape } from '../domain/json.ts';
import { messageOf } from '../util/error-texts.ts';
import {
  type ArchiveKind,
  type ArchiveRecord,
  archiveId,
  archiveKinds,
  ownerOf,
  parseArchiveRecord,
} from './archive.ts';
import { type ArchiveEntry, ArchiveError, type ArchiveInput } from './archive-store.ts';
import {
  type ArchiveHead,
  type ArchiveManifest,
  type ArchivePart,
  type BlobDigest,
  blobDigestOf,
  blobsOf,
  compareManifest,
  type EntryName,
  headName,
  type ListedDigest,
  maxEntryBytes,
  parseDigest,
  parseEntryName,
  parseHead,
  recordsPerEntry,
  Totals,
} from './format.ts';

/** Far more than a record has. Without limits a small archive made by hand takes gigabytes and hours to read. */
const shape = { maxDepth: 8, maxMembers: 500_000 } as const;

/** Blobs without their record, of which the digests are in memory. An export writes far fewer before a record. */
const maxWaiting = 500_000;

/** A text of an archive made by hand may have megabytes. */
const faultMaxCharacters = 1_000;

/** A part of an archive, or a fault in it. What follows a fault is read all the same, unless the archive is cut off. */
export type ReadPart =
  | ArchivePart
  | { readonly type: 'fault'; readonly text: string }
  /** The last one, unless the archive is cut off. `manifest` is what the archive holds, whatever its manifest says. */
  | { readonly type: 'end'; readonly manifest: ArchiveManifest };

export interface OpenArchive {
  readonly head: ArchiveHead;
  /** Everything in the archive, each digest and reference checked. In memory are one entry, and the ids of all accounts. */
  readonly parts: AsyncIterable<ReadPart>;
  /** Closes the archive, also before it is read whole. */
  close(): Promise<void>;
}

/** @throws ArchiveError if it is not an archive of Dropleaf that this release can read */
export async function openArchive(
  input: ArchiveInput,
  onBytes?: (count: number) => void,
): Promise<OpenArchive> {
  const entries = input.entries(onBytes);
  const close = async () => void (await entries.return(undefined));
  try {
    const first = await entries.next();
    if (first.done || first.value.name !== headName || first.value.size > maxEntryBytes) {
      throw new ArchiveError(`it is not an archive of Dropleaf: it does not begin with ${headName}`);
    }
    const head = parseHead(await first.value.read());
    return { head, parts: new ArchiveReader(entries).parts(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Checks each record, its order and its account, and that each version has the blobs whose digests the archive names. */
class ArchiveReader {
  readonly #entries: AsyncIterable<ArchiveEntry>;
  readonly #totals = new Totals();
  /** Blobs and lines of digests that came since the last records, by name. */
  readonly #found = new Map<string, BlobDigest>();
  readonly #listed = new Map<string, ListedDigest>();
  readonly #accounts = new Set<string | null>([null]);
  /** The faults that are found and not yet reported. */
  readonly #faults: string[] = [];
  #last = { entry: headName, rank: 0, id: '' };
  #manifest: ArchiveManifest | null = null;

  constructor(entries: AsyncIterable<ArchiveEntry>) {
    this.#entries = entries;
  }

  async *parts(): AsyncGenerator<ReadPart> {
    try {
      for await (const entry of this.#entries) {
        const content = parseEntryName(entry.name);
        let part: ArchivePart | null = null;
        if (this.#isPart(entry, content)) {
          this.#last = { ...this.#last, entry: entry.name };
          part = this.#readEntry(entry.name, content, await entry.read());
        }
        yield* this.#faults.splice(0).map((text) => ({ type: 'fault', text }) as const);
        if (part !== null) yield part;
      }
      if (this.#manifest === null)
        throw new ArchiveError(`it is cut off after ${this.#last.entry}: it has no manifest.json`);
      yield { type: 'end', manifest: this.#manifest };
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      yield { type: 'fault', text: error.message };
    }
  }

  #isPart({ name, size }: ArchiveEntry, content: EntryName | null): content is EntryName {
    if (content === null) this.#note(`${name} is not a part of an archive`);
    else if (this.#manifest !== null) this.#note(`${name} comes after manifest.json, which ends an archive`);
    else if (size > maxEntryBytes)
      this.#note(`${name} has ${size} bytes, and no entry has more than ${maxEntryBytes}`);
    else return true;
    return false;
  }

  #readEntry(name: string, content: EntryName, bytes: Uint8Array): ArchivePart | null {
    switch (content.type) {
      case 'blob': {
        const digest = blobDigestOf(bytes);
        if (this.#found.has(name)) this.#note(`${name} is twice in the archive`);
        this.#keep(this.#found, name, digest);
        return { ...content, bytes, digest };
      }
      case 'digests':
        this.#readDigests(name, bytes);
        return null;
      case 'records': {
        const records = this.#readRecords(name, content.kind, bytes);
        return {
          ...content,
          records,
          digests: content.kind === 'drops' ? this.#checkBlobs(records) : new Map(),
        };
      }
      case 'manifest':
        this.#checkBlobs([]);
        this.#manifest = this.#totals.toManifest();
        for (const fault of compareManifest(bytes, this.#manifest)) this.#note(fault);
        return null;
    }
  }

  #readRecords(entry: string, kind: ArchiveKind, bytes: Uint8Array): ArchiveRecord[] {
    const lines = splitLines(bytes);
    if (lines.length > recordsPerEntry) {
      this.#note(`${entry} is not read: it has more than ${recordsPerEntry} records`);
      return [];
    }
    return lines.flatMap((line, n) => {
      this.#totals.addRecord(kind, line);
      try {
        const record = parseArchiveRecord(kind, parseLine(line));
        this.#checkPlace(kind, record);
        return [record];
      } catch (error) {
        this.#note(`${entry} line ${n + 1}: ${messageOf(error)}`);
        return [];
      }
    });
  }

  #checkPlace(kind: ArchiveKind, record: ArchiveRecord): void {
    const rank = archiveKinds.indexOf(kind);
    const id = archiveId(kind, record);
    if (rank > this.#last.rank || (rank === this.#last.rank && id > this.#last.id))
      this.#last = { ...this.#last, rank, id };
    else this.#note(`${kind} ${id} is out of order, or twice in the archive`);
    const owner = ownerOf(record);
    if (!this.#accounts.has(owner))
      this.#note(`${kind} ${id} belongs to account ${owner}, which is not in the archive`);
    if (kind === 'accounts') this.#accounts.add(id);
  }

  #readDigests(entry: string, bytes: Uint8Array): void {
    const lines = Buffer.from(bytes).toString('latin1').split('\n');
    if (lines.pop() !== '') this.#note(`${entry} is damaged: its last line has no end`);
    for (const [n, line] of lines.entries()) {
      const digest = parseDigest(line);
      if (digest !== null) this.#keep(this.#listed, digest.name, digest);
      else {
        this.#note(`${entry} is damaged in line ${n + 1}`);
        return;
      }
    }
  }

  /** The blobs that came since the drops before these. @returns the digests of those that the drops name */
  #checkBlobs(drops: readonly ArchiveRecord[]): ReadonlyMap<string, BlobDigest> {
    const digests = new Map<string, BlobDigest>();
    for (const blob of drops.flatMap(blobsOf)) {
      const digest = this.#checkBlob(blob.name, blob.label, blob.bytes);
      if (digest === undefined) continue;
      digests.set(blob.name, digest);
      this.#totals.addBlob(blob, digest);
    }
    for (const { name, isUsed } of [...this.#listed.values()]) {
      this.#checkBlob(name, name, null);
      if (isUsed) this.#note(`${name} belongs to no drop in the archive`);
    }
    for (const name of this.#found.keys()) this.#note(`${name} is not in the list of digests`);
    this.#found.clear();
    return digests;
  }

  /** @param recorded the length that the record says; null: it does not */
  #checkBlob(name: string, label: string, recorded: number | null): BlobDigest | undefined {
    const blob = this.#found.get(name);
    const said = this.#listed.get(name);
    this.#found.delete(name);
    this.#listed.delete(name);
    if (blob === undefined) this.#note(`${label} is missing`);
    else if (said === undefined) this.#note(`${label} is not in the list of digests`);
    else if (blob.bytes !== said.bytes)
      this.#note(`${label} has ${blob.bytes} bytes, and the list of digests says ${said.bytes}`);
    else if (blob.bytes !== (recorded ?? blob.bytes))
      this.#note(`${label} has ${blob.bytes} bytes, and its record says ${recorded}`);
    else if (blob.sha256 !== said.sha256)
      this.#note(
        `${label} is damaged: its SHA-256 is ${blob.sha256}, and the list of digests says ${said.sha256}`,
      );
    return blob;
  }

  #keep<T>(waiting: Map<string, T>, name: string, digest: T): void {
    waiting.set(name, digest);
    if (waiting.size > maxWaiting)
      throw new ArchiveError(`it has more than ${maxWaiting} blobs without their records`);
  }

  #note(text: string): void {
    const isLong = text.length > faultMaxCharacters;
    this.#faults.push(isLong ? `${text.slice(0, faultMaxCharacters)}…` : text);
  }
}

/** Each line with its line break, which the last one may lack; at most one more than an entry may have. */
function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.byteLength && lines.length <= recordsPerEntry; ) {
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.byteLength : end + 1;
    lines.push(bytes.subarray(from, to));
    from = to;
  }
  return lines;
}

/** @throws Error if it is not JSON in UTF-8 */
function parseLine(line: Uint8Array): unknown {
  checkJsonShape(line, shape, `it has more than ${shape.maxDepth} levels or ${shape.maxMembers} members`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line));
  } catch (cause) {
    throw new Error('it is not JSON in UTF-8', { cause });
  }
}
