import type { Report } from '../domain/report.ts';

/** A report as it comes in: open. */
export type NewReport = Omit<Report, 'closedAt'>;

/** What people told of pages. A report is a record of its own and outlives its drop, so that deleting hides nothing. */
export interface ReportStore {
  /**
   * Stores an open report. `known`: one of its id is kept, whatever it says; it stays as it is. `full`: the drop has
   * `cap` open reports. Atomic: parallel calls never pass the cap while it is not lowered.
   */
  insert(report: NewReport, cap: number): Promise<'inserted' | 'known' | 'full'>;

  /** null: none, or removed. */
  find(id: string): Promise<Report | null>;

  /** The newest ones, newest first, ties by id; at most `limit`. Open ones only unless `withClosed`. */
  list(options: { readonly withClosed: boolean; readonly limit: number }): Promise<Report[]>;

  /** How many there are to list. */
  count(options: { readonly withClosed: boolean }): Promise<number>;

  /** Open → closed, which makes room for another report of its drop; false when it is closed already or not there. */
  close(id: string, now: number): Promise<boolean>;

  /** Removes those that were closed before `before` (Unix ms). */
  removeClosedBefore(before: number): Promise<void>;
}
