import { checkJsonShape } from '../domain/json.ts';
import { messageOf } from '../util/message-of.ts';
import {
  ArchiveError,
  type ArchiveKind,
  type ArchiveRecord,
  archiveId,
  archiveKinds,
  type BlobFolder,
  ownerOf,
} from './archive.ts';
import type { ArchiveEntry, ArchiveInput } from './archive-store.ts';
import {
  type ArchiveHead,
  type ArchiveManifest,
  type BlobDigest,
  blobsOf,
  compareManifest,
  createTotals,
  digestOf,
  type EntryName,
  headName,
  type ListedDigest,
  maxEntryBytes,
  parseDigest,
  parseEntryName,
  parseHead,
  recordsPerEntry,
} from './format.ts';
import { parseArchiveRecord } from './records.ts';

/** Far more than a record has. Without limits a small archive made by hand takes gigabytes and hours to read. */
const shape = { maxDepth: 8, maxMembers: 500_000 } as const;

/** Blobs without their record, of which the digests are in memory. An export writes far fewer before a record. */
const maxWaiting = 500_000;

/** A text of an archive made by hand may have megabytes. */
const faultMaxCharacters = 1_000;

/** A piece of an archive, or a fault in it. What follows a fault is read all the same. */
export type ArchivePart =
  | { readonly type: 'blob'; readonly folder: BlobFolder; readonly id: string; readonly bytes: Uint8Array }
  | RecordsPart
  | { readonly type: 'fault'; readonly text: string }
  /** The last one. `manifest` is what the archive holds, whatever its manifest says. */
  | { readonly type: 'end'; readonly manifest: ArchiveManifest };

export interface RecordsPart {
  readonly type: 'records';
  readonly kind: ArchiveKind;
  readonly records: readonly ArchiveRecord[];
  /** Of drops: the SHA-256 of their blobs, by the name of their entry. */
  readonly digests: ReadonlyMap<string, string>;
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
  const faults: string[] = [];
  const note = (text: string) => {
    const isLong = text.length > faultMaxCharacters;
    faults.push(isLong ? `${text.slice(0, faultMaxCharacters)}…` : text);
  };
  const totals = createTotals();
  const blobs = createBlobChecks(totals, note);
  const readRecords = createRecordReader(totals, note);
  let manifest: ArchiveManifest | null = null;

  function readEntry(name: string, content: EntryName, bytes: Uint8Array): ArchivePart | null {
    switch (content.type) {
      case 'blob':
        blobs.add(name, bytes);
        return { ...content, bytes };
      case 'digests':
        blobs.addDigests(name, bytes);
        return null;
      case 'records': {
        const records = readRecords(name, content.kind, bytes);
        return { ...content, records, digests: content.kind === 'drops' ? blobs.check(records) : new Map() };
      }
      case 'manifest':
        blobs.checkRest();
        manifest = totals.toManifest();
        compareManifest(bytes, manifest).forEach(note);
        return null;
    }
  }

  let last = headName;
  for await (const entry of entries) {
    const { name, size } = entry;
    const content = parseEntryName(name);
    if (content === null) note(`${name} is not a part of an archive`);
    else if (manifest !== null) note(`${name} comes after manifest.json, which ends an archive`);
    else if (size > maxEntryBytes)
      note(`${name} has ${size} bytes, and no entry has more than ${maxEntryBytes}`);
    else {
      last = name;
      const part = readEntry(name, content, await entry.read());
      yield* faults.splice(0).map((text) => ({ type: 'fault', text }) as const);
      if (part !== null) yield part;
    }
  }
  yield* faults.map((text) => ({ type: 'fault', text }) as const);
  if (manifest === null) throw new ArchiveError(`it is cut off after ${last}: it has no manifest.json`);
  yield { type: 'end', manifest };
}

type Totals = ReturnType<typeof createTotals>;
type Note = (fault: string) => void;

/**
 * Checks that each version has its blobs, and that these are the ones that were exported. Blobs come first, then their
 * digests, then the records that name them.
 */
