import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeletedAccount } from '../../shared/accounts/account-store.ts';
import type { BlobIds } from '../../shared/blobs/blob-store.ts';
import { sessionIdleMs } from '../../shared/credentials/session.ts';
import { isUnavailable } from '../../shared/domain/errors.ts';
import { idAt } from '../../shared/domain/ids.ts';
import { dayOf } from '../../shared/domain/time-windows.ts';
import { keepKeysMs } from '../../shared/idempotency/idempotency.ts';
import {
  isRepeatable,
  type JobHandlers,
  type JobName,
  type JobPayload,
} from '../../shared/jobs/job-catalogue.ts';
import type { DropTasks, PendingPosition } from '../../shared/jobs/pending-task-store.ts';
import { messageOf } from '../../shared/util/error-texts.ts';
import { inChunks } from '../../shared/util/promises.ts';
import { viewDaysKept } from '../../shared/views/views.ts';
import type { WorkerDeps } from '../worker-deps.ts';
import { findUnrendered } from './version-render.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A task that is pending for longer may have lost its job. If it has not, the second job does no harm. */
const overdueMs = minute;
/** A blob is stored at most minutes before its record, so an older one without a record is an orphan. */
const orphanMs = hour;
/** The first run of a process checks only blobs of this age or younger: most orphans are young, and old blobs are many. */
const firstRunMs = 48 * hour;

const batchSize = 500;
/** A run stops after this many batches; the next run continues there. */
const batchesPerRun = 100;
const enqueuedAtOnce = 50;
/** The others come in later runs, once these have succeeded. */
const failedPerRun = 1_000;

