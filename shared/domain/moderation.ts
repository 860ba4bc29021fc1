/** Why and since when a page is shown to nobody. */
export interface Takedown {
  /** Unix ms. */
  readonly at: number;
  readonly reason: string;
}

/** What an operator does. Kept in the log by this name. */
export type Act =
  | 'takedown'
  | 'restore'
  | 'suspend'
  | 'unsuspend'
  | 'revoke-tokens'
  | 'find'
  | 'close-report'
  | 'close-reports';

/** One act of an operator. It is written down before it is done, and its outcome after. */
export interface AuditEntry {
  /** Begins with the time: ids sort by it. */
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly by: string;
  readonly act: Act;
  /** What it was done to, as it was found: a slug, the id of an account. */
  readonly target: string;
  readonly reason: string | null;
  /** What came of it, in words; null: it was cut short, and may be done or not. */
  readonly outcome: string | null;
  readonly endedAt: number | null;
}
