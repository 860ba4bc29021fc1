import type { TimeWindow } from '../domain/time-windows.ts';

/** A key and how often it may be counted in a window. */
export interface Quota {
  readonly key: string;
  readonly limit: number;
}

/** One count of each of some keys, taken before it is known whether it stays. */
export interface Reservation {
  /** Must be called once. @param isCounted false: the counts are taken back; they never fall below 0 */
  settle(isCounted: boolean): Promise<void>;
}

/** Counts by key within fixed windows. Counts need not survive a restart. Never throws. */
export interface RateLimiter {
  /**
   * Counts one for each key, or for none if any has reached its limit. Atomic: parallel calls never pass a limit.
   * @returns null: counted; else the first quota that has reached its limit
   */
  take(quotas: readonly Quota[], window: TimeWindow): Promise<Quota | null>;

  /**
   * Like `take`, for counts that may be taken back. If its process dies, a reservation counts until the window closes.
   * @returns the first quota whose limit is reached without reservations; `busy`: a limit is reached with the reservations
   *   that are not settled yet, so a later call may succeed
   */
  reserve(quotas: readonly Quota[], window: TimeWindow): Promise<Reservation | Quota | 'busy'>;
}
