import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Room for the acts of an operator: a takedown writes about 0.3 MB to the log, in pages of 16 KB. */
export const reserveBytes = 1024 * 1024;

/** A file beside the database whose space an operator's act may free when the disk is full. */
export class DiskReserve {
  readonly #path: string;

  /** @param path of the database */
  constructor(path: string) {
    this.#path = join(dirname(path), 'disk-reserve');
  }

  exists(): boolean {
    return existsSync(this.#path);
  }

  /** Creates it. Random bytes, because a file system may compress others. A disk that refuses is left without it. */
  create(): void {
    const draft = `${this.#path}.new`;
    try {
      writeFileSync(draft, randomBytes(reserveBytes), { mode: 0o600 });
      renameSync(draft, this.#path);
    } catch {
      rmSync(draft, { force: true });
    }
  }

  /** Gives its space back. */
  free(): void {
    rmSync(this.#path, { force: true });
  }
}
