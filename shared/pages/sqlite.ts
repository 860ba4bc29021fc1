import { performance } from 'node:perf_hooks';
import type { Database, Statement } from '../sqlite/database.ts';
import type { PageChanges } from './page-changes.ts';

/**
 * One process serves the pages, and its changes reach its listeners first. A command's commit changes `PRAGMA data_version`,
 * which is checked before the first page of each turn: then nothing that was read before is current. The same holds after a
 * write that was committed although its caller got an error, because it gave no notice.
 */
export class SqlitePageChanges implements PageChanges {
  readonly confirmEveryMs = null;
  readonly #db: Pick<Database, 'countUncertain'>;
  readonly #readDataVersion: Statement<[version: number]>;
  readonly #checkOtherProcesses: () => void;
  readonly #listeners: ((slug: string) => void)[] = [];
  #unnoticed: number;
  #currentSince = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#readDataVersion = db.prepareTuples<[version: number]>('PRAGMA data_version');
    this.#checkOtherProcesses = onceATurn(() => this.#noteUnnoticed());
    this.#unnoticed = this.#countUnnoticed();
  }

  async publish(...slugs: readonly string[]): Promise<void> {
    for (const slug of slugs) for (const listener of this.#listeners) listener(slug);
  }

  subscribe(listener: (slug: string) => void): void {
    this.#listeners.push(listener);
  }

  isCurrent(asOf: number): boolean {
    try {
      this.#checkOtherProcesses();
    } catch {
      return false; // the read that follows throws what is wrong with the database
    }
    return asOf >= this.#currentSince;
  }

  now(): number {
    return performance.now();
  }

  /** Nothing is current that was read before a change that gave no notice. */
  #noteUnnoticed(): void {
    const found = this.#countUnnoticed();
    if (found !== this.#unnoticed) this.#currentSince = this.now();
    this.#unnoticed = found;
  }

  #countUnnoticed(): number {
    return Number(this.#readDataVersion.get()?.[0]) + this.#db.countUncertain(); // both only grow
  }
}

/**
 * Calls `work` at the first call in each turn of the event loop, and again after 1 ms or a failure. A turn begins when the loop
 * polls the system, so a request that it reads is newer. (`setImmediate` in the check phase would run after the next requests.)
 */
function onceATurn(work: () => void): () => void {
  const { nodeTiming } = performance;
  let turn = -1;
  let batch = -1; // with many waiting events the loop polls more than once in a turn
  let workedAt = Number.NEGATIVE_INFINITY; // another request of the same poll may have taken long
  return () => {
    const { loopCount, events } = nodeTiming.uvMetricsInfo;
    const at = performance.now();
    if (loopCount === turn && events === batch && at - workedAt < 1) return;
    work();
    turn = loopCount;
    batch = events;
    workedAt = at;
  };
}
