/** Why somebody thinks that a page should not be here. Names are permanent: records hold them. */
export const reportReasons = ['phishing', 'malware', 'illegal', 'copyright', 'privacy', 'other'] as const;

export type ReportReason = (typeof reportReasons)[number];

/** What a stranger writes about a page. Hostile text, wherever it is shown. */
export interface Complaint {
  readonly reason: ReportReason;
  /** '' for none. Lines end with `\n`. */
  readonly text: string;
  /** How to reach them; null: not at all. */
  readonly contact: string | null;
}

/** A complaint as it is kept. Nothing in it says from which address it came (docs/decisions.md, Reports). */
export interface Report extends Complaint {
  /** Made with the form, so that the same form sent twice is one report. */
  readonly id: string;
  readonly dropId: string;
  readonly slug: string;
  /** The number of the version that they saw. */
  readonly version: number;
  readonly createdAt: number;
  /** null: open. */
  readonly closedAt: number | null;
}

/** What a report is about, without a word of a stranger's. */
export type ReportFact = Pick<Report, 'id' | 'slug' | 'reason' | 'createdAt'>;

/** A report's id: 16 random letters and digits, 95 bits. */
export const reportIdPattern = /^[0-9A-Za-z]{16}$/;
export const reportIdLength = 16;
