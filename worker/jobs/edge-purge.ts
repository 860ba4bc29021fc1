import type { Job, JobPayload } from '../../shared/jobs/job-catalogue.ts';
import type { JobProducer } from '../../shared/jobs/job-queue.ts';
import type { PendingTaskStore } from '../../shared/jobs/pending-task-store.ts';
import { PurgeRounds } from '../steps/purge-rounds.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/**
 * Runs one round of purges of a drop. The last round of a revision clears the pending task; until then `store.reconcile`
 * restarts rounds whose job was lost. A new change of the drop starts rounds of its own, and the earlier ones stop.
 */
export class EdgePurge implements Job<'edge.purge'> {
  readonly #pendingTasks: PendingTaskStore;
  readonly #jobs: JobProducer;
  readonly #rounds: PurgeRounds;

  constructor(deps: WorkerDeps) {
    this.#pendingTasks = deps.engine.pendingTasks;
    this.#jobs = deps.jobs;
    this.#rounds = new PurgeRounds(deps);
  }

  async run({ dropId, round = 0, rev }: JobPayload<'edge.purge'>): Promise<void> {
    const drop = await this.#pendingTasks.find(dropId);
    if (drop === null) return; // `drop.remove` has purged it
    if (round > 0 && drop.rev !== rev) return;
    const repeatLater = (delayMs: number) =>
      this.#jobs.enqueue('edge.purge', { dropId, rev, round }, delayMs);
    if (!(await this.#rounds.purge(dropId, repeatLater)) || drop.deleted) return;
    if (!this.#rounds.isLast(round)) {
      const next = { dropId, rev: drop.rev, round: round + 1 };
      await this.#jobs.enqueue('edge.purge', next, this.#rounds.pauseAfter(round));
    } else if (drop.pending.includes('purge')) {
      await this.#pendingTasks.clearTask(dropId, 'purge', drop.rev);
    }
  }
}
