import type { Report, ReportedPage } from './report.ts';

export type NewReport = Omit<Report, 'closedAt'>;

export interface ReportQuery {
  /** false: open reports only. */
  readonly withClosed: boolean;
  /** null: of all pages. */
  readonly slug: string | null;
  /** Only reports that follow this one in the list, whether it still exists or not. null: from the newest. */
  readonly before: Pick<Report, 'id' | 'createdAt'> | null;
  readonly limit: number;
}

/** Reports of pages. A report outlives its drop, so that deleting a drop hides no report. */
export interface ReportStore {
  /**
   * `known`: stored before, unchanged. `full`: the drop has `cap` open reports. Atomic: parallel calls never pass that cap.
   * `all_full`: there are `capOfAll` open reports of all drops; parallel calls of several processes may pass it by one each.
   */
  insert(
    report: NewReport,
    cap: number,
    capOfAll: number,
  ): Promise<'inserted' | 'known' | 'full' | 'all_full'>;

  /** How many reports are open; `atMost` if there are as many or more. By an index. */
  countOpen(atMost: number): Promise<number>;

  /** null: no such report. */
  find(id: string): Promise<Report | null>;

  /** The newest first, ties by id. By an index. */
  list(query: ReportQuery): Promise<Report[]>;

  /** The most reported pages first, ties by the newest report. `others`: number of further pages. */
  listPages(limit: number): Promise<{ pages: ReportedPage[]; others: number }>;

  /** Open → closed; false: closed already, or no such report. */
  close(id: string, now: number): Promise<boolean>;

  /** Closes the open reports of a page. Not atomic. Returns how many this call closed. */
  closeByPage(slug: string, now: number): Promise<number>;

  /** Removes reports that were closed before `before` (Unix ms). */
  removeClosedBefore(before: number): Promise<void>;
}
