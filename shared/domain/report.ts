/** Permanent names: stored reports hold them. */
export const reportReasons = ['phishing', 'malware', 'illegal', 'copyright', 'privacy', 'other'] as const;

export type ReportReason = (typeof reportReasons)[number];

/** What a viewer sends about a page: untrusted text. */
export interface Complaint {
  readonly reason: ReportReason;
  /** '' for none. Lines end with `\n`. */
  readonly text: string;
  /** How to reach the reporter; null: not given. */
  readonly contact: string | null;
}

/** A stored complaint, without the reporter's address (docs/decisions.md, Reports). */
export interface Report extends Complaint {
  /** Generated when the form is shown, so that a form that is sent twice makes one report. */
  readonly id: string;
  readonly dropId: string;
  readonly slug: string;
  /** The version that the reporter saw. */
  readonly version: number;
  readonly createdAt: number;
  /** null: open. */
  readonly closedAt: number | null;
}

/** A page with open reports. */
export interface ReportedPage {
  readonly slug: string;
  /** Number of open reports. */
  readonly open: number;
  /** When the oldest open report was created, Unix ms. */
  readonly first: number;
  /** When the newest open report was created, Unix ms. */
  readonly newest: number;
  /** Reports per reason, the most frequent first, ties by name. */
  readonly reasons: readonly (readonly [reason: ReportReason, count: number])[];
}

/** A report's id: 16 random letters and digits, 95 bits. */
export const reportIdPattern = /^[0-9A-Za-z]{16}$/;
export const reportIdLength = 16;
