import { createHash } from 'node:crypto';
import { type ArchivedDrop, type ArchiveKind, archiveKinds } from '../domain/archive.ts';
import { ArchiveError } from '../domain/archive-error.ts';
import type { ArchiveBlobs } from '../ports/archive-store.ts';

// An archive is a tar file with these entries, in this order:
//   archive.json                 what wrote it and when
//   html/ID, contexts/ID         blobs by version id, those of a drop before its record
//   digests/000001.txt           the digest of each of these blobs, before the records that name them
//   records/KIND-000001.ndjson   records, one a line, ascending by id
//   manifest.json                count and digest of each kind; equal for equal data, on any engine and at any time

const format = 1;

/** An entry of records ends with the record that reaches one of these. */
export const recordsPerEntry = 1_000;
export const bytesPerEntry = 4 * 1024 * 1024;

/** An entry is read into memory: the largest document has 16 MiB (HTML_MAX_BYTES). */
export const maxEntryBytes = 20 * 1024 * 1024;

export const headName = 'archive.json';
export const manifestName = 'manifest.json';
const blobFolders = ['html', 'contexts'] as const satisfies ArchiveBlobs[];

/** The first entry. */
export interface ArchiveHead {
  readonly format: typeof format;
  readonly id: string;
  /** Of Dropleaf. */
  readonly release: string;
  readonly engine: 'embedded' | 'scale-out';
  /** ISO 8601. */
  readonly created: string;
}

/** SHA-256 of a blob, hex, and its length. */
export interface BlobDigest {
  readonly bytes: number;
  readonly sha256: string;
}

interface Total {
  readonly count: number;
  readonly sha256: string;
}

interface BlobTotal extends Total {
  readonly bytes: number;
}

/** The last entry. */
export interface ArchiveManifest {
  readonly format: typeof format;
  /** Of the lines of each kind in their order. */
  readonly records: Readonly<Record<ArchiveKind, Total>>;
  /** Of the lines `id bytes sha256` of the blobs that records name, in the order of these. */
  readonly blobs: Readonly<Record<ArchiveBlobs, BlobTotal>>;
}

export function digestOf(bytes: Uint8Array): BlobDigest {
  return { bytes: bytes.byteLength, sha256: sha256(bytes) };
}

/** Adds up a manifest while an archive is written or read. */
export function createTotals() {
  const records = mapOf(archiveKinds, () => ({ count: 0, hash: createHash('sha256') }));
  const blobs = mapOf(blobFolders, () => ({ count: 0, bytes: 0, hash: createHash('sha256') }));
  return {
    /** @param line with its line break */
    addRecord(kind: ArchiveKind, line: Uint8Array): void {
      records[kind].count += 1;
      records[kind].hash.update(line);
    },
    addBlob(folder: ArchiveBlobs, id: string, { bytes, sha256 }: BlobDigest): void {
      const total = blobs[folder];
      total.count += 1;
      total.bytes += bytes;
      total.hash.update(`${id} ${bytes} ${sha256}\n`);
    },
    /** Once, at the end. */
    toManifest: (): ArchiveManifest => ({
      format,
      records: mapOf(archiveKinds, (kind) => {
        const { count, hash } = records[kind];
        return { count, sha256: hash.digest('hex') };
      }),
      blobs: mapOf(blobFolders, (folder) => {
        const { count, bytes, hash } = blobs[folder];
        return { count, bytes, sha256: hash.digest('hex') };
      }),
    }),
  };
}

/** The bytes of `archive.json`, which carries a digest of itself. */
export function formatHead(fields: Omit<ArchiveHead, 'format'>): Buffer {
  const head = orderHead({ format, ...fields });
  return Buffer.from(`${JSON.stringify({ ...head, sha256: sha256(JSON.stringify(head)) })}\n`);
}

/** @throws ArchiveError if it is the head of something else or of a newer release, or is damaged */
export function parseHead(bytes: Uint8Array): ArchiveHead {
  const head = parseObject(bytes) as Partial<ArchiveHead & { sha256: string }> | null; // proof: any object may be read so
  if (typeof head?.format !== 'number') throw new ArchiveError('archive.json is damaged');
  if (head.format !== format) {
    throw new ArchiveError(
      `it has format ${head.format}, and this release knows format ${format}: use the release that wrote it, or a newer one`,
    );
  }
  const { id = '', release = '', engine = 'embedded', created = '' } = head;
  if (![id, release, engine, created].every(isShortText)) throw new ArchiveError('archive.json is damaged');
  const known = orderHead({ format, id, release, engine, created });
  if (sha256(JSON.stringify(known)) !== head.sha256) throw new ArchiveError('archive.json is damaged');
  return known;
}

/** It is stored and printed. */
function isShortText(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]{0,100}$/.test(value);
}

function orderHead({ format, id, release, engine, created }: ArchiveHead): ArchiveHead {
  return { format, id, release, engine, created };
}

