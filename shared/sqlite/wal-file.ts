import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  openSync,
  read,
  readSync,
  write,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';

const readAt = promisify(read);
const writeAt = promisify(write);
const flush = promisify(fdatasync);
const chunkBytes = 1024 * 1024;

/**
 * The write-ahead log beside SQLite, which keeps the file as long as a connection is open, and whose locks are on other files.
 * `writeAgain` puts the same bytes into the file: after a flush that failed Linux takes the pages for clean, and no later flush
 * would write them. Nothing else may change the file meanwhile, so the caller holds SQLite's write lock.
 */
export class WalFile {
  readonly #descriptor: number;

  /** @param path of the database; the first read of a connection has created its log @throws Error of node:fs */
  constructor(path: string) {
    this.#descriptor = openSync(`${path}-wal`, 'r+'); // Windows flushes only what may be written
  }

  isEmpty(): boolean {
    return fstatSync(this.#descriptor).size === 0;
  }

  /** Resolves when all that was written before the call is on the disk. Runs in libuv's pool. @throws Error of node:fs */
  flush(): Promise<void> {
    return flush(this.#descriptor);
  }

  async writeAgain(): Promise<void> {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let at = 0; ; ) {
      const { bytesRead } = await readAt(this.#descriptor, chunk, 0, chunkBytes, at);
      if (bytesRead === 0) return;
      const { bytesWritten } = await writeAt(this.#descriptor, chunk, 0, bytesRead, at);
      at += bytesWritten;
    }
  }

  flushSync(): void {
    fdatasyncSync(this.#descriptor);
  }

  writeAgainSync(): void {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let at = 0; ; ) {
      const length = readSync(this.#descriptor, chunk, 0, chunkBytes, at);
      if (length === 0) return;
      at += writeSync(this.#descriptor, chunk, 0, length, at);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
