import type { Page } from '../domain/drop.ts';
import { notFound } from '../domain/errors.ts';
import type { Complaint, Report, ReportFact } from '../domain/report.ts';
import { createReportTally, type ReportedPages } from '../domain/report-tally.ts';
import { triesFrom, type Visitor } from '../domain/visitor.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReportStore } from '../ports/report-store.ts';
import type { Audit } from './audit.ts';
import type { Limits } from './limits.ts';
import type { Operator } from './moderation.ts';

const hourMs = 3_600_000;
/** So many reports are read, or closed, by one command of the database. */
const readAtOnce = 5_000;
const closedAtOnce = 100;

/** Which reports to list. */
interface Which {
  /** All, or the open ones alone. */
  readonly withClosed: boolean;
  /** Those of this page; absent: of all pages. */
  readonly slug?: string;
  /** Only what comes behind the report of this id; absent: from the newest. */
  readonly before?: string;
}

export type Reports = ReturnType<typeof createReports>;

/** What people tell of pages, for those who run the service (docs/decisions.md, Reports). */
export function createReports(deps: {
  reports: ReportStore;
  limits: Pick<Limits, 'takeTry'>;
  audit: Audit;
  clock: Clock;
  config: {
    readonly REPORTS_PER_HOUR: number;
    readonly REPORTS_PER_DROP_PER_HOUR: number;
    readonly REPORTS_OPEN_PER_DROP: number;
  };
}) {
  const { reports, limits, audit, clock, config } = deps;

  async function closeAllOf(slug: string): Promise<number> {
    let count = 0;
    for (;;) {
      const closed = await reports.closeOfPage(slug, clock.now(), closedAtOnce);
      if (closed === 0) return count;
      count += closed;
    }
  }

  return {
    /**
     * Keeps a report of that page. The same id again is the same report, and counts for no limit.
     * @param id made with the form
     * @param visitor where it comes from: counted for an hour, and not kept
     * @returns false: the page has as many open reports as are kept, and this one is not
     * @throws DropError `rate_limited`
     */
    async submit(page: Page, id: string, complaint: Complaint, visitor: Visitor): Promise<boolean> {
      if ((await reports.find(id)) !== null) return true;
      const giveBack = await limits.takeTry(
        [
          ...triesFrom('report', visitor, config.REPORTS_PER_HOUR),
          { key: `report-of:${page.dropId}`, limit: config.REPORTS_PER_DROP_PER_HOUR },
        ],
        hourMs,
        'Too many reports.',
      );
      const { dropId, slug, latestVersion } = page;
      const version = page.version?.number ?? latestVersion;
      const report = { id, dropId, slug, version, ...complaint, createdAt: clock.now() };
      let isCounted = false;
      try {
        const outcome = await reports.insert(report, config.REPORTS_OPEN_PER_DROP);
        isCounted = outcome !== 'known'; // by another request of this moment
        return outcome !== 'full';
      } finally {
        if (!isCounted) await giveBack();
      }
    },

    /**
     * The newest ones, newest first.
     * @throws DropError `not_found` where `before` is removed, or never was
     */
    async list({ withClosed, slug, before }: Which, limit: number): Promise<Report[]> {
      const place = before === undefined ? null : await reports.find(before);
      if (before !== undefined && place === null) throw notFound('report');
      return reports.list({ withClosed, slug: slug ?? null, before: place, limit });
    },

    /**
     * Pages with open reports, at most `limit`, the most reported first. It goes through all open reports, a bounded
     * number at a time: what comes or is closed meanwhile may be counted or not.
     */
    async listPages(limit: number): Promise<ReportedPages> {
      const tally = createReportTally(limit);
      let last: ReportFact | null = null;
      for (;;) {
        const facts: ReportFact[] = await reports.listOpenByPage(last, readAtOnce);
        last = facts.at(-1) ?? null;
        if (last === null) return tally.finish();
        for (const fact of facts) tally.add(fact);
      }
    },

    /**
     * Closes a report for an operator, whose act is logged.
     * @returns false: it was closed already; null: there is none
     */
    async close(id: string, operator: Operator): Promise<boolean | null> {
      const report = await reports.find(id);
      if (report === null) return null;
      const act = { ...operator, act: 'close-report', target: `${report.slug} ${id}` } as const;
      const tell = (isClosed: boolean) => (isClosed ? 'closed' : 'it was closed already');
      return audit.record(act, () => reports.close(id, clock.now()), tell);
    },

    /**
     * Closes all open reports of a page, whether it is there or not, for an operator, whose act is logged. Cut short, it
     * may be repeated.
     * @returns how many; 0: none was open
     */
    async closePage(slug: string, operator: Operator): Promise<number> {
      const act = { ...operator, act: 'close-reports', target: slug } as const;
      const tell = (count: number) => (count === 0 ? 'none was open' : `closed: ${count}`);
      return audit.record(act, () => closeAllOf(slug), tell);
    },
  };
}
