import { type Access, type Policy, policies } from '../http/access.ts';
import type { LimitName } from './limits.ts';
import type { Refusal } from './operation.ts';

/** What a policy adds to the description of an endpoint. */
interface AccessRule {
  readonly needsToken: boolean;
  readonly refusals: readonly Refusal[];
  readonly limits: readonly LimitName[];
  readonly about?: string;
}

const aboutWrites =
  'A write counts against the minute when it arrives, also where it is refused, and against the day once it is accepted.';

export function accessRule(access: Access): AccessRule {
  const { token, limit, body, allowsSuspended }: Policy = policies[access];
  const isWrite = limit === 'writes_per_minute';
  const refusals: Refusal[] = [];
  if (token !== undefined) refusals.push('unauthorized');
  if (token === 'required') refusals.push('invalid_token');
  // A suspended account changes nothing; a web page of another origin starts no sign-in.
  if (limit !== undefined && !allowsSuspended) refusals.push('forbidden');
  if (limit !== undefined) refusals.push('rate_limited');
  if (body !== undefined)
    refusals.push('invalid_json', ['invalid_json', 415], isWrite ? 'html_too_large' : ['invalid_arg', 413]);
  return {
    needsToken: token !== undefined,
    refusals,
    limits: limit === undefined ? [] : isWrite ? [limit, 'writes_per_day'] : [limit],
    ...(isWrite && { about: aboutWrites }),
  };
}
