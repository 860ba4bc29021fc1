import type { Clock } from '../domain/clock.ts';
import { type DropError, notFound } from '../domain/errors.ts';
import type { Page } from '../drops/drop.ts';
import { capTable, limitTable, maximumOf } from '../limits/limit-table.ts';
import { capReached, type Limits } from '../limits/limits.ts';
import type { Visitor } from '../limits/visitor.ts';
import type { Log } from '../log/log.ts';
import type { Audit } from '../moderation/audit.ts';
import type { Operator } from '../moderation/moderation.ts';
import type { Complaint, Report, ReportedPage } from './report.ts';
import type { ReportStore } from './report-store.ts';

interface ReportFilter {
  /** false: open reports only. */
  readonly withClosed: boolean;
  /** Absent: of all pages. */
  readonly slug?: string;
  /** Only reports that follow the one with this id; absent: from the newest. */
  readonly before?: string;
}

interface Deps {
  readonly reports: ReportStore;
  readonly limits: Pick<Limits, 'attempts' | 'quotaOf' | 'quotasOf'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly config: {
    readonly REPORTS_OPEN_PER_DROP: number;
    readonly REPORTS_OPEN_MAX: number;
  };
  readonly log: Log;
}

/** Reports of pages, for the operators (docs/decisions/reports.md). */
export class Reports {
  readonly #store: ReportStore;
  readonly #limits: Deps['limits'];
  readonly #audit: Audit;
  readonly #clock: Clock;
  readonly #config: Deps['config'];
  /** How many open reports there may be: of all pages, and of one. */
  readonly #most: number;
  readonly #mostOfDrop: number;
  readonly #log: Log;

  constructor({ reports, limits, audit, clock, config, log }: Deps) {
    this.#store = reports;
    this.#limits = limits;
    this.#audit = audit;
    this.#clock = clock;
    this.#config = config;
    this.#most = maximumOf(capTable.openReports, config);
    this.#mostOfDrop = maximumOf(capTable.openReportsOfDrop, config);
    this.#log = log;
  }

  /**
   * A repeat with the same id changes nothing and counts for no limit. @param id generated when the form was shown
   * @param visitor not stored @returns false: too many open reports of the page, not stored
   * @throws DropError `rate_limited`; `quota_exceeded` if too many reports of all pages are open
   */
  async submit(page: Page, id: string, complaint: Complaint, visitor: Visitor): Promise<boolean> {
    if ((await this.#store.find(id)) !== null) return true;
    const { dropId, slug, latestVersion } = page;
    const version = page.version?.number ?? latestVersion;
    const report = { id, dropId, slug, version, ...complaint, createdAt: this.#clock.now() };
    const outcome = await this.#limits.attempts.report.run({
      visitor,
      quotas: [
        ...this.#limits.quotasOf(limitTable.report, visitor),
        this.#limits.quotaOf(limitTable.reportOfDrop, dropId),
      ],
      act: () => this.#store.insert(report, this.#mostOfDrop, this.#most),
      counts: (stored) => stored !== 'known', // a parallel request stored it
    });
    if (outcome === 'all_full') throw this.#tooManyOpen();
    return outcome !== 'full';
  }

  /** Whether so many reports are open that further ones are refused. */
  async isFull(): Promise<boolean> {
    return (await this.#store.countOpen(this.#most)) >= this.#most;
  }

  /** Whether so many reports of the page are open that further ones are not stored. */
  async isFullFor(slug: string): Promise<boolean> {
    const limit = this.#mostOfDrop;
    const open = await this.#store.list({ slug, withClosed: false, before: null, limit });
    return open.length === limit;
  }

  /** Newest first. @throws DropError `not_found` if there is no report `before` */
  async list({ withClosed, slug, before }: ReportFilter, limit: number): Promise<Report[]> {
    const position = before === undefined ? null : await this.#store.find(before);
    if (before !== undefined && position === null) throw notFound('report');
    return this.#store.list({ withClosed, slug: slug ?? null, before: position, limit });
  }

  read(id: string): Promise<Report | null> {
    return this.#store.find(id);
  }

  /** Pages with open reports, at most `limit`, the most reported first; `others`: number of further pages. */
  listPages(limit: number): Promise<{ pages: ReportedPage[]; others: number }> {
    return this.#store.listPages(limit);
  }

  /** Logged. @returns false: it was closed already; null: no such report */
  async close(id: string, operator: Operator): Promise<boolean | null> {
    const report = await this.#store.find(id);
    if (report === null) return null;
    const act = { ...operator, act: 'close-report', target: `${report.slug} ${id}` } as const;
    const describe = (isClosed: boolean) => (isClosed ? 'closed' : 'it was closed already');
    return this.#audit.record(act, () => this.#store.close(id, this.#clock.now()), describe);
  }

  /** Logged. The slug need not have a page. May be repeated. @returns how many were open */
  async closeByPage(slug: string, operator: Operator): Promise<number> {
    const act = { ...operator, act: 'close-reports', target: slug } as const;
    const describe = (count: number) => (count === 0 ? 'none was open' : `closed: ${count}`);
    return this.#audit.record(act, () => this.#store.closeByPage(slug, this.#clock.now()), describe);
  }

  #tooManyOpen(): DropError {
    const reports = this.#most;
    this.#log.warn({ reports }, 'reports are refused until operators close some: too many are open');
    return capReached(capTable.openReports, this.#config);
  }
}
