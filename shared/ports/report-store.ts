import type { Report, ReportFact } from '../domain/report.ts';

/** A report as it comes in: open. */
export type NewReport = Omit<Report, 'closedAt'>;

/** Which to list, the newest first, ties by id. */
export interface ReportQuery {
  /** Open ones only, or all. */
  readonly withClosed: boolean;
  /** Those of this page; null: of all pages. */
  readonly slug: string | null;
  /**
   * Only what comes behind this place of the list. Its report may have been closed, or be gone: a place is a time and
   * an id, so it stays where it was. null: from the newest.
   */
  readonly before: Pick<Report, 'id' | 'createdAt'> | null;
  readonly limit: number;
}

/** What people told of pages. A report is a record of its own and outlives its drop, so that deleting hides nothing. */
export interface ReportStore {
  /**
   * Stores an open report. `known`: one of its id is kept, whatever it says; it stays as it is. `full`: the drop has
   * `cap` open reports. Atomic: parallel calls never pass the cap while it is not lowered.
   */
  insert(report: NewReport, cap: number): Promise<'inserted' | 'known' | 'full'>;

  /** null: none, or removed. */
  find(id: string): Promise<Report | null>;

  /** At most `limit` of them, found without reading others. */
  list(query: ReportQuery): Promise<Report[]>;

  /**
   * What open ones are about, without words: all those of a page follow each other, the newest first. At most `limit`,
   * found without reading others.
   * @param after the last one that was listed before, which may be gone since; null: from the first page
   */
  listOpenByPage(after: ReportFact | null, limit: number): Promise<ReportFact[]>;

  /** Open → closed, which makes room for another report of its drop; false when it is closed already or not there. */
  close(id: string, now: number): Promise<boolean>;

  /**
   * The same for open ones of that page, at most `limit`. Each is closed or stays open, whatever becomes of the others.
   * @returns how many were open until this call; 0: none is left
   */
  closeOfPage(slug: string, now: number, limit: number): Promise<number>;

  /** Removes those that were closed before `before` (Unix ms). */
  removeClosedBefore(before: number): Promise<void>;
}
