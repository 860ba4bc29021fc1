import { shownText } from '../util/shown-text.ts';
import type { ArchivedDrop, ArchiveKind, ArchiveRecord } from './archive.ts';

/** Where the bytes of versions are, by version id. */
export const blobFolders = ['html', 'contexts'] as const;

export type BlobFolder = (typeof blobFolders)[number];

export interface ArchivedBlob {
  /** The id of its version. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Secrets are in the SecretStore. */
export type StoredKind = Exclude<ArchiveKind, 'secrets'>;

/**
 * One read of everything that must last, while the service may write: each record is whole or absent. SQLite: exactly what was
 * committed at one moment. MongoDB: each record as it is when it is read; its account may be one that `read` has not returned.
 */
export interface ArchiveSnapshot {
  /** Each record once, also of deleted accounts, ascending by `archiveId` (ASCII), in batches of up to 1,000; drops 100. */
  read<K extends StoredKind>(kind: K): AsyncIterable<readonly ArchiveRecord<K>[]>;

  /** Reads a drop of which `read` found a blob missing, as it is now. null: it is gone. SQLite: as in `read`. */
  readDropAgain(id: string): Promise<ArchivedDrop | null>;

  /** The blobs that exist, by id. @param ids of blobs that fit into memory together */
  readBlobs(folder: BlobFolder, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;

  close(): Promise<void>;
}

/** An import that has begun and is not complete. */
export interface UnfinishedImport {
  readonly archiveId: string;
  /** Unix ms. */
  readonly begunAt: number;
}

/** For a process or a backup that needs all data. */
export function unfinishedImportError({ archiveId, begunAt }: UnfinishedImport): Error {
  return new Error(
    `these data are incomplete: the import of the archive ${archiveId}, begun ${new Date(begunAt).toISOString()}, has not ` +
      'ended; run "bin/dropleaf.js import FILE" again with the same file',
  );
}

/** Every method may be repeated. On MongoDB, reads and writes of records and blobs wait up to a minute for the server. */
export interface ArchiveStore {
  /** Call `ViewStore.aggregate` first: views that are not added to their drops are not in it. */
  openSnapshot(): Promise<ArchiveSnapshot>;

  /**
   * Numbers of records, deleted ones included, of the kinds that have any. Secrets do not count: a first start makes them.
   */
  countRecords(): Promise<Partial<Record<StoredKind, number>>>;

  /** null: none. While there is one, the service must not start: the store is half filled. One small read. */
  findUnfinishedImport(): Promise<UnfinishedImport | null>;

  /** Marks the store. A mark that is there stays, whichever archive it names. */
  beginImport(started: UnfinishedImport): Promise<void>;

  /** Removes the mark. */
  endImport(): Promise<void>;

  /**
   * For imports only, while no service writes: stores the records that are absent. A drop's blobs come before its record.
   * @throws Error that names the record, if another one has its slug or identity
   */
  write<K extends StoredKind>(kind: K, records: readonly ArchiveRecord<K>[]): Promise<void>;

  /** Stores the blobs that are not there yet. @param blobs at most 64 */
  writeBlobs(folder: BlobFolder, blobs: readonly ArchivedBlob[]): Promise<void>;
}

/** The message is a clause about an archive: `it is cut off after html/0198f…`. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';

  /** @param message may have names of entries and texts of records: it is shown on one line */
  constructor(message: string, options?: ErrorOptions) {
    super(shownText(message), options);
  }
}

/** A file inside an archive. */
export interface ArchiveEntry {
  /** Any text: an archive may be damaged or made by hand. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Reads all of it into memory, once, and before the next entry is asked for. */
  read(): Promise<Uint8Array>;
}

export interface ArchiveInput {
  /** Bytes of a file, which can be read again; null: a pipe, which can be read once. */
  readonly size: number | null;

  /**
   * The entries in order; one that was not read is skipped. @param onBytes receives the size of each piece that was read
   * @throws ArchiveError if it is no archive or ends in the middle of an entry
   */
  entries(onBytes?: (count: number) => void): AsyncGenerator<ArchiveEntry>;
}

/** An archive to write. Others see the file when it is whole, under its name, or not at all. */
export interface ArchiveOutput {
  /** Adds an entry. Resolves when most of it has been written, so that at most one entry is in memory. */
  add(name: string, bytes: Uint8Array): Promise<void>;

  /** Resolves when the archive is on the disk under its name, or in the pipe. @returns its bytes */
  finish(): Promise<number>;

  /** Removes what was written; after `finish` it does nothing. */
  discard(): Promise<void>;
}
