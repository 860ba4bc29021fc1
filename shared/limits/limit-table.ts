import type { Code } from '../domain/errors.ts';
import { attemptWindowMs, dayMs, hourMs, minuteMs } from '../domain/time-windows.ts';

/** How often something may happen in a window of time. */
interface LimitRow {
  /** The first part of its keys in the store, and its name in the metrics. It never changes: processes of two releases share counts. */
  readonly key: string;
  /** If a network has a count beside that of an address: the first part of its keys. */
  readonly networkKey?: string;
  readonly windowMs: number;
  /** The setting with the maximum, whose name in lower case is the limit's name in the API; or the maximum. */
  readonly maximum: string | number;
  /** The message of the error. */
  refusal(maximum: number): string;
  /** Default: `rate_limited`. */
  readonly code?: Code;
}

/** How many of something there may be. */
export interface Cap<Setting extends string = string> {
  /** Its name in the metrics. Absent: they do not count it. */
  readonly key?: string;
  /** As of a limit. */
  readonly maximum: Setting | number;
  /** The message of the error, which says what to do. */
  refusal(maximum: number): string;
  /** Default: `quota_exceeded`. */
  readonly code?: Code;
}

const commentActs = 'comments, replies and edits of an account';

/** What one account (by its `countsAs`), one client address or network, or one thing may have in a window of time. */
export const limitTable = {
  /** A POST or PUT of a drop. */
  write: { key: 'write', ...perMinute('WRITES_PER_MINUTE', 'writes') },
  /** Accepted writes. The store of drops counts them, with the drop (docs/decisions/limits.md, Order of limits). */
  writeOfDay: {
    key: 'writes_per_day',
    windowMs: dayMs,
    maximum: 'WRITES_PER_DAY',
    refusal: (maximum) => `At most ${maximum} writes a day.`,
    code: 'daily_quota_exceeded',
  },
  /** Any other change. */
  change: { key: 'change', ...perMinute('CHANGES_PER_MINUTE', 'changes') },
  /** A repeat of a write that is done, which is no write. */
  repeat: { key: 'repeat', ...perMinute('WRITES_PER_MINUTE', 'repeats of finished writes') },

  /** A request for an upload address. It may hold a context, which is not counted for the day until the document comes. */
  upload: { key: 'upload', ...perTenMinutes(100, 'uploads') },
  /** A document for an address that was not used, by the hash of its secret: each is a write of the account that asked. */
  uploadDocument: {
    key: 'upload-document',
    windowMs: attemptWindowMs,
    maximum: 10,
    refusal: (maximum) => `At most ${maximum} documents for one address in 10 minutes.`,
  },
  /** A PUT to an address that was used, by the hash of its secret: a client that got no answer repeats it a few times. */
  uploadRepeat: {
    key: 'upload-repeat',
    windowMs: attemptWindowMs,
    maximum: 10,
    refusal: (maximum) => `This address was used. At most ${maximum} repeats in 10 minutes.`,
  },

  /**
   * The start of a sign-in, by network alone: each start is a record that is kept for a day, and a network of IPv6 has 65,536
   * addresses as limits count them.
   */
  signInStart: {
    key: 'sign-in',
    windowMs: minuteMs,
    maximum: 'SIGN_IN_STARTS_PER_MINUTE',
    refusal: (maximum) => `At most ${maximum} sign-ins a minute from one network.`,
  },
  /** A sign-in that an account approves, denies or begins: somebody who guesses codes may have many addresses, but few accounts. */
  signInOfAccount: {
    key: 'sign-in-of',
    ...perTenMinutes('SIGN_INS_PER_ACCOUNT', 'sign-ins of one account'),
  },
  /** A token that is asked for, by the form or by approving a sign-in. It has the code of the cap, which is checked with it. */
  token: {
    key: 'token',
    ...perTenMinutes('NEW_TOKENS_PER_ACCOUNT', 'new tokens'),
    code: 'quota_exceeded',
  },
  signInCode: { key: 'code', networkKey: 'code-from', ...wrongAttempts('CODE_TRIES') },
  signInKey: { key: 'key', ...wrongAttempts('CODE_TRIES') },

  passcodeOfDrop: { key: 'passcode-of', ...wrongAttempts('PASSCODE_TRIES_PER_DROP') },
  /** For all drops. */
  passcode: {
    key: 'passcode',
    networkKey: 'passcode-from',
    ...wrongAttempts('PASSCODE_TRIES_PER_ADDRESS'),
  },
  /** For one drop, by the drop and the address. */
  passcodeOfDropByAddress: { key: 'passcode-of', ...wrongAttempts('PASSCODE_TRIES') },

  /** By the account that asks. */
  accessRequest: { key: 'ask', ...perHour(20, 'requests for access') },

  report: { key: 'report', networkKey: 'report-from', ...perHour('REPORTS_PER_HOUR', 'reports') },
  reportOfDrop: { key: 'report-of', ...perHour('REPORTS_PER_DROP_PER_HOUR', 'reports') },

  /** What an account writes, edits and replies, on its own pages and on those of others. */
  commentOfMinute: { key: 'comments-minute', ...perMinute('COMMENTS_PER_MINUTE', commentActs) },
  commentOfDay: {
    key: 'comments-day',
    windowMs: dayMs,
    maximum: 'COMMENTS_PER_DAY',
    refusal: (maximum) => `At most ${maximum} ${commentActs} a day (UTC).`,
  },
  /** What is done with comments on the pages of others: changes count, too. Guests are counted by address. */
  commentOfGuest: { key: 'comment', networkKey: 'comment-from', ...perHour(20, 'comments') },
  /** By account: several members may share one address. */
  commentOfMember: { key: 'comment', ...perHour(60, 'comments') },
  /** By others than the owner, on one drop, and on all drops of an account. */
  commentOnDrop: { key: 'comment-of', ...perHour(120, 'comments') },
  commentForOwner: { key: 'comment-to', ...perHour(600, 'comments') },
} as const satisfies Readonly<Record<string, LimitRow>>;

