import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayOf } from '../shared/domain/windows.ts';
import { rendererVersion } from '../shared/html/plan.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { JobProducer } from '../shared/ports/job-queue.ts';
import type { PendingTaskStore } from '../shared/ports/pending-task-store.ts';
import type { OutdatedPage, RenderStore } from '../shared/ports/render-store.ts';
import type { DayViews } from '../shared/ports/view-store.ts';
import { inChunks } from '../shared/util/in-chunks.ts';
import { findUnrendered } from './jobs/version-render.ts';

const dayMs = 86_400_000;
/** Drops viewed within this number of days are rendered first, those of the newest day before others. */
const recentDays = 7;
const batchSize = 200;
const enqueuedAtOnce = 20;
/** A page that cannot be rendered stays outdated, and must not make each call read all drops. */
const stepsPerCall = 50;

/** The position of the walk: among the drops viewed that many days ago, or among all other pages. */
type Position =
  | { readonly kind: 'viewed'; readonly daysAgo: number; readonly after: string }
  | { readonly kind: 'rest'; readonly after: OutdatedPage | null };

interface Step {
  readonly enqueued: number;
  readonly next: Position;
}

const start: Position = { kind: 'viewed', daysAgo: 0, after: '' };

/** Enqueues renders of pages that an older renderer made. Until they have run, the older pages are served. */
export function createOutdatedPages(deps: {
  pendingTasks: PendingTaskStore;
  renders: RenderStore;
  views: Pick<DayViews, 'listViewed'>;
  jobs: JobProducer;
  clock: Clock;
}) {
  const { pendingTasks, renders, views, jobs, clock } = deps;
  let position = start;

  async function enqueueViewed(daysAgo: number, after: string): Promise<Step> {
    const day = dayOf(clock.now() - daysAgo * dayMs).id;
    const dropIds = await views.listViewed(day, after, batchSize);
    let enqueued = 0;
    await inChunks(dropIds, enqueuedAtOnce, async (dropId) => {
      const drop = await pendingTasks.find(dropId);
      if (drop === null || drop.deleted) return;
      const versionIds = await findUnrendered(renders, drop.versionIds);
      for (const versionId of versionIds) await jobs.enqueue('version.render', { dropId, versionId });
      enqueued += versionIds.length;
    });
    const last = dropIds.length === batchSize ? dropIds.at(-1) : undefined;
    if (last !== undefined) return { enqueued, next: { kind: 'viewed', daysAgo, after: last } };
    if (daysAgo + 1 < recentDays) {
      return { enqueued, next: { kind: 'viewed', daysAgo: daysAgo + 1, after: '' } };
    }
    return { enqueued, next: { kind: 'rest', after: null } };
  }

  async function enqueueRest(after: OutdatedPage | null): Promise<Step> {
    const pages = await renders.listOutdated(rendererVersion, after, batchSize);
    await inChunks(pages, enqueuedAtOnce, ({ dropId, versionId }) =>
      jobs.enqueue('version.render', { dropId, versionId }),
    );
    const last = pages.length === batchSize ? pages.at(-1) : undefined;
    return { enqueued: pages.length, next: last === undefined ? start : { kind: 'rest', after: last } };
  }

  return {
    /**
     * Enqueues some hundreds of renders. The next call continues where this one ended. Costs one query if there are none.
     * @returns how many
     * @throws DropError `unavailable` if the job queue is unavailable; the next call enqueues the same pages
     */
    async enqueueSome(): Promise<number> {
      if ((await renders.listOutdated(rendererVersion, null, 1)).length === 0) {
        position = start;
        return 0;
      }
      let enqueued = 0;
      for (let steps = 0; steps < stepsPerCall && enqueued < batchSize; steps++) {
        const step = await (position.kind === 'viewed'
          ? enqueueViewed(position.daysAgo, position.after)
          : enqueueRest(position.after));
        enqueued += step.enqueued;
        position = step.next;
        if (position === start) break;
        await nextTurn(); // SQLite answers synchronously: requests need their turn
      }
      return enqueued;
    },
  };
}
