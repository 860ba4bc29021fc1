import type { Window } from '../domain/windows.ts';

/** A key and how often it may be counted in a window. */
export interface Quota {
  readonly key: string;
  readonly limit: number;
}

/** Counts by key within fixed windows. Counts need not survive a restart. Never throws. */
export interface RateLimiter {
  /**
   * Counts one for each key, or for none if any has reached its limit. Atomic: parallel calls never pass a limit.
   * @returns null: counted; else the first quota that has reached its limit
   */
  take(quotas: readonly Quota[], window: Window): Promise<Quota | null>;

  /** Takes back one count of each key in that window. A count never falls below 0. */
  giveBack(quotas: readonly Quota[], window: Window): Promise<void>;
}