const kib = 1024;
const mib = 1024 * kib;

/**
 * How many there may be at once. A cap is not reset: its errors say what to do. What waits for its turn in a process, and is
 * refused with 503, has its bound beside its queue (limits/lists-at-once.ts).
 */
export const capTable = {
  drops: {
    key: 'drops',
    maximum: 'DROPS_PER_ACCOUNT',
    refusal: (maximum) => `The account has the maximum of ${maximum} drops: delete one first.`,
  },
  versions: {
    key: 'versions',
    maximum: 'VERSIONS_PER_DROP',
    refusal: (maximum) => `The drop has the maximum of ${maximum} versions: delete one first.`,
    code: 'version_limit_reached',
  },
  tokens: {
    maximum: 'TOKENS_PER_ACCOUNT',
    refusal: (maximum) => `The account has the maximum of ${maximum} active tokens: revoke one first.`,
  },
  /** Accounts of people who sign in with the local sign-in key. */
  localAccounts: {
    maximum: 'LOCAL_ACCOUNTS_MAX',
    refusal: (maximum) => `This service has the maximum of ${maximum} accounts: ask its operator.`,
  },
  openReports: {
    maximum: 'REPORTS_OPEN_MAX',
    refusal: (maximum) =>
      `The operators of this service have ${maximum} reports to read first, so yours was not stored.`,
  },
  /** Further ones are not stored, without an error for the reader. Operators see these words. */
  openReportsOfDrop: {
    maximum: 'REPORTS_OPEN_PER_DROP',
    refusal: (maximum) =>
      `This page has the maximum of ${maximum} open reports. Further ones are not stored until you close some.`,
  },
  /** Declined ones, too. */
  accessRequestsOfDrop: {
    maximum: 100,
    refusal: () => 'Too many people have asked for this page already: write to its owner.',
  },
  repliesOfComment: {
    maximum: 200,
    refusal: (maximum) => `A comment has at most ${maximum} replies: write a new comment.`,
  },
  /** UTF-8, with the texts of replies for which room is reserved. */
  bytesOfThread: {
    maximum: 64 * kib,
    refusal: (maximum) =>
      `The texts of a comment and its replies have at most ${maximum / kib} KiB: write a new comment, or delete replies.`,
  },
  /** Open or held. */
  openCommentsOfDrop: {
    maximum: 500,
    refusal: (maximum) =>
      `The page has the maximum of ${maximum} open comments: resolve or delete some first.`,
  },
  heldCommentsOfDrop: {
    maximum: 100,
    refusal: (maximum) =>
      `The page has the maximum of ${maximum} comments that wait for its owner, who must approve or delete some first.`,
  },
  /** In all states. */
  commentsOfDrop: {
    maximum: 2_000,
    refusal: (maximum) => `The page has the maximum of ${maximum} comments: delete resolved ones first.`,
  },
  /** UTF-8, on all drops of an account. */
  bytesOfComments: {
    maximum: 200 * mib,
    refusal: (maximum) =>
      `The comments on the pages of this account have the maximum of ${maximum / mib} MiB: delete some first.`,
  },
} as const satisfies Readonly<Record<string, Cap>>;

type SettingOf<Row extends { readonly maximum: string | number }> = Extract<Row['maximum'], string>;

/** The settings that the limits need. */
export type LimitNumbers = Readonly<Record<SettingOf<(typeof limitTable)[keyof typeof limitTable]>, number>>;

export interface Limit extends LimitRow {
  readonly maximum: keyof LimitNumbers | number;
}

/** What is counted by address, and for IPv6 also by network. */
export type VisitorLimit = Limit & { readonly networkKey: string };

/** The names of all limits and caps in the metrics; several limits may share one. */
export const limitKeys: readonly string[] = [
  ...Object.values<LimitRow>(limitTable).flatMap(({ key, networkKey }) =>
    networkKey === undefined ? key : [key, networkKey],
  ),
  ...Object.values<Cap>(capTable).flatMap(({ key }) => key ?? []),
];

/** @param config has the setting, if the maximum is one */
export function maximumOf<Setting extends string>(
  { maximum }: { readonly maximum: Setting | number },
  config: Readonly<Record<Setting, number>>,
): number {
  return typeof maximum === 'number' ? maximum : config[maximum];
}

function perMinute<Maximum extends string | number>(maximum: Maximum, what: string) {
  return { windowMs: minuteMs, maximum, refusal: (most: number) => `At most ${most} ${what} a minute.` };
}

function perTenMinutes<Maximum extends string | number>(maximum: Maximum, what: string) {
  return {
    windowMs: attemptWindowMs,
    maximum,
    refusal: (most: number) => `At most ${most} ${what} in 10 minutes.`,
  };
}

function perHour<Maximum extends string | number>(maximum: Maximum, what: string) {
  return { windowMs: hourMs, maximum, refusal: () => `Too many ${what}.` };
}

/** Only wrong ones count. */
function wrongAttempts<Maximum extends string | number>(maximum: Maximum) {
  return { windowMs: attemptWindowMs, maximum, refusal: () => 'Too many wrong attempts.' };
}
