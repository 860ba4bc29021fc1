import { purgePauses } from '../shared/config/config.ts';
import { edgeTag } from '../shared/domain/drop.ts';
import { DropError } from '../shared/domain/errors.ts';
import type { WorkerDeps } from './worker-deps.ts';

/**
 * A purge is repeated in rounds (EDGE_PURGE_AGAIN_SECONDS): it does not remove a response that the service sent before the
 * change and that has not reached the edge yet. When the edge has confirmed a round, the job enqueues the next one.
 */
export function createPurgeRounds(deps: Pick<WorkerDeps, 'purger' | 'clock' | 'log' | 'config'>) {
  const { purger, log } = deps;
  const pauses = purgePauses(deps.config);

  return {
    isLast: (round: number): boolean => purger === null || round >= pauses.length,

    /** The pause between this round and the next, in milliseconds. */
    pauseAfter: (round: number): number => pauses[round] ?? 0,

    /**
     * Purges the drop from the edge.
     * @param delay called if the edge names a time to wait, which is not a failed attempt; enqueues this round again
     * @returns whether the edge has confirmed; true without an edge
     * @throws if the edge does not confirm
     */
    async purge(dropId: string, delay: (delayMs: number) => Promise<void>): Promise<boolean> {
      try {
        await purger?.purge(edgeTag(dropId));
        return true;
      } catch (err) {
        const seconds = err instanceof DropError ? err.details?.retry_after_seconds : undefined;
        if (typeof seconds !== 'number') throw err;
        log.warn({ seconds }, 'the edge asked to wait; purges are delayed');
        await delay(seconds * 1_000);
        return false;
      }
    },
  };
}