function createBlobChecks(totals: Totals, note: Note) {
  /** What came since the last records, by name. */
  const found = new Map<string, BlobDigest>();
  const listed = new Map<string, ListedDigest>();

  function add<T>(waiting: Map<string, T>, name: string, digest: T): void {
    waiting.set(name, digest);
    if (waiting.size > maxWaiting) {
      throw new ArchiveError(`it has more than ${maxWaiting} blobs without their records`);
    }
  }

  /** @param recorded the length that the record says; null: it does not */
  function check(name: string, label: string, recorded: number | null): BlobDigest | undefined {
    const blob = found.get(name);
    const said = listed.get(name);
    found.delete(name);
    listed.delete(name);
    if (blob === undefined) note(`${label} is missing`);
    else if (said === undefined) note(`${label} is not in the list of digests`);
    else if (blob.bytes !== said.bytes)
      note(`${label} has ${blob.bytes} bytes, and the list of digests says ${said.bytes}`);
    else if (blob.bytes !== (recorded ?? blob.bytes))
      note(`${label} has ${blob.bytes} bytes, and its record says ${recorded}`);
    else if (blob.sha256 !== said.sha256)
      note(`${label} is damaged: its SHA-256 is ${blob.sha256}, and the list of digests says ${said.sha256}`);
    return blob;
  }

  /** What no record has named: blobs whose drop or version was removed during the export. */
  function checkRest(): void {
    for (const { name, isUsed } of [...listed.values()]) {
      check(name, name, null);
      if (isUsed) note(`${name} belongs to no drop in the archive`);
    }
    for (const name of found.keys()) note(`${name} is not in the list of digests`);
    found.clear();
  }

  return {
    add(name: string, bytes: Uint8Array): void {
      if (found.has(name)) note(`${name} is twice in the archive`);
      add(found, name, digestOf(bytes));
    },

    addDigests(entry: string, bytes: Uint8Array): void {
      const lines = Buffer.from(bytes).toString('latin1').split('\n');
      if (lines.pop() !== '') note(`${entry} is damaged: its last line has no end`);
      for (const [n, line] of lines.entries()) {
        const digest = parseDigest(line);
        if (digest === null) {
          note(`${entry} is damaged in line ${n + 1}`);
          return;
        }
        add(listed, digest.name, digest);
      }
    },

    /** Checks the blobs of these drops, which came since the drops before them. @returns their SHA-256 by name */
    check(drops: readonly ArchiveRecord[]): ReadonlyMap<string, string> {
      const digests = new Map<string, string>();
      for (const { name, label, folder, id, bytes } of drops.flatMap(blobsOf)) {
        const blob = check(name, label, bytes);
        if (blob === undefined) continue;
        digests.set(name, blob.sha256);
        totals.addBlob(folder, id, blob);
      }
      checkRest();
      return digests;
    },

    checkRest,
  };
}

/** Reads records, a line each, and checks each by itself, their order, and the accounts that they name. */
function createRecordReader(totals: Totals, note: Note) {
  const accounts = new Set<string>();
  let lastKind: ArchiveKind = archiveKinds[0];
  let lastId = '';

  function check(kind: ArchiveKind, record: ArchiveRecord): void {
    const id = archiveId(record);
    const kindsBehind = archiveKinds.indexOf(kind) - archiveKinds.indexOf(lastKind);
    if (kindsBehind > 0 || (kindsBehind === 0 && id > lastId)) {
      lastKind = kind;
      lastId = id;
    } else note(`${kind} ${id} is out of order, or twice in the archive`);
    const owner = ownerOf(record);
    if (owner !== null && !accounts.has(owner))
      note(`${kind} ${id} belongs to account ${owner}, which is not in the archive`);
    if (kind === 'accounts') accounts.add(id);
  }

  return (entry: string, kind: ArchiveKind, bytes: Uint8Array): ArchiveRecord[] => {
    const lines = splitLines(bytes);
    if (lines.length > recordsPerEntry) {
      note(`${entry} is not read: it has more than ${recordsPerEntry} records`);
      return [];
    }
    return lines.flatMap((line, n) => {
      totals.addRecord(kind, line);
      try {
        const record = parseArchiveRecord(kind, parseLine(line));
        check(kind, record);
        return [record];
      } catch (error) {
        note(`${entry} line ${n + 1}: ${messageOf(error)}`);
        return [];
      }
    });
  };
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
