import type { EdgePurger } from '../edge/edge-purger.ts';
import type { JobProducer } from '../jobs/job-queue.ts';
import type { Log } from '../log/log.ts';
import type { PageChanges } from '../pages/page-changes.ts';
import { inChunks, waitAtMost } from '../util/promises.ts';
import { type Drop, edgeTag, type PendingTask } from './drop.ts';

const purgeWaitMs = 1_000;
/** An edge that does not answer must not fill this process with connections. */
const attemptsAtOnce = 100;
/** Purges of drops that are removed together. */
const purgesAtOnce = 20;

export type EdgeResult = 'purged' | 'not confirmed' | 'no edge';

type ChangedDrop = Pick<Drop, 'id' | 'slug'>;

/**
 * What a change of a drop does besides its record, before its client gets the answer: notices to all processes, purges at the
 * edge, and jobs. No failure here fails the request: the tasks are recorded.
 */
export class SideEffects {
  readonly #jobs: JobProducer;
  readonly #purger: EdgePurger | null;
  readonly #changes: Pick<PageChanges, 'publish'>;
  readonly #log: Log;
  #attempts = 0;

  /** What each kind of change adds. */
  readonly tasksOfChange: readonly PendingTask[];
  readonly tasksOfNewVersion: readonly PendingTask[];
  /** It needs no purge: it was in no cache. */
  readonly tasksOfNewDrop: readonly PendingTask[] = ['render'];
  /** An operator's shell may lack the setting of the purger. */
  readonly tasksOfOperator: readonly PendingTask[] = ['purge'];

  constructor(deps: {
    jobs: JobProducer;
    purger: EdgePurger | null;
    changes: Pick<PageChanges, 'publish'>;
    log: Log;
  }) {
    this.#jobs = deps.jobs;
    this.#purger = deps.purger;
    this.#changes = deps.changes;
    this.#log = deps.log;
    this.tasksOfChange = deps.purger === null ? [] : ['purge'];
    this.tasksOfNewVersion = ['render', ...this.tasksOfChange];
  }

  /** Enqueues, without waiting, the job of all that follows a version: its page, its comments and their quotes. Never fails. */
  enqueueVersionJob(dropId: string, versionId: string): void {
    this.#jobs.enqueue('version.render', { dropId, versionId }).catch((err) => this.#warnOfNoJob(err));
  }

  /** Also purges at once, because the job may wait. @param hides whether it narrows who may read the drop */
  async afterNewVersion(drop: ChangedDrop, versionId: string, hides = false): Promise<void> {
    const { id, slug } = drop;
    this.enqueueVersionJob(id, versionId);
    if (hides) return this.afterHide(drop);
    await this.#changes.publish(slug);
    this.#enqueuePurge(id);
    if (this.#attempts < attemptsAtOnce) void this.#tryPurge(id);
  }

  async afterChange({ id, slug }: ChangedDrop): Promise<void> {
    await this.#changes.publish(slug);
    this.#enqueuePurge(id);
  }

  /** Waits for one purge, at most 1 s. */
  async afterHide({ id, slug }: ChangedDrop): Promise<void> {
    await this.#changes.publish(slug);
    if (this.#purger === null) return;
    this.#enqueuePurge(id);
    await waitAtMost(purgeWaitMs, this.#tryPurge(id));
  }

  /** Also of a version. */
  async afterRemove(drop: ChangedDrop): Promise<void> {
    this.#enqueueRemoval(drop);
    await this.afterHide(drop);
  }

  /** Waits for the purges at most 1 s in all. Never rejects. */
  async afterRemoveAll(drops: readonly ChangedDrop[]): Promise<void> {
    for (const drop of drops) this.#enqueueRemoval(drop);
    await this.#changes.publish(...drops.map(({ slug }) => slug));
    const purges = inChunks(drops, purgesAtOnce, async ({ id }) => {
      await this.#tryPurge(id);
    });
    await waitAtMost(purgeWaitMs, purges);
  }

  /** Also waits for the queue, because the process of a command exits afterwards. */
  async afterOperatorChange({ id, slug }: ChangedDrop): Promise<EdgeResult> {
    await this.#changes.publish(slug);
    await this.#jobs.enqueue('edge.purge', { dropId: id }).catch((err) => this.#warnOfNoJob(err));
    let result: EdgeResult = this.#purger === null ? 'no edge' : 'not confirmed';
    const attempt = this.#tryPurge(id).then((outcome) => {
      result = outcome;
    });
    await waitAtMost(purgeWaitMs, attempt);
    return result;
  }

  #enqueueRemoval({ id }: ChangedDrop): void {
    this.#jobs.enqueue('drop.remove', { dropId: id }).catch((err) => this.#warnOfNoJob(err));
  }

  #enqueuePurge(dropId: string): void {
    if (this.#purger === null) return;
    this.#jobs.enqueue('edge.purge', { dropId }).catch((err) => this.#warnOfNoJob(err));
  }

  #warnOfNoJob(err: unknown): void {
    this.#log.warn({ err }, 'a job could not be enqueued; the reconcile job will enqueue it');
  }

  /** Never rejects. */
  async #tryPurge(dropId: string): Promise<EdgeResult> {
    if (this.#purger === null) return 'no edge';
    this.#attempts += 1;
    try {
      await this.#purger.purge(edgeTag(dropId));
      return 'purged';
    } catch (err) {
      this.#log.warn({ err, dropId }, 'the edge did not confirm a purge; the job will retry it');
      return 'not confirmed';
    } finally {
      this.#attempts -= 1;
    }
  }
}
