import type { ArchivedDrop, ArchiveKind, ArchiveRecord } from '../domain/archive.ts';

/** The bytes of versions, by version id. */
export type ArchiveBlobs = 'html' | 'contexts';

/** An import that has begun and not ended. */
export interface UnfinishedImport {
  readonly archiveId: string;
  /** Unix ms. */
  readonly begunAt: number;
}

/**
 * One read of everything that must last, while the service may write: each record is whole or absent. What was
 * acknowledged before `openSnapshot` is in it, unless it was removed since. SQLite: exactly what was committed at one
 * moment. MongoDB: each record as it is when it is read; an account that is created meanwhile is left out with all that
 * belongs to it, or is in the snapshot.
 */
export interface ArchiveSnapshot {
  /**
   * Each record of the kind once, ascending by id (`archiveId`, compared as ASCII), in batches of at most 1,000 records, for
   * drops 100. Read the kinds in the order of `archiveKinds`, each at most once.
   */
  read<K extends ArchiveKind>(kind: K): AsyncIterable<readonly ArchiveRecord<K>[]>;

  /**
   * The drop as it is now, for a drop of which a blob is missing because a version was removed after `read`.
   * null: it is gone. SQLite: as in `read`.
   */
  readDropAgain(id: string): Promise<ArchivedDrop | null>;

  /** null: no such blob. */
  readBlob(blobs: ArchiveBlobs, versionId: string): Promise<Uint8Array | null>;

  close(): Promise<void>;
}

/**
 * Reads and fills a whole store. Every method may be repeated. In MongoDB a call waits up to a minute for a server that is
 * unavailable, so that an import outlives the election of a primary.
 */
export interface ArchiveStore {
  /** Call `ViewStore.aggregate` first: views that are not added to their drops are not in it. */
  openSnapshot(): Promise<ArchiveSnapshot>;

  /**
   * The number of records by kind, of the kinds that have any, deleted ones included: a store without any is empty. Secrets
   * do not count, because a service generates them at its first start; an import replaces them.
   */
  countRecords(): Promise<Partial<Record<ArchiveKind, number>>>;

  /** null: none. While there is one, the service must not start: the store is half filled. One small read. */
  findUnfinishedImport(): Promise<UnfinishedImport | null>;

  /** Marks the store. A mark that is there stays, whichever archive it names. */
  beginImport(started: UnfinishedImport): Promise<void>;

  /** Removes the mark. */
  endImport(): Promise<void>;

  /**
   * Stores the records that are not there yet; of those that are, nothing changes, except secrets, which are replaced. Only
   * for an import: no service may write at the same time. Write the blobs of a drop before its record.
   * @param records any number; those of a batch of `read` are a good one
   * @throws Error that names the record, if another one has its slug or identity
   */
  write<K extends ArchiveKind>(kind: K, records: readonly ArchiveRecord<K>[]): Promise<void>;

  /** Several calls in parallel are faster than one after the other: SQLite stores them in one transaction. */
  writeBlob(blobs: ArchiveBlobs, versionId: string, bytes: Uint8Array): Promise<void>;
}
