import { attemptWindowMs, dayMs, minuteMs } from '../domain/time-windows.ts';

export interface LimitNumbers {
  readonly WRITES_PER_MINUTE: number;
  readonly WRITES_PER_DAY: number;
  readonly CHANGES_PER_MINUTE: number;
  readonly COMMENTS_PER_MINUTE: number;
  readonly COMMENTS_PER_DAY: number;
  readonly SIGN_IN_STARTS_PER_MINUTE: number;
  readonly SIGN_INS_PER_ACCOUNT: number;
  readonly NEW_TOKENS_PER_ACCOUNT: number;
}

export interface Limit {
  readonly windowMs: number;
  maximum(config: LimitNumbers): number;
  /** The message of the error. @param maximum as above */
  refusal(maximum: number): string;
  /** Default: `rate_limited`. */
  readonly code?: 'quota_exceeded';
}

const commentActs = 'comments, replies and edits of an account';

/** What one account (by its `countsAs`), or one upload address, may do in a window of time. */
export const limitTable = {
  /** A POST or PUT of a drop. */
  write: perMinute((config) => config.WRITES_PER_MINUTE, 'writes'),
  /** Any other change. */
  change: perMinute((config) => config.CHANGES_PER_MINUTE, 'changes'),
  /** What an account writes, edits and replies, on its own pages and on those of others. */
  'comments-minute': perMinute((config) => config.COMMENTS_PER_MINUTE, commentActs),
  'comments-day': {
    windowMs: dayMs,
    maximum: (config) => config.COMMENTS_PER_DAY,
    refusal: (count) => `At most ${count} ${commentActs} a day (UTC).`,
  },
  /** A repeat of a write that is done, which is no write. */
  repeat: perMinute((config) => config.WRITES_PER_MINUTE, 'repeats of finished writes'),
  /** A request for an upload address. It may hold a context, which is not counted for the day until the document comes. */
  upload: perTenMinutes(100, 'uploads'),
  /** A document for an address that was not used, by the hash of its secret: each is a write of the account that asked. */
  'upload-document': {
    ...perTenMinutes(10, ''),
    refusal: (maximum) => `At most ${maximum} documents for one address in 10 minutes.`,
  },
  /** A PUT to an address that was used, by the hash of its secret: a client that got no answer repeats it a few times. */
  'upload-repeat': {
    ...perTenMinutes(10, ''),
    refusal: (maximum) => `This address was used. At most ${maximum} repeats in 10 minutes.`,
  },
  /** A sign-in that an account approves, denies or begins: somebody who guesses codes may have many addresses, but few accounts. */
  'sign-in-of': perTenMinutes((config) => config.SIGN_INS_PER_ACCOUNT, 'sign-ins of one account'),
  /** A token that is asked for, by the form or by approving a sign-in. It has the code of the cap, which is checked with it. */
  token: {
    ...perTenMinutes((config) => config.NEW_TOKENS_PER_ACCOUNT, 'new tokens'),
    code: 'quota_exceeded',
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof limitTable;

/** What is counted by client address, or at one thing. Those that end with `-from` count networks. */
const visitorLimits = [
  'key',
  'passcode-of',
  'report-of',
  'comment-of',
  'comment-to',
  'sign-in',
  'code',
  'code-from',
  'passcode',
  'passcode-from',
  'report',
  'report-from',
  'comment',
  'comment-from',
] as const;

/** The first part of the keys of all quotas. */
export const quotaNames = [...(Object.keys(limitTable) as LimitName[]), ...visitorLimits]; // proof: its own keys

export type QuotaName = (typeof quotaNames)[number];

function perMinute(maximum: Limit['maximum'], what: string): Limit {
  return { windowMs: minuteMs, maximum, refusal: (count) => `At most ${count} ${what} a minute.` };
}

function perTenMinutes(maximum: Limit['maximum'] | number, what: string): Limit {
  return {
    windowMs: attemptWindowMs,
    maximum: typeof maximum === 'number' ? () => maximum : maximum,
    refusal: (count) => `At most ${count} ${what} in 10 minutes.`,
  };
}
