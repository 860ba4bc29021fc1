/** An operator took the page offline. */
export interface Takedown {
  /** Unix ms. */
  readonly at: number;
  readonly reason: string;
}

/** The longest reason of an act, in characters. */
export const reasonMaxCharacters = 1_000;

/** The acts of operators, and what each is about. Permanent names: log entries hold them. */
export const actTargets = {
  takedown: 'page',
  restore: 'page',
  look: 'page',
  'close-report': 'page',
  'close-reports': 'page',
  suspend: 'account',
  unsuspend: 'account',
  'revoke-tokens': 'account',
  find: 'text',
} as const;

export type Act = keyof typeof actTargets;

export const acts = Object.keys(actTargets) as Act[]; // proof: the keys of the literal above

/** An entry of the audit log, written before the act; its outcome is added after it. */
export interface AuditEntry {
  /** Begins with the time, so that ids sort by it. */
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly by: string;
  readonly act: Act;
  /** The slug, account or search text that the act was about. */
  readonly target: string;
  readonly reason: string | null;
  /** A text for operators. null: the act was interrupted, and it is not known whether it was done. */
  readonly outcome: string | null;
  readonly endedAt: number | null;
}
