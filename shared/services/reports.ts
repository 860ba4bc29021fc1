import type { Page } from '../domain/drop.ts';
import type { Complaint, Report } from '../domain/report.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReportStore } from '../ports/report-store.ts';
import type { Audit } from './audit.ts';
import type { Limits } from './limits.ts';
import type { Operator } from './moderation.ts';

const hourMs = 3_600_000;

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

  /** All reports, or the open ones alone. */
  interface Which {
    readonly withClosed: boolean;
  }

  return {
    /**
     * Keeps a report of that page. The same id again is the same report, and counts for no limit.
     * @param id made with the form
     * @param address where it comes from: counted for an hour, and not kept
     * @returns false: the page has as many open reports as are kept, and this one is not
     * @throws DropError `rate_limited`
     */
    async submit(page: Page, id: string, complaint: Complaint, address: string): Promise<boolean> {
      if ((await reports.find(id)) !== null) return true;
      const giveBack = await limits.takeTry(
        [
          { key: `report:${address}`, limit: config.REPORTS_PER_HOUR },
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

    /** The newest ones, newest first. */
    list: (which: Which, limit: number): Promise<Report[]> => reports.list({ ...which, limit }),

    count: (which: Which): Promise<number> => reports.count(which),

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
  };
}
