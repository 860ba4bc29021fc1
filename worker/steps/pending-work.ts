import type { DeletedAccount } from '../../shared/accounts/account-store.ts';
import { rendererVersion } from '../../shared/html/insertion.ts';
import { isRepeatable, type JobName, type JobPayload } from '../../shared/jobs/job-catalogue.ts';
import type { PendingDrop, PendingPosition } from '../../shared/jobs/pending-task-store.ts';
import type { RenderStore } from '../../shared/renders/render-store.ts';
import { inChunks } from '../../shared/util/promises.ts';
import type { WorkerDeps } from '../worker-deps.ts';

/** A task that is pending for longer may have lost its job. If it has not, the second job does no harm. */
const overdueMs = 60_000;

const batchSize = 500;
/** A run stops after this many batches; the next run continues there. */
const batchesPerRun = 100;
const enqueuedAtOnce = 50;
/** The others come in later runs, once these have succeeded. */
const failedPerRun = 1_000;

type Deps = Pick<WorkerDeps, 'engine' | 'jobs' | 'clock' | 'log'>;

/** Enqueues the jobs of work that records list as pending, and failed jobs again. */
export class PendingWork {
  readonly #deps: Deps;
  #lastEnqueued: PendingPosition | null = null;
  #lastDeleted: DeletedAccount | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A failed job is kept until a job of its key succeeds, also if a reader has done its work, or the drop is gone. */
  async enqueueFailed(): Promise<void> {
    const { jobs } = this.#deps;
    await inChunks(await jobs.listFailed(failedPerRun), enqueuedAtOnce, async ({ name, payload }) => {
      if (isRepeatable(name, payload)) await jobs.enqueue(name, payload as JobPayload<JobName>); // proof: `isRepeatable`
    });
  }

  async enqueueOverdue(): Promise<void> {
    const { engine, clock, log } = this.#deps;
    const { pendingTasks } = engine;
    const before = clock.now() - overdueMs;
    let drops = 0;
    for (let batch = 0; batch < batchesPerRun; batch++) {
      const overdue: PendingPosition[] = await pendingTasks.listPending(
        before,
        this.#lastEnqueued,
        batchSize,
      );
      await inChunks(overdue, enqueuedAtOnce, async ({ id }) => {
        const drop = await pendingTasks.find(id);
        if (drop !== null) await this.#enqueueTasks(drop);
      });
      drops += overdue.length;
      this.#lastEnqueued = overdue.length < batchSize ? null : (overdue.at(-1) ?? null);
      if (this.#lastEnqueued === null) break;
    }
    if (drops > 0) log.info({ drops }, 'enqueued jobs for pending tasks');
  }

  /** Their records stay until the UTC day is over. Those that are left come in the next run. */
  async enqueueAccounts(): Promise<void> {
    const { engine, jobs } = this.#deps;
    const deleted: DeletedAccount[] = await engine.accounts.listDeleted(batchSize, this.#lastDeleted);
    await inChunks(deleted, enqueuedAtOnce, ({ id }) => jobs.enqueue('account.remove', { accountId: id }));
    this.#lastDeleted = deleted.length < batchSize ? null : (deleted.at(-1) ?? null);
  }

  async #enqueueTasks(drop: PendingDrop): Promise<void> {
    const { engine, jobs } = this.#deps;
    const dropId = drop.id;
    if (drop.deleted || drop.trash.length > 0) await jobs.enqueue('drop.remove', { dropId });
    if (drop.deleted) return;
    if (drop.pending.includes('purge')) await jobs.enqueue('edge.purge', { dropId });
    if (drop.pending.includes('render')) {
      const unrendered = await findUnrendered(engine.renders, drop.versions);
      // If all are rendered, the job of any version clears the task.
      const versionIds = unrendered.length > 0 ? unrendered : [drop.latestVersionId];
      for (const versionId of versionIds) await jobs.enqueue('version.render', { dropId, versionId });
    }
  }
}

/** Those of these versions that have no artefact of the current renderer. */
export async function findUnrendered(
  renders: RenderStore,
  versions: PendingDrop['versions'],
): Promise<string[]> {
  if (versions.length === 0) return [];
  const ids = versions.map(({ id }) => id);
  const rendered = await renders.listRendered(ids, rendererVersion);
  return ids.filter((id) => !rendered.has(id));
}
