import { purgePauses } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { edgeTag } from '../../shared/drops/drop.ts';
import type { EdgePurger } from '../../shared/edge/edge-purger.ts';
import type { Log } from '../../shared/log/log.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/**
 * The purges of a drop, for the jobs that repeat them: a purge misses a response that is still on its way to the edge, so each
 * confirmed round enqueues the next one.
 */
export class PurgeRounds {
  readonly #purger: EdgePurger | null;
  readonly #log: Log;
  /** In milliseconds. */
  readonly #pauses: readonly number[];

  constructor({ purger, log, config }: Pick<WorkerDeps, 'purger' | 'log' | 'config'>) {
    this.#purger = purger;
    this.#log = log;
    this.#pauses = purgePauses(config);
  }

  isLast(round: number): boolean {
    return this.#purger === null || round >= this.#pauses.length;
  }

  /** The pause between this round and the next, in milliseconds. */
  pauseAfter(round: number): number {
    return this.#pauses[round] ?? 0;
  }

  /**
   * @param delay enqueues this round again, without a failed attempt, if the edge names a time to wait
   * @returns whether the edge has confirmed; true without an edge @throws if the edge does not confirm
   */
  async purge(dropId: string, delay: (delayMs: number) => Promise<void>): Promise<boolean> {
    try {
      await this.#purger?.purge(edgeTag(dropId));
      return true;
    } catch (err) {
      const seconds = err instanceof DropError ? err.details?.retry_after_seconds : undefined;
      if (typeof seconds !== 'number') throw err;
      this.#log.warn({ seconds }, 'the edge asked to wait; purges are delayed');
      await delay(seconds * 1_000);
      return false;
    }
  }
}
