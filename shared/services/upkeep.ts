import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Config, purgePauses } from '../config/config.ts';
import { isUnavailable } from '../domain/errors.ts';
import { idAt } from '../domain/ids.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { EdgePurger } from '../ports/edge-purger.ts';
import type { JobProducer } from '../ports/job-queue.ts';
import type { Log } from '../ports/log.ts';
import type { DropTasks, PendingPosition, PendingTaskStore } from '../ports/pending-task-store.ts';
import type { RenderStore } from '../ports/render-store.ts';
import type { ReportStore } from '../ports/report-store.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import type { DayViews } from '../ports/view-store.ts';
import { inChunks } from '../util/in-chunks.ts';
import { createOutdatedPages } from './outdated-pages.ts';
import { createPurging } from './purging.ts';
import { findUnrendered } from './rendering.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Work is given this long to be done by the job that was asked for with the change. */
const overdueMs = minute;
/** A blob comes before its record, by minutes at most; one this old that nothing names will never be named. */
const orphanMs = hour;
/** A reader may have heard of an artefact just before it was replaced. */
const replacedMs = hour;
/** No process of the service is older than that for long, so orphans that another one missed are among the younger. */
const freshMs = 48 * hour;

/** Of drops with pending tasks, and of ids in a store. */
const pageSize = 500;
/** So many pages of each in a run; the next run goes on from there. */
const pagesPerRun = 100;
const asksAtOnce = 50;

interface Sweepable {
  listIds(after: string, below: string, limit: number): Promise<string[]>;
  delete(ids: readonly string[]): Promise<void>;
}

export type Upkeep = ReturnType<typeof createUpkeep>;

