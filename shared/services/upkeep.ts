import { setImmediate as nextTurn } from 'node:timers/promises';
import { edgeTag } from '../domain/drop.ts';
import { idAt } from '../domain/ids.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChorePosition, DropChores, DropUpkeep } from '../ports/drop-upkeep.ts';
import type { EdgePurger } from '../ports/edge-purger.ts';
import type { JobProducer } from '../ports/jobs.ts';
import type { Log } from '../ports/log.ts';
import type { RenderStore } from '../ports/render-store.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import type { ViewCounter } from '../ports/view-counter.ts';
import { inChunks } from './in-chunks.ts';
import { findUnrendered } from './rendering.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Work is given this long to be done by the job that was asked for with the change. */
const overdueMs = minute;
/** A blob comes before its record, by minutes at most; one this old that nothing names will never be named. */
const orphanMs = hour;
/** A web process flushes each second, so one that was silent this long repeats no flush. */
const silentWriterMs = 24 * hour;

/** Of drops with chores, and of ids in a store. */
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
  drops: DropUpkeep;
  html: BlobStore;
  contexts: BlobStore;
  renders: RenderStore;
  signIns: SignInStore;
  views: ViewCounter;
  jobs: JobProducer;
  /** null: no cache in front that could be told. */
  purger: EdgePurger | null;
  clock: Clock;
  log: Log;
  config: { readonly SIGN_IN_KEEP_SECONDS: number };
}) {
  const { drops, html, contexts, renders, signIns, views, jobs, purger, clock, log, config } = deps;
  const sweeps = [html, contexts, renders].map(createSweep);
  let lastAsked: ChorePosition | null = null;

  async function deleteBlobs(versionIds: readonly string[]): Promise<void> {
    for (const store of [html, contexts, renders]) await store.delete(versionIds);
  }

  /** Asks again for whatever this drop owes; a job that is waiting already stands for the new one. */
  async function askAgain(chores: DropChores): Promise<void> {
    const dropId = chores.id;
    if (chores.deleted || chores.trash.length > 0) await jobs.enqueue('drop.remove', { dropId });
    if (chores.deleted) return;
    if (chores.owed.includes('purge')) await jobs.enqueue('edge.purge', { dropId });
    if (chores.owed.includes('render')) {
      const unrendered = await findUnrendered(renders, chores.versionIds);
      // With every page there only the note is left to clear, and the job of any version does that.
      const versionIds = unrendered.length > 0 ? unrendered : [chores.headId];
      for (const versionId of versionIds) await jobs.enqueue('version.render', { dropId, versionId });
    }
  }

  /** Walks the drops with chores from where the run before stopped, and from the start again at the end. */
  async function askForOverdue(olderThanMs: number): Promise<void> {
    const before = clock.now() - olderThanMs;
    let asked = 0;
    for (let page = 0; page < pagesPerRun; page++) {
      const overdue: ChorePosition[] = await drops.listWithChores(before, lastAsked, pageSize);
      await inChunks(overdue, asksAtOnce, async ({ id }) => {
        const chores = await drops.findChores(id);
        if (chores !== null) await askAgain(chores);
      });
      asked += overdue.length;
      lastAsked = overdue.length < pageSize ? null : (overdue.at(-1) ?? null);
      if (lastAsked === null) break;
    }
    if (asked > 0) log.info({ drops: asked }, 'asked again for work that was overdue');
  }

  /** Walks one store from where the run before stopped, and from the start again once it was walked through. */
  function createSweep(store: Sweepable): () => Promise<number> {
    let after = '';
    return async () => {
      const below = idAt(clock.now() - orphanMs);
      let removed = 0;
      for (let page = 0; page < pagesPerRun; page++) {
        const ids = await store.listIds(after, below, pageSize);
        const named = await drops.findNamed(ids);
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

  return {
    /**
     * Removes what a deleted drop, or removed versions of a live one, left behind: first what the ids name, last
     * the record that names them, so that a run cut short is found and repeated.
     * @throws when the edge did not confirm that it forgot a deleted drop
     */
    async removeRemains(dropId: string): Promise<void> {
      const chores = await drops.findChores(dropId);
      if (chores === null) return;
      if (chores.deleted) {
        await purger?.purge(edgeTag(dropId));
        await deleteBlobs([...chores.versionIds, ...chores.trash]);
        await drops.erase(dropId);
      } else if (chores.trash.length > 0) {
        await deleteBlobs(chores.trash);
        await drops.clearTrash(dropId, chores.trash);
      }
    },

    /**
     * Makes the edge forget the drop, and notes it unless the drop has changed meanwhile. Without an edge there
     * is nothing to forget, and only the note is cleared.
     * @throws when the edge did not confirm
     */
    async purge(dropId: string): Promise<void> {
      const chores = await drops.findChores(dropId);
      if (chores === null) return; // its removal has purged it
      await purger?.purge(edgeTag(dropId));
      if (chores.owed.includes('purge')) await drops.clearOwed(dropId, 'purge', chores.rev);
    },

    /**
     * Finds what was missed: asks for work owed for longer than `olderThanMs`, removes blobs an hour old that no
     * record names, forgets writers of views that are long gone.
     */
    async reconcile(olderThanMs: number = overdueMs): Promise<void> {
      await askForOverdue(olderThanMs);
      let removed = 0;
      for (const sweep of sweeps) removed += await sweep();
      if (removed > 0) log.info({ blobs: removed }, 'removed blobs that nothing names');
      await views.forgetWriters(clock.now() - silentWriterMs);
    },

    /** Ends sign-ins whose time is over, and forgets those whose keep is over too (spec 3, device-code poll status). */
    async expireSignIns(): Promise<void> {
      const now = clock.now();
      await signIns.expire(now);
      await signIns.removeExpiredBefore(now - config.SIGN_IN_KEEP_SECONDS * 1_000);
    },
  };
}
