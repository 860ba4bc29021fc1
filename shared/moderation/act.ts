import { id, oneOf, orNull, type RecordOf, record, text, time } from '../domain/record.ts';

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
  'delete-comment': 'page',
  suspend: 'account',
  unsuspend: 'account',
  'revoke-tokens': 'account',
  link: 'account',
  find: 'text',
} as const;

export type Act = keyof typeof actTargets;

const acts = Object.keys(actTargets) as Act[]; // proof: the keys of the literal above

/** An entry of the audit log, written before the act; its outcome is added after it. */
export const auditRecord = record('audit_log', {
  /** Begins with the time, so that ids sort by it. */
  id: id(),
  /** Unix ms. */
  at: time(),
  by: text(),
  act: oneOf(acts),
  /** The slug, account or search text that the act was about. */
  target: text(),
  reason: orNull(text()),
  /** A text for operators. null: the act was interrupted, and it is not known whether it was done. */
  outcome: orNull(text()),
  endedAt: orNull(time()),
});

export type AuditEntry = RecordOf<typeof auditRecord>;
