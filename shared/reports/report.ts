import { commentIdPattern } from '../comments/comment.ts';
import {
  addedLater,
  id,
  matching,
  oneOf,
  orNull,
  type RecordOf,
  record,
  slug,
  text,
  time,
  whole,
} from '../domain/record.ts';

/** Permanent names: stored reports hold them. */
export const reportReasons = ['phishing', 'malware', 'illegal', 'copyright', 'privacy', 'other'] as const;

export type ReportReason = (typeof reportReasons)[number];

/** A report's id: 16 random letters and digits, 95 bits. */
export const reportIdPattern = /^[0-9A-Za-z]{16}$/;
export const reportIdLength = 16;

/** A stored complaint, without the reporter's address (docs/decisions/reports.md). */
export const reportRecord = record('reports', {
  /** Generated when the form is shown, so that a form that is sent twice makes one report. */
  id: matching(reportIdPattern, 'an id of 16 letters and digits'),
  dropId: id(),
  slug: slug(),
  /** The version that the reporter saw. */
  version: whole(1),
  /** The thread that the report is about; null: the page. */
  commentId: addedLater(orNull(matching(commentIdPattern, 'the id of a comment')), null),
  reason: oneOf(reportReasons),
  /** What a viewer wrote: untrusted. '' for none. Lines end with `\n`. */
  text: text(),
  /** How to reach the reporter; null: not given. */
  contact: orNull(text()),
  createdAt: time(),
  /** null: open. */
  closedAt: orNull(time()),
});

export type Report = RecordOf<typeof reportRecord>;

export type Complaint = Pick<Report, 'commentId' | 'reason' | 'text' | 'contact'>;

export interface ReportedPage {
  readonly slug: string;
  readonly open: number;
  /** When the oldest open report was created, Unix ms. */
  readonly first: number;
  /** When the newest open report was created, Unix ms. */
  readonly newest: number;
  /** Reports per reason, the most frequent first, ties by name. */
  readonly reasons: readonly (readonly [reason: ReportReason, count: number])[];
}
