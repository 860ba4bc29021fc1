import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayOf } from '../domain/windows.ts';
import { rendererVersion } from '../html/plan.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobProducer } from '../ports/job-queue.ts';
import type { PendingTaskStore } from '../ports/pending-task-store.ts';
import type { OutdatedPage, RenderStore } from '../ports/render-store.ts';
import type { DayViews } from '../ports/view-store.ts';
import { inChunks } from '../util/in-chunks.ts';
import { findUnrendered } from './rendering.ts';

const dayMs = 86_400_000;
/** Pages that were viewed on these days come first, the newest day first of all. */
const daysFirst = 7;
/** Of drops that were viewed, and of outdated pages. */
const pageSize = 200;
const asksAtOnce = 20;
/** One page that can't be made keeps the walk going: it must not be all of the drops each time. */
const stepsPerCall = 50;

/** Where the walk stands: among the drops that were viewed so many days ago, or among all that is left. */
type Place =
  | { readonly kind: 'viewed'; readonly daysAgo: number; readonly after: string }
  | { readonly kind: 'rest'; readonly after: OutdatedPage | null };

interface Step {
  /** For how many versions a job was asked. */
  readonly asked: number;
  readonly next: Place;
}

const beginning: Place = { kind: 'viewed', daysAgo: 0, after: '' };

/**
 * Pages that a renderer of the past has made are made again in the background when the renderer's number has risen, and
 * served as they are until then.
 */
export function createOutdatedPages(deps: {
  pendingTasks: PendingTaskStore;
  renders: RenderStore;
  views: Pick<DayViews, 'listViewed'>;
  jobs: JobProducer;
  clock: Clock;
}) {
  const { pendingTasks, renders, views, jobs, clock } = deps;
  let place = beginning;

  async function askForViewed(daysAgo: number, after: string): Promise<Step> {
    const day = dayOf(clock.now() - daysAgo * dayMs).id;
    const dropIds = await views.listViewed(day, after, pageSize);
    let asked = 0;
    await inChunks(dropIds, asksAtOnce, async (dropId) => {
      const drop = await pendingTasks.find(dropId);
      if (drop === null || drop.deleted) return;
      const versionIds = await findUnrendered(renders, drop.versionIds);
      for (const versionId of versionIds) await jobs.enqueue('version.render', { dropId, versionId });
      asked += versionIds.length;
    });
    const last = dropIds.length === pageSize ? dropIds.at(-1) : undefined;
    if (last !== undefined) return { asked, next: { kind: 'viewed', daysAgo, after: last } };
    if (daysAgo + 1 < daysFirst) return { asked, next: { kind: 'viewed', daysAgo: daysAgo + 1, after: '' } };
    return { asked, next: { kind: 'rest', after: null } };
  }

  async function askForRest(after: OutdatedPage | null): Promise<Step> {
    const pages = await renders.listOutdated(rendererVersion, after, pageSize);
    await inChunks(pages, asksAtOnce, ({ dropId, versionId }) =>
      jobs.enqueue('version.render', { dropId, versionId }),
    );
    const last = pages.length === pageSize ? pages.at(-1) : undefined;
    return { asked: pages.length, next: last === undefined ? beginning : { kind: 'rest', after: last } };
  }

  return {
    /**
     * Asks for some hundreds of them, those that were viewed last before others, and goes on there at the next call.
     * Where there are none, it costs one query.
     * @returns for how many
     * @throws DropError `unavailable` where the line of jobs is late or away: the next call asks again
     */
    async askForSome(): Promise<number> {
      if ((await renders.listOutdated(rendererVersion, null, 1)).length === 0) {
        place = beginning;
        return 0;
      }
      let asked = 0;
      for (let steps = 0; steps < stepsPerCall && asked < pageSize; steps++) {
        const step = await (place.kind === 'viewed'
          ? askForViewed(place.daysAgo, place.after)
          : askForRest(place.after));
        asked += step.asked;
        place = step.next;
        if (place === beginning) break;
        await nextTurn(); // embedded stores answer at once, and requests must have their turn too
      }
      return asked;
    },
  };
}
