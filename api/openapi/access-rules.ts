import type { LimitName } from '../presenters/limits.ts';
import type { HeaderName } from './headers.ts';
import type { Refusal } from './operation.ts';

/** The ways in which access.ts lets requests in; `open` is without any. */
export type Access =
  | 'open'
  | 'starter'
  | 'owner'
  | 'self'
  | 'write'
  | 'change'
  | 'patch'
  | 'removal'
  | 'revocation';

/** What a way adds to the description of an endpoint. */
interface AccessRule {
  /** Whether a bearer token is needed. */
  readonly needsToken: boolean;
  readonly refusals: readonly Refusal[];
  /** Of every answer. */
  readonly headers: readonly HeaderName[];
  readonly limits: readonly LimitName[];
  readonly about?: string;
}

const badToken = ['unauthorized', 'invalid_token'] as const;
/** Of a suspended account. */
const suspended = 'forbidden';
const badBody = ['invalid_json', ['invalid_json', 415]] as const;
const noStore = ['Cache-Control'] as const;

const change: AccessRule = {
  needsToken: true,
  refusals: [...badToken, suspended, 'rate_limited', ...badBody, ['invalid_arg', 413]],
  headers: noStore,
  limits: ['changes_per_minute'],
};

export const accessRules: Readonly<Record<Access, AccessRule>> = {
  open: { needsToken: false, refusals: [], headers: [], limits: [] },
  starter: {
    needsToken: false,
    refusals: ['forbidden', 'rate_limited', ...badBody, ['invalid_arg', 413]],
    headers: noStore,
    limits: ['sign_in_starts_per_minute'],
  },
  owner: { needsToken: true, refusals: badToken, headers: noStore, limits: [] },
  self: { needsToken: true, refusals: ['unauthorized'], headers: noStore, limits: [] },
  write: {
    needsToken: true,
    refusals: [...badToken, suspended, 'rate_limited', ...badBody, 'html_too_large'],
    headers: noStore,
    limits: ['writes_per_minute', 'writes_per_day'],
    about:
      'A write: each one counts against the minute as it arrives, also where it is refused, and against the day once it is accepted.',
  },
  change,
  patch: change,
  removal: {
    needsToken: true,
    refusals: [...badToken, suspended, 'rate_limited'],
    headers: noStore,
    limits: ['changes_per_minute'],
  },
  revocation: {
    needsToken: true,
    refusals: [...badToken, 'rate_limited'],
    headers: noStore,
    limits: ['changes_per_minute'],
  },
};
