import type { LimitName } from '../account/limits-presenter.ts';
import type { Access } from '../http/access.ts';
import type { Refusal } from './operation.ts';

/** What a way adds to the description of an endpoint. */
interface AccessRule {
  /** Whether a bearer token is needed. */
  readonly needsToken: boolean;
  readonly refusals: readonly Refusal[];
  readonly limits: readonly LimitName[];
  readonly about?: string;
}

const badToken = ['unauthorized', 'invalid_token'] as const;
/** Of a suspended account. */
const suspended = 'forbidden';
const badBody = ['invalid_json', ['invalid_json', 415]] as const;

const change: AccessRule = {
  needsToken: true,
  refusals: [...badToken, suspended, 'rate_limited', ...badBody, ['invalid_arg', 413]],
  limits: ['changes_per_minute'],
};

export const accessRules: Readonly<Record<Access, AccessRule>> = {
  open: { needsToken: false, refusals: [], limits: [] },
  starter: {
    needsToken: false,
    refusals: ['forbidden', 'rate_limited', ...badBody, ['invalid_arg', 413]],
    limits: ['sign_in_starts_per_minute'],
  },
  owner: { needsToken: true, refusals: badToken, limits: [] },
  self: { needsToken: true, refusals: ['unauthorized'], limits: [] },
  write: {
    needsToken: true,
    refusals: [...badToken, suspended, 'rate_limited', ...badBody, 'html_too_large'],
    limits: ['writes_per_minute', 'writes_per_day'],
    about:
      'A write counts against the minute when it arrives, also where it is refused, and against the day once it is accepted.',
  },
  change,
  patch: change,
  removal: {
    needsToken: true,
    refusals: [...badToken, suspended, 'rate_limited'],
    limits: ['changes_per_minute'],
  },
  revocation: {
    needsToken: true,
    refusals: [...badToken, 'rate_limited'],
    limits: ['changes_per_minute'],
  },
};
