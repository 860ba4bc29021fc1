import type { Window } from '../domain/windows.ts';

/** Counts within fixed windows. What is counted need not survive a restart. */
export interface RateLimiter {
  /** Counts one for `key` in the window; false when `limit` is reached. Atomic: parallel calls never pass it. */
  take(key: string, limit: number, window: Window): Promise<boolean>;

  /** Gives one back that `take` counted in that window. The count never falls below 0. */
  giveBack(key: string, window: Window): Promise<void>;
}