/** What is done in the background so that the stores hold what the records say, and no more. All of it may be repeated. */
export function createUpkeep(deps: {
  pendingTasks: PendingTaskStore;
  html: BlobStore;
  contexts: BlobStore;
  renders: RenderStore;
  signIns: SignInStore;
  reports: ReportStore;
  views: Pick<DayViews, 'listViewed'>;
  jobs: JobProducer;
  /** null: no cache in front that could be told. */
  purger: EdgePurger | null;
  clock: Clock;
  log: Log;
  config: Pick<Config, 'SIGN_IN_KEEP_SECONDS' | 'EDGE_PURGE_AGAIN_SECONDS' | 'REPORTS_KEEP_DAYS'>;
}) {
  const { pendingTasks, html, contexts, renders, signIns, reports, views, jobs, clock, log, config } = deps;
  const purging = createPurging({ ...deps, pauses: purgePauses(config) });
  const outdatedPages = createOutdatedPages({ pendingTasks, renders, views, jobs, clock });
  const sweeps = [html, contexts, renders].map(createSweep);
  let lastAsked: PendingPosition | null = null;

  async function deleteBlobs(versionIds: readonly string[]): Promise<void> {
    for (const store of [html, contexts, renders]) await store.delete(versionIds);
  }

  /** Asks again for whatever this drop owes; a job that is waiting already stands for the new one. */
  async function askAgain(drop: DropTasks, ask: JobProducer['enqueue']): Promise<void> {
    const dropId = drop.id;
    if (drop.deleted || drop.trash.length > 0) await ask('drop.remove', { dropId });
    if (drop.deleted) return;
    if (drop.tasks.includes('purge')) await ask('edge.purge', { dropId });
    if (drop.tasks.includes('render')) {
      const unrendered = await findUnrendered(renders, drop.versionIds);
      // With every page there only the note is left to clear, and the job of any version does that.
      const versionIds = unrendered.length > 0 ? unrendered : [drop.headId];
      for (const versionId of versionIds) await ask('version.render', { dropId, versionId });
    }
  }

  /**
   * Walks the drops with pending tasks from where the run before stopped, and from the start again at the end. A job queue
   * that is slow or unavailable stops the walk and nothing else; the next run goes on with the same page.
   */
  async function askForOverdue(olderThanMs: number): Promise<void> {
    const before = clock.now() - olderThanMs;
    let asked = 0;
    let late: unknown = null;
    const ask: JobProducer['enqueue'] = (name, payload) =>
      jobs.enqueue(name, payload).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        late = error;
      });
    for (let page = 0; page < pagesPerRun; page++) {
      const overdue: PendingPosition[] = await pendingTasks.listPending(before, lastAsked, pageSize);
      await inChunks(overdue, asksAtOnce, async ({ id }) => {
        const drop = await pendingTasks.find(id);
        if (drop !== null) await askAgain(drop, ask);
      });
      asked += overdue.length;
      if (late !== null) break;
      lastAsked = overdue.length < pageSize ? null : (overdue.at(-1) ?? null);
      if (lastAsked === null) break;
    }
    if (late !== null) {
      log.warn({ err: late }, 'the line of jobs was late; the next run asks again for what is overdue');
    } else if (asked > 0) log.info({ drops: asked }, 'asked again for work that was overdue');
  }

  /**
   * Walks one store from where the run before stopped, and from the start again once it was walked through. A process
   * begins with what is days old: in a large store its time would be over before it came there, and orphans are young.
   */
  function createSweep(store: Sweepable): () => Promise<number> {
    let after = idAt(clock.now() - freshMs);
    return async () => {
      const below = idAt(clock.now() - orphanMs);
      let removed = 0;
      for (let page = 0; page < pagesPerRun; page++) {
        const ids = await store.listIds(after, below, pageSize);
        const named = await pendingTasks.findReferenced(ids);
        const orphans = ids.filter((id) => !named.has(id));
        if (orphans.length > 0) await store.delete(orphans);
        removed += orphans.length;
        after = ids.length < pageSize ? '' : (ids.at(-1) ?? '');
        if (after === '') break;
        await nextTurn(); // embedded stores answer at once, and requests must have their turn too
      }
      return removed;
    };
  }

  async function askForOutdated(): Promise<void> {
    try {
      const asked = await outdatedPages.askForSome();
      if (asked > 0) log.info({ pages: asked }, 'asked for pages that an older renderer has made');
    } catch (err) {
      if (!isUnavailable(err)) throw err;
      log.warn({ err }, 'outdated pages could not be asked for; the next run will');
    }
  }

  async function removeReplaced(): Promise<void> {
    const before = clock.now() - replacedMs;
    for (let page = 0; page < pagesPerRun; page++) {
      if ((await renders.removeReplaced(before, pageSize)) < pageSize) return;
      await nextTurn();
    }
  }

  return {
    /**
     * Removes what a deleted drop, or removed versions of a live one, left behind: first what the ids name, last
     * the record that names them, so that a run cut short is found and repeated. With an edge, a deleted drop's
     * record goes with the last round of purges; its documents wait for no edge.
     * @param round of those purges, from 0
     * @throws when the edge did not confirm that it forgot a deleted drop
     */
    async removeRemains(dropId: string, round = 0): Promise<void> {
      const drop = await pendingTasks.find(dropId);
      if (drop === null) return;
      if (drop.deleted) {
        const isLast = purging.isLast(round);
        try {
          if (!(await purging.purgeDeleted(dropId, round))) return;
        } finally {
          if (round === 0 || isLast) await deleteBlobs([...drop.versionIds, ...drop.trash]);
        }
        if (isLast) await pendingTasks.erase(dropId);
        else await purging.askToPurgeDeleted(dropId, round + 1);
      } else if (drop.trash.length > 0) {
        await deleteBlobs(drop.trash);
        await pendingTasks.clearTrash(dropId, drop.trash);
      }
    },

    purge: purging.purge,

    /**
     * Finds what was missed: enqueues jobs for tasks pending for longer than `olderThanMs`, removes blobs an hour old that no
     * record names and artefacts that were replaced an hour ago, asks for pages that a renderer of the past has made,
     * deletes closed reports after REPORTS_KEEP_DAYS.
     */
    async reconcile(olderThanMs: number = overdueMs): Promise<void> {
      await askForOverdue(olderThanMs);
      let removed = 0;
      for (const sweep of sweeps) removed += await sweep();
      if (removed > 0) log.info({ blobs: removed }, 'removed blobs that nothing names');
      await removeReplaced();
      await askForOutdated();
      await reports.removeClosedBefore(clock.now() - config.REPORTS_KEEP_DAYS * day);
    },

    /** Ends sign-ins whose time is over, and forgets those whose keep is over too (spec 3, device-code poll status). */
    async expireSignIns(): Promise<void> {
      const now = clock.now();
      await signIns.expire(now);
      await signIns.removeExpiredBefore(now - config.SIGN_IN_KEEP_SECONDS * 1_000);
    },
  };
}
