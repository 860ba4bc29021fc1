import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobIds } from '../../shared/blobs/blob-store.ts';
import type { Clock } from '../../shared/domain/clock.ts';
import { idAt } from '../../shared/domain/ids.ts';
import type { Log } from '../../shared/log/log.ts';

/** A blob is stored at most minutes before its record, so an older one without a record is an orphan. */
const orphanMs = 60 * 60_000;
/** The first run of a process checks only blobs of this age or younger: most orphans are young, and old blobs are many. */
const firstRunMs = 48 * 60 * 60_000;

const batchSize = 500;
/** A run stops after this many batches; the next run continues there. */
const batchesPerRun = 100;

/** Removes blobs that no record references. */
export class OrphanRemoval {
  readonly #store: BlobIds;
  readonly #findKept: (ids: readonly string[]) => Promise<Set<string>>;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The id after which the next run begins. */
  #after: string;

  /** @param findKept those of the ids that some record names */
  constructor(
    store: BlobIds,
    findKept: (ids: readonly string[]) => Promise<Set<string>>,
    { clock, log }: { clock: Clock; log: Log },
  ) {
    this.#store = store;
    this.#findKept = findKept;
    this.#clock = clock;
    this.#log = log;
    this.#after = idAt(clock.now() - firstRunMs);
  }

  async run(): Promise<void> {
    const below = idAt(this.#clock.now() - orphanMs);
    let removed = 0;
    for (let batch = 0; batch < batchesPerRun; batch++) {
      const ids = await this.#store.listIds(this.#after, below, batchSize);
      removed += await this.#deleteOrphans(ids);
      this.#after = ids.length < batchSize ? '' : (ids.at(-1) ?? '');
      if (this.#after === '') break;
      await nextTurn(); // SQLite answers synchronously: requests need their turn
    }
    if (removed > 0) this.#log.info({ blobs: removed }, 'removed blobs that no record references');
  }

  /** @returns how many of the ids were orphans */
  async #deleteOrphans(ids: readonly string[]): Promise<number> {
    const kept = await this.#findKept(ids);
    const orphans = ids.filter((id) => !kept.has(id));
    if (orphans.length > 0) await this.#store.delete(orphans);
    return orphans.length;
  }
}
