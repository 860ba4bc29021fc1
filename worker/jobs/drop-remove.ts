import type { AccessRequestStore } from '../../shared/access-requests/access-request-store.ts';
import type { BlobIds, CardStore } from '../../shared/blobs/blob-store.ts';
import type { Job, JobPayload } from '../../shared/jobs/job-catalogue.ts';
import type { JobProducer } from '../../shared/jobs/job-queue.ts';
import type { PendingDrop, PendingTaskStore } from '../../shared/jobs/pending-task-store.ts';
import { PurgeRounds } from '../steps/purge-rounds.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/**
 * Removes the blobs, comments and requests for access of a deleted drop, or what removed versions have, and last the list of them (the drop's record, or its
 * trash), so that an interrupted removal is repeated. Blobs and card do not wait for the edge; the record goes after the last
 * round of purges. Quotes of comments are looked for in what is the latest version then.
 */
export class DropRemove implements Job<'drop.remove'> {
  readonly #pendingTasks: PendingTaskStore;
  readonly #cards: CardStore;
  readonly #accessRequests: Pick<AccessRequestStore, 'removeOfDrops'>;
  /** What versions have, in the order of removal. */
  readonly #ofVersions: readonly Pick<BlobIds, 'delete'>[];
  readonly #jobs: JobProducer;
  readonly #rounds: PurgeRounds;

  constructor(deps: WorkerDeps) {
    const { pendingTasks, html, contexts, renders, cards, comments } = deps.engine;
    this.#pendingTasks = pendingTasks;
    this.#cards = cards;
    this.#accessRequests = deps.engine.accessRequests;
    this.#ofVersions = [html, contexts, renders, comments];
    this.#jobs = deps.jobs;
    this.#rounds = new PurgeRounds(deps);
  }

  async run({ dropId, round = 0 }: JobPayload<'drop.remove'>): Promise<void> {
    const drop = await this.#pendingTasks.find(dropId);
    if (drop === null) return;
    if (drop.deleted) await this.#removeDrop(drop, round);
    else if (drop.trash.length > 0) await this.#removeVersions(drop);
  }

  async #removeVersions({ id: dropId, latestVersionId, trash }: PendingDrop): Promise<void> {
    await this.#deleteFromStores(trash);
    await this.#jobs.enqueue('version.render', { dropId, versionId: latestVersionId });
    await this.#pendingTasks.clearTrash(dropId, trash);
  }

  async #removeDrop({ id: dropId, versions, trash }: PendingDrop, round: number): Promise<void> {
    const isLast = this.#rounds.isLast(round);
    try {
      const repeatLater = (delayMs: number) => this.#jobs.enqueue('drop.remove', { dropId, round }, delayMs);
      if (!(await this.#rounds.purge(dropId, repeatLater))) return;
    } finally {
      // Again in the last round: a render that ran during the first one may have stored its page afterwards.
      if (round === 0 || isLast) {
        await this.#deleteFromStores([...versions.map(({ id }) => id), ...trash]);
        await this.#cards.delete([dropId]);
        await this.#accessRequests.removeOfDrops([dropId]);
      }
    }
    if (isLast) await this.#pendingTasks.erase(dropId);
    else
      await this.#jobs.enqueue('drop.remove', { dropId, round: round + 1 }, this.#rounds.pauseAfter(round));
  }

  async #deleteFromStores(versionIds: readonly string[]): Promise<void> {
    for (const store of this.#ofVersions) await store.delete(versionIds);
  }
}