/** Repeats failed jobs, enqueues pending work, removes orphans and old records (the list below), each also if others fail. */
export function createStoreReconcile(
  deps: Pick<WorkerDeps, 'engine' | 'jobs' | 'clock' | 'log'> & {
    readonly config: Pick<WorkerDeps['config'], 'REPORTS_KEEP_DAYS' | 'AUDIT_KEEP_DAYS'>;
  },
): JobHandlers['store.reconcile'] {
  const { pendingTasks, html, contexts, renders, comments, cards, reports } = deps.engine;
  const { idempotency, uploads, tokens, sessions, accounts, views, auditLog } = deps.engine;
  const { jobs, clock, log, config } = deps;
  const removeOrphans = {
    'orphans of html': createOrphanRemoval(html, pendingTasks.findReferenced),
    'orphans of contexts': createOrphanRemoval(contexts, pendingTasks.findReferenced),
    'orphans of artefacts': createOrphanRemoval(renders, pendingTasks.findReferenced),
    'orphans of comments': createOrphanRemoval(comments, pendingTasks.findReferenced),
    'orphans of cards': createOrphanRemoval(cards, pendingTasks.findExisting),
  };
  let lastEnqueued: PendingPosition | null = null;
  let lastDeleted: DeletedAccount | null = null;

  async function enqueueTasks(drop: DropTasks): Promise<void> {
    const { enqueue } = jobs;
    const dropId = drop.id;
    if (drop.deleted || drop.trash.length > 0) await enqueue('drop.remove', { dropId });
    if (drop.deleted) return;
    if (drop.tasks.includes('purge')) await enqueue('edge.purge', { dropId });
    if (drop.tasks.includes('render')) {
      const unrendered = await findUnrendered(renders, drop.versions);
      // If all are rendered, the job of any version clears the task.
      const versionIds = unrendered.length > 0 ? unrendered : [drop.latestVersionId];
      for (const versionId of versionIds) await enqueue('version.render', { dropId, versionId });
    }
  }

  async function enqueueOverdue(): Promise<void> {
    const before = clock.now() - overdueMs;
    let drops = 0;
    for (let batch = 0; batch < batchesPerRun; batch++) {
      const overdue: PendingPosition[] = await pendingTasks.listPending(before, lastEnqueued, batchSize);
      await inChunks(overdue, enqueuedAtOnce, async ({ id }) => {
        const drop = await pendingTasks.find(id);
        if (drop !== null) await enqueueTasks(drop);
      });
      drops += overdue.length;
      lastEnqueued = overdue.length < batchSize ? null : (overdue.at(-1) ?? null);
      if (lastEnqueued === null) break;
    }
    if (drops > 0) log.info({ drops }, 'enqueued jobs for pending tasks');
  }

  /** Their records stay until the UTC day is over. Those that are left come in the next run. */
  async function enqueueAccounts(): Promise<void> {
    const deleted: DeletedAccount[] = await accounts.listDeleted(batchSize, lastDeleted);
    await inChunks(deleted, enqueuedAtOnce, ({ id }) => jobs.enqueue('account.remove', { accountId: id }));
    lastDeleted = deleted.length < batchSize ? null : (deleted.at(-1) ?? null);
  }

  /** A failed job is kept until a job of its key succeeds, also if a reader has done its work, or the drop is gone. */
  async function enqueueFailed(): Promise<void> {
    await inChunks(await jobs.listFailed(failedPerRun), enqueuedAtOnce, async ({ name, payload }) => {
      if (isRepeatable(name, payload)) await jobs.enqueue(name, payload as JobPayload<JobName>); // proof: `isRepeatable`
    });
  }

  async function removeOldEntries(): Promise<void> {
    if (config.AUDIT_KEEP_DAYS === '') return;
    await auditLog.removeBefore(clock.now() - Number(config.AUDIT_KEEP_DAYS) * day);
  }

  /** @param findKept those of the ids that some record names */
  function createOrphanRemoval(
    store: BlobIds,
    findKept: (ids: readonly string[]) => Promise<Set<string>>,
  ): () => Promise<void> {
    let after = idAt(clock.now() - firstRunMs);
    return async () => {
      const below = idAt(clock.now() - orphanMs);
      let removed = 0;
      for (let batch = 0; batch < batchesPerRun; batch++) {
        const ids = await store.listIds(after, below, batchSize);
        const kept = await findKept(ids);
        const orphans = ids.filter((id) => !kept.has(id));
        if (orphans.length > 0) await store.delete(orphans);
        removed += orphans.length;
        after = ids.length < batchSize ? '' : (ids.at(-1) ?? '');
        if (after === '') break;
        await nextTurn(); // SQLite answers synchronously: requests need their turn
      }
      if (removed > 0) log.info({ blobs: removed }, 'removed blobs that no record references');
    };
  }

  return () =>
    runEach({
      'failed jobs': enqueueFailed,
      'pending tasks': enqueueOverdue,
      'deleted accounts': enqueueAccounts,
      ...removeOrphans,
      'idempotency keys': () => idempotency.removeCreatedBefore(clock.now() - keepKeysMs),
      uploads: () => uploads.removeExpiredBefore(clock.now()),
      tokens: () => tokens.removeExpiredBefore(clock.now()),
      sessions: () => sessions.removeUsedBefore(clock.now() - sessionIdleMs),
      reports: () => reports.removeClosedBefore(clock.now() - config.REPORTS_KEEP_DAYS * day),
      'days of views': () => views.removeDaysBefore(dayOf(clock.now() - viewDaysKept * day).id),
      'audit log': removeOldEntries,
    });
}

/** @throws after the last step: `unavailable` if each failure is, which costs the job no attempt; otherwise what failed */
async function runEach(steps: Record<string, () => Promise<unknown>>): Promise<void> {
  const failures: unknown[] = [];
  const texts: string[] = [];
  for (const [name, run] of Object.entries(steps)) {
    try {
      await run();
    } catch (error) {
      failures.push(error);
      texts.push(`${name}: ${messageOf(error)}`);
    }
  }
  if (failures.length === 0) return;
  const cause = failures.find((error) => !isUnavailable(error));
  throw cause === undefined ? failures[0] : new Error(texts.join('; '), { cause });
}
