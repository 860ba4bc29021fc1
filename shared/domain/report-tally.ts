import type { ReportFact, ReportReason } from './report.ts';

/** A page with open reports. */
export interface ReportedPage {
  readonly slug: string;
  /** How many are open. */
  readonly open: number;
  /** When the first and the newest of them came, Unix ms. */
  readonly first: number;
  readonly newest: number;
  /** How many name each reason: the most named one first, and only those that are named. */
  readonly reasons: readonly (readonly [reason: ReportReason, count: number])[];
}

/** Pages with open reports, the most reported first; of as many, the one that was reported last. */
export interface ReportedPages {
  readonly pages: readonly ReportedPage[];
  /** How many pages there are beside these. */
  readonly others: number;
}

/**
 * Adds up open reports by page, in memory of no more than twice `limit` pages however many there are.
 * @param limit so many pages at most are told of
 */
export function createReportTally(limit: number) {
  let kept: ReportedPage[] = [];
  let count = 0;
  let ofPage: ReportFact[] = [];

  function endPage(): void {
    const page = toPage(ofPage);
    ofPage = [];
    if (page === null) return;
    count += 1;
    kept.push(page);
    if (kept.length === 2 * limit) kept = kept.sort(byWeight).slice(0, limit);
  }

  return {
    /** Those of one page follow each other. */
    add(fact: ReportFact): void {
      if (ofPage[0]?.slug !== fact.slug) endPage();
      ofPage.push(fact);
    },

    /** What has been added, once. */
    finish(): ReportedPages {
      endPage();
      const pages = kept.sort(byWeight).slice(0, limit);
      return { pages, others: count - pages.length };
    },
  };
}

/** null: of none. */
function toPage(facts: readonly ReportFact[]): ReportedPage | null {
  const [one] = facts;
  if (one === undefined) return null;
  let [first, newest] = [one.createdAt, one.createdAt];
  const counts = new Map<ReportReason, number>();
  for (const { reason, createdAt } of facts) {
    first = Math.min(first, createdAt);
    newest = Math.max(newest, createdAt);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return { slug: one.slug, open: facts.length, first, newest, reasons };
}

function byWeight(a: ReportedPage, b: ReportedPage): number {
  return b.open - a.open || b.newest - a.newest || (a.slug < b.slug ? -1 : 1);
}
