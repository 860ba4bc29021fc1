import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Answer } from './client.ts';
import { crowd, isLate } from './crowd.ts';
import type { Owner } from './owner.ts';
import { until } from './until.ts';
import type { Visits } from './visits.ts';

/** People who look at drops, and what is counted of that. */
export interface Viewers {
  /** Views until now. */
  readonly total: number;
  /** Opens viewer pages, by so many people at a time; the drops share them as 1, 3, 5, 7, … */
  openMany(people: number, count: number): Promise<Answer[]>;
  /** One more view of each drop. */
  openEach(): Promise<void>;
  /** The sum of all `view_count`. */
  counted(): Promise<number>;
  /**
   * Waits until every view that was answered is counted, and asserts that none is counted twice: a late answer of which
   * nobody knows may count. @returns the counts, as `120 of 120, …`
   */
  untilCounted(ms: number): Promise<string>;
}

/** @param slugs of all drops of the owner */
export function createViewers(visits: Visits, owner: Owner, slugs: readonly string[]): Viewers {
  const views = slugs.map((slug) => ({ slug, sent: 0, late: 0 }));

  async function open(index: number): Promise<Answer> {
    const view = views[index];
    if (view === undefined) throw new Error(`there is no drop ${index}`);
    const answer = await visits.view(`/p/${view.slug}`);
    view.sent += 1;
    if (isLate(answer)) view.late += 1;
    else expect(answer.status).to.equal(200);
    return answer;
  }

  /** `view_count` by slug. */
  async function counts(): Promise<Record<string, number>> {
    const { body } = await owner.get('/api/drops');
    return Object.fromEntries(body.data.map(({ slug, view_count }) => [slug, view_count]));
  }

  return {
    get total() {
      return views.reduce((sum, { sent }) => sum + sent, 0);
    },
    openMany: (people, count) =>
      crowd(people, count, (n) => open(Math.floor(Math.sqrt(n % slugs.length ** 2)))),
    async openEach() {
      for (const index of slugs.keys()) await open(index);
    },
    async counted() {
      return Object.values(await counts()).reduce((sum, count) => sum + count, 0);
    },
    async untilCounted(ms) {
      const isAll = async () => {
        await pause(100);
        const counted = await counts();
        return views.every(({ slug, sent, late }) => (counted[slug] ?? 0) >= sent - late);
      };
      await until(isAll, 'all views are counted', ms);
      const counted = await counts();
      for (const { slug, sent, late } of views) expect(counted[slug]).to.be.within(sent - late, sent);
      return views.map(({ slug, sent }) => `${counted[slug]} of ${sent}`).join(', ');
    },
  };
}
