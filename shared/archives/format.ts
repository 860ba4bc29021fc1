import { createHash } from 'node:crypto';
import { type ArchiveKind, type ArchiveRecord, archiveKinds } from './archive.ts';
import { ArchiveError, type BlobFolder, blobFolders } from './archive-store.ts';

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

/** The first entry. */
export interface ArchiveHead {
  readonly id: string;
  /** The release of Dropleaf. */
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

/** A piece of an archive, or of a store that is read as one: the blobs of a drop come before its record. */
export type ArchivePart = BlobPart | RecordsPart;

export interface BlobPart {
  readonly type: 'blob';
  readonly folder: BlobFolder;
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly digest: BlobDigest;
}

export interface RecordsPart {
  readonly type: 'records';
  readonly kind: ArchiveKind;
  readonly records: readonly ArchiveRecord[];
  /** Those of the blobs of the records that are there, by `BlobOfVersion.name`. */
  readonly digests: ReadonlyMap<string, BlobDigest>;
}

interface Total {
  readonly count: number;
  /** Only blobs have it. */
  readonly bytes?: number;
  readonly sha256: string;
}

/** The last entry. */
export interface ArchiveManifest {
  readonly format: typeof format;
  /** Totals of the lines of each kind, in their order. */
  readonly records: Readonly<Record<ArchiveKind, Total>>;
  /** Totals of the lines `id bytes sha256` of the blobs that records name, in the order of these. */
  readonly blobs: Readonly<Record<BlobFolder, Total>>;
}

/** Adds up a manifest while an archive is written or read. */
export class Totals {
  readonly #sums = mapOf([...archiveKinds, ...blobFolders], () => ({
    count: 0,
    bytes: 0,
    hash: createHash('sha256'),
  }));

  /** @param line with its line break */
  addRecord(kind: ArchiveKind, line: Uint8Array): void {
    const sum = this.#sums[kind];
    sum.count += 1;
    sum.hash.update(line);
  }

  addBlob({ folder, id }: BlobOfVersion, { bytes, sha256 }: BlobDigest): void {
    const sum = this.#sums[folder];
    sum.count += 1;
    sum.bytes += bytes;
    sum.hash.update(`${id} ${bytes} ${sha256}\n`);
  }

  /** Once, at the end. */
  toManifest(): ArchiveManifest {
    const records = mapOf(archiveKinds, (kind) => {
      const { bytes: _, ...total } = this.#totalOf(kind);
      return total;
    });
    return { format, records, blobs: mapOf(blobFolders, (folder) => this.#totalOf(folder)) };
  }

  #totalOf(name: ArchiveKind | BlobFolder) {
    const { hash, ...sum } = this.#sums[name];
    return { ...sum, sha256: hash.digest('hex') };
  }
}

/** The bytes of `archive.json`, which carries a digest of itself. */
export function formatHead({ id, release, engine, created }: ArchiveHead): Buffer {
  const head = { format, id, release, engine, created };
  return Buffer.from(`${JSON.stringify({ ...head, sha256: sha256(JSON.stringify(head)) })}\n`);
}

/** @throws ArchiveError if it is the head of something else or of a newer release, or is damaged */
export function parseHead(bytes: Uint8Array): ArchiveHead {
  const object: Partial<ArchiveHead & { format: unknown }> = parseObject(bytes);
  const { format: found, id, release, engine, created } = object;
  if (typeof found === 'number' && found !== format) {
    throw new ArchiveError(
      `it has format ${found}, and this release knows format ${format}: use the release that wrote it, or a newer one`,
    );
  }
  const head = { id, release, engine, created } as ArchiveHead; // proof: the next lines check it
  const isShown = Object.values(head).every(
    (text) => typeof text === 'string' && /^[\x20-\x7e]{1,100}$/.test(text),
  );
  if (!isShown || !formatHead(head).equals(bytes)) throw new ArchiveError('archive.json is damaged');
  return head;
}

export function formatManifest(manifest: ArchiveManifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}