export function formatManifest(manifest: ArchiveManifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}

/** @param found what the entries before it add up to @returns what differs; none: they are equal */
export function compareManifest(bytes: Uint8Array, found: ArchiveManifest): string[] {
  if (formatManifest(found).equals(bytes)) return [];
  const said = parseObject(bytes) as Partial<ArchiveManifest> | null; // proof: any object may be read so
  const differences = [
    ...archiveKinds.flatMap((kind) => compareTotal(kind, said?.records?.[kind], found.records[kind])),
    ...blobFolders.flatMap((folder) => compareTotal(folder, said?.blobs?.[folder], found.blobs[folder])),
  ];
  return differences.length > 0 ? differences : ['manifest.json is damaged'];
}

function compareTotal(
  what: string,
  said: Partial<BlobTotal> | undefined,
  found: Total | BlobTotal,
): string[] {
  if (said === undefined) return [`manifest.json says nothing about ${what}`];
  if (said.count !== found.count) {
    return [`manifest.json counts ${said.count} ${what}, and the archive has ${found.count}`];
  }
  const isSame = JSON.stringify({ ...said }) === JSON.stringify(found);
  return isSame ? [] : [`the digest of all ${what} differs from the one in manifest.json`];
}

/** What an entry holds, by its name; null: it belongs into no archive. */
export type EntryName =
  | { readonly type: 'blob'; readonly folder: ArchiveBlobs; readonly id: string }
  | { readonly type: 'digests' }
  | { readonly type: 'records'; readonly kind: string }
  | { readonly type: 'manifest' };

export function recordsName(kind: ArchiveKind, number: number): string {
  return `records/${kind}-${String(number).padStart(6, '0')}.ndjson`;
}

export function digestsName(number: number): string {
  return `digests/${String(number).padStart(6, '0')}.txt`;
}

export function parseEntryName(name: string): EntryName | null {
  if (name === manifestName) return { type: 'manifest' };
  if (/^digests\/\d{6,9}\.txt$/.test(name)) return { type: 'digests' };
  const [, kind] = /^records\/([a-z-]{1,40})-\d{6,9}\.ndjson$/.exec(name) ?? [];
  if (kind !== undefined) return { type: 'records', kind };
  const [, folder, id] = /^(html|contexts)\/([0-9A-Za-z_-]{1,64})$/.exec(name) ?? [];
  if (id === undefined) return null;
  return { type: 'blob', folder: folder === 'html' ? 'html' : 'contexts', id };
}

/** A blob that a version has. */
export interface BlobOfVersion {
  /** Of its entry. */
  readonly name: string;
  readonly folder: ArchiveBlobs;
  readonly id: string;
  /** For messages. */
  readonly what: 'HTML' | 'context';
  /** The version's number. */
  readonly version: number;
  /** null: its record does not say. */
  readonly bytes: number | null;
}

/** The blobs of a drop in the order in which digests and totals have them. */
export function blobsOf({ versions }: Pick<ArchivedDrop, 'versions'>): BlobOfVersion[] {
  return versions.flatMap(({ id, number: version, sizeBytes, hasContext }) => {
    const html = { folder: 'html', what: 'HTML', bytes: sizeBytes } as const;
    const context = { folder: 'contexts', what: 'context', bytes: null } as const;
    const blobs = hasContext ? [html, context] : [html];
    return blobs.map((blob) => ({ ...blob, name: `${blob.folder}/${id}`, id, version }));
  });
}

/** A line of `digests/`. */
export interface ListedDigest extends BlobDigest {
  /** Of the blob's entry. */
  readonly name: string;
  /** If false, its drop or version was removed during the export. */
  readonly isUsed: boolean;
}

/** The line for a blob, `html/ID 1234 SHA256`, and ` unused` at its end. */
export function formatDigest({ name, bytes, sha256, isUsed }: ListedDigest): string {
  return `${name} ${bytes} ${sha256}${isUsed ? '' : ' unused'}\n`;
}

/** null: it is not such a line. */
export function parseDigest(line: string): ListedDigest | null {
  const [, name, bytes, sha256, unused] =
    /^((?:html|contexts)\/[0-9A-Za-z_-]{1,64}) (\d{1,9}) ([0-9a-f]{64})( unused)?$/.exec(line) ?? [];
  if (name === undefined || sha256 === undefined) return null;
  return { name, bytes: Number(bytes), sha256, isUsed: unused === undefined };
}

/** A head or a manifest has about 1 KB. */
const objectMaxBytes = 64 * 1024;

/** null: it is no JSON object. */
function parseObject(bytes: Uint8Array): object | null {
  if (bytes.byteLength > objectMaxBytes) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function mapOf<K extends string, V>(keys: readonly K[], valueFor: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueFor(key)])) as Record<K, V>; // proof: each key has its value
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
