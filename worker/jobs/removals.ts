import { purgePauses } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { edgeTag } from '../../shared/drops/drop.ts';
import type { JobHandlers } from '../../shared/jobs/job-catalogue.ts';
import { inChunks } from '../../shared/util/promises.ts';
import type { WorkerDeps } from '../worker-deps.ts';

const batchSize = 100;
/** A run stops after this many batches; the next run continues. */
const batchesPerRun = 100;
const enqueuedAtOnce = 50;

/**
 * Runs one round of purges of a drop. The last round of a revision clears the pending task; until then `store.reconcile`
 * restarts rounds whose job was lost. A new change of the drop starts rounds of its own, and the earlier ones stop.
 */
export function createEdgePurge(deps: WorkerDeps): JobHandlers['edge.purge'] {
  const { pendingTasks } = deps.engine;
  const { jobs } = deps;
  const rounds = createPurgeRounds(deps);

  return async ({ dropId, round = 0, rev }) => {
    const drop = await pendingTasks.find(dropId);
    if (drop === null) return; // `drop.remove` has purged it
    if (round > 0 && drop.rev !== rev) return;
    const repeatLater = (delayMs: number) => jobs.enqueue('edge.purge', { dropId, rev, round }, delayMs);
    if (!(await rounds.purge(dropId, repeatLater)) || drop.deleted) return;
    if (!rounds.isLast(round)) {
      const next = { dropId, rev: drop.rev, round: round + 1 };
      await jobs.enqueue('edge.purge', next, rounds.pauseAfter(round));
    } else if (drop.pending.includes('purge')) await pendingTasks.clearTask(dropId, 'purge', drop.rev);
  };
}

/**
 * Removes the blobs and comments of a deleted drop or of removed versions, and last the list of them (the drop's record, or its
 * trash), so that an interrupted removal is repeated. Blobs and card do not wait for the edge; the record goes after the last
 * round of purges. Quotes of comments are looked for in what is the latest version then.
 */
export function createDropRemove(deps: WorkerDeps): JobHandlers['drop.remove'] {
  const { pendingTasks, html, contexts, renders, cards, comments } = deps.engine;
  const { jobs } = deps;
  const rounds = createPurgeRounds(deps);

  async function deleteBlobs(versionIds: readonly string[]): Promise<void> {
    for (const store of [html, contexts, renders, comments]) await store.delete(versionIds);
  }

  return async ({ dropId, round = 0 }) => {
    const drop = await pendingTasks.find(dropId);
    if (drop === null) return;
    if (!drop.deleted) {
      if (drop.trash.length === 0) return;
      await deleteBlobs(drop.trash);
      await jobs.enqueue('version.render', { dropId, versionId: drop.latestVersionId });
      await pendingTasks.clearTrash(dropId, drop.trash);
      return;
    }
    const isLast = rounds.isLast(round);
    try {
      const repeatLater = (delayMs: number) => jobs.enqueue('drop.remove', { dropId, round }, delayMs);
      if (!(await rounds.purge(dropId, repeatLater))) return;
    } finally {
      // Again in the last round: a render that ran during the first one may have stored its page afterwards.
      if (round === 0 || isLast) {
        await deleteBlobs([...drop.versions.map(({ id }) => id), ...drop.trash]);
        await cards.delete([dropId]);
      }
    }
    if (isLast) await pendingTasks.erase(dropId);
    else await jobs.enqueue('drop.remove', { dropId, round: round + 1 }, rounds.pauseAfter(round));
  };
}

/** Removes the drops that have expired, as their owner would, but without notices: pages in memory know when they expire. */
export function createDropExpire({ engine, jobs, clock, log }: WorkerDeps): JobHandlers['drop.expire'] {
  return async () => {
    let drops = 0;
    for (let batch = 0; batch < batchesPerRun; batch++) {
      const removed = await engine.pendingTasks.removeExpired(clock.now(), batchSize);
      await inChunks(removed, enqueuedAtOnce, (dropId) => jobs.enqueue('drop.remove', { dropId }));
      drops += removed.length;
      if (removed.length < batchSize) break;
    }
    if (drops > 0) log.info({ drops }, 'removed drops that had expired');
  };
}

/** A purge misses a response that is still on its way to the edge, so each confirmed round enqueues the next one. */
function createPurgeRounds(deps: Pick<WorkerDeps, 'purger' | 'clock' | 'log' | 'config'>) {
  const { purger, log } = deps;
  const pauses = purgePauses(deps.config);

  return {
    isLast: (round: number): boolean => purger === null || round >= pauses.length,

    /** The pause between this round and the next, in milliseconds. */
    pauseAfter: (round: number): number => pauses[round] ?? 0,

    /**
     * @param delay enqueues this round again, without a failed attempt, if the edge names a time to wait
     * @returns whether the edge has confirmed; true without an edge @throws if the edge does not confirm
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
