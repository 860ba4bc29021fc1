import { edgeTag } from '../domain/drop.ts';
import { DropError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { EdgePurger } from '../ports/edge-purger.ts';
import type { JobProducer } from '../ports/job-queue.ts';
import type { Log } from '../ports/log.ts';
import type { PendingTaskStore } from '../ports/pending-task-store.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/**
 * Purges come in rounds: what the origin sent before a change, and the edge has not yet got, escapes the purge of that
 * moment, and is met by a later one. Each round asks for the next once the edge has confirmed it, and the
 * purge stays pending in the record until the last one is done: the reconcile job restarts rounds whose job was lost.
 */
export function createPurging(deps: {
  pendingTasks: PendingTaskStore;
  jobs: JobProducer;
  /** null: no cache in front that could be told. */
  purger: EdgePurger | null;
  clock: Clock;
  log: Log;
  /** Between one round and the next, in ms. */
  pauses: readonly number[];
}) {
  const { pendingTasks, jobs, purger, pauses } = deps;
  const warnOfRest = createThrottledWarning(deps, 'the edge takes no purges for now; they are put off');

  function isLast(round: number): boolean {
    return purger === null || round >= pauses.length;
  }

  /**
   * @param putOff asks for this round again; called where the edge names a time
   * @returns whether the edge has confirmed
   */
  async function purgeOr(dropId: string, putOff: (delayMs: number) => Promise<void>): Promise<boolean> {
    try {
      await purger?.purge(edgeTag(dropId));
      return true;
    } catch (err) {
      const seconds = err instanceof DropError ? err.details?.retry_after_seconds : undefined;
      if (typeof seconds !== 'number') throw err;
      warnOfRest({ err });
      await putOff(seconds * 1_000); // that is no failure of the job, whose attempts would soon be used up
      return false;
    }
  }

  return {
    /**
     * A round of purges of a drop, from 0. The rounds of a `rev` go on until the drop has changed again, which begins
     * them anew; after the last the note is cleared. Without an edge there is nothing to forget, and only the note is
     * cleared.
     * @param rev which the round before was for; the first takes what it finds
     * @throws when the edge did not confirm, or the next round could not be asked for
     */
    async purge(dropId: string, round = 0, rev?: number): Promise<void> {
      const drop = await pendingTasks.find(dropId);
      if (drop === null) return; // its removal has purged it, in rounds of its own
      if (round > 0 && drop.rev !== rev) return; // the change since then has begun rounds of its own
      const putOff = (delayMs: number) => jobs.enqueue('edge.purge', { dropId, rev, round }, delayMs);
      if (!(await purgeOr(dropId, putOff))) return;
      if (drop.deleted) return;
      if (!isLast(round)) {
        const next = { dropId, rev: drop.rev, round: round + 1 };
        await jobs.enqueue('edge.purge', next, pauses[round]);
      } else if (drop.tasks.includes('purge')) await pendingTasks.clearTask(dropId, 'purge', drop.rev);
    },

    /**
     * A round of purges of a deleted drop, whose record makes the reconcile job repeat them.
     * @returns false: the edge named a time, and this round was asked for again
     * @throws when the edge did not confirm
     */
    purgeDeleted: (dropId: string, round: number): Promise<boolean> =>
      purgeOr(dropId, (delayMs) => jobs.enqueue('drop.remove', { dropId, round }, delayMs)),

    /** Asks for that round of them. */
    askToPurgeDeleted: (dropId: string, round: number): Promise<void> =>
      jobs.enqueue('drop.remove', { dropId, round }, pauses[round - 1]),

    isLast,
  };
}
