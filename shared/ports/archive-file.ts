/** A file inside an archive. */
export interface ArchiveEntry {
  /** As it stands in the archive: any text, because an archive may be damaged or made by hand. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;

  /** Reads all of it into memory, once, and before the next entry is asked for. */
  read(): Promise<Uint8Array>;
}

/** An archive to read. */
export interface ArchiveInput {
  /** Bytes of a file, which can be read again; null: a pipe, which can be read once. */
  readonly size: number | null;

  /**
   * The entries from the beginning, in their order. An entry that was not read is skipped.
   * @param onBytes receives the number of bytes of each piece that was read
   * @throws ArchiveError if it is no archive or ends in the middle of an entry
   */
  entries(onBytes?: (count: number) => void): AsyncIterable<ArchiveEntry>;
}

/** An archive to write. Others see the file when it is whole, under its name, or not at all. */
export interface ArchiveOutput {
  /** Number of bytes written so far. */
  readonly size: number;

  /** Adds an entry. Resolves when most of it has been written, so that at most one entry is in memory. */
  add(name: string, bytes: Uint8Array): Promise<void>;

  /** Resolves when the archive is on the disk under its name, or in the pipe. */
  finish(): Promise<void>;

  /** Removes what was written; after `finish` it does nothing. */
  discard(): Promise<void>;
}