/** @param found what the entries before it add up to @returns what differs; none: they are equal */
export function compareManifest(bytes: Uint8Array, found: ArchiveManifest): string[] {
  const said: Partial<ArchiveManifest> = parseObject(bytes);
  // An earlier release says nothing about a kind that came later.
  const kinds = archiveKinds.filter(
    (kind) => said.records?.[kind] !== undefined || found.records[kind].count > 0,
  );
  const records = mapOf(kinds, (kind) => found.records[kind]);
  if (formatManifest({ ...found, records }).equals(bytes)) return [];
  const differences = [
    ...kinds.flatMap((kind) => compareTotal(kind, said.records?.[kind], found.records[kind])),
    ...blobFolders.flatMap((folder) => compareTotal(folder, said.blobs?.[folder], found.blobs[folder])),
  ];
  return differences.length > 0 ? differences : ['manifest.json is damaged'];
}

function compareTotal(what: string, said: Total | undefined, found: Total): string[] {
  if (!said) return [`manifest.json says nothing about ${what}`];
  if (said.count !== found.count) {
    return [`manifest.json counts ${said.count} ${what}, and the archive has ${found.count}`];
  }
  const isSame = JSON.stringify({ ...said }) === JSON.stringify(found);
  return isSame ? [] : [`the digest of all ${what} differs from the one in manifest.json`];
}

/** What an entry holds, by its name. */
export type EntryName =
  | { readonly type: 'blob'; readonly folder: BlobFolder; readonly id: string }
  | { readonly type: 'records'; readonly kind: ArchiveKind }
  | { readonly type: 'digests' | 'manifest' };

export function recordsName(kind: ArchiveKind, number: number): string {
  return `records/${kind}-${String(number).padStart(6, '0')}.ndjson`;
}

export function digestsName(number: number): string {
  return `digests/${String(number).padStart(6, '0')}.txt`;
}

/** null: it belongs into no archive. */
export function parseEntryName(name: string): EntryName | null {
  if (name === manifestName) return { type: 'manifest' };
  if (/^digests\/\d{6,9}\.txt$/.test(name)) return { type: 'digests' };
  const [, recordsOf] = /^records\/([a-z-]+)-\d{6,9}\.ndjson$/.exec(name) ?? [];
  const kind = archiveKinds.find((known) => known === recordsOf);
  if (kind !== undefined) return { type: 'records', kind };
  const [, blobsOf, id] = /^(html|contexts)\/([0-9A-Za-z_-]{1,64})$/.exec(name) ?? [];
  const folder = blobFolders.find((known) => known === blobsOf);
  return folder === undefined || id === undefined ? null : { type: 'blob', folder, id };
}

/** A blob that a version has. */
export interface BlobOfVersion {
  /** The name of its entry. */
  readonly name: string;
  readonly folder: BlobFolder;
  readonly id: string;
  /** `HTML of version 3`. */
  readonly what: string;
  /** `html/0198f… (HTML of version 3 of abc123)`. */
  readonly label: string;
  /** null: its record does not say. */
  readonly bytes: number | null;
}

/** The blobs of a record in the order in which digests and totals have them; only drops have any. */
export function blobsOf(record: ArchiveRecord): BlobOfVersion[] {
  if (!('versions' in record)) return [];
  const blobOf = (folder: BlobFolder, id: string, what: string, bytes: number | null) => {
    const name = `${folder}/${id}`;
    return { name, folder, id, what, label: `${name} (${what} of ${record.slug})`, bytes };
  };
  return record.versions.flatMap(({ id, number, sizeBytes, hasContext }) => {
    const html = blobOf('html', id, `HTML of version ${number}`, sizeBytes);
    return hasContext ? [html, blobOf('contexts', id, `context of version ${number}`, null)] : [html];
  });
}

/** A line of `digests/`: `html/ID 1234 SHA256`, and ` unused` if the drop or version was removed during the export. */
export interface ListedDigest extends BlobDigest {
  /** The name of the blob's entry. */
  readonly name: string;
  readonly isUsed: boolean;
}

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

export function blobDigestOf(bytes: Uint8Array): BlobDigest {
  return { bytes: bytes.byteLength, sha256: sha256(bytes) };
}

/** A head or a manifest has about 1 KB. */
const objectMaxBytes = 64 * 1024;

/** An empty object: it is no JSON object. */
function parseObject(bytes: Uint8Array): object {
  if (bytes.byteLength > objectMaxBytes) return {};
  try {
    return Object(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return {};
  }
}

function mapOf<K extends string, V>(keys: readonly K[], valueFor: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueFor(key)])) as Record<K, V>; // proof: each key has its value
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
