import type { Caller } from '../accounts/account.ts';
import { DropError } from '../domain/errors.ts';
import type { Scope } from './token.ts';

/** What a token with the scope `publish` may do, and what not, in the words of people who approve, create or use one. */
export const publishScopeTexts = {
  may: 'publish pages and new versions, change their titles and tags, and read and answer comments',
  mayNot:
    'unlock or delete pages, show them to more people, read pages that others share, delete versions or comments, or manage the account',
} as const;

/** A session may do everything. */
export function scopeOf({ credential }: Pick<Caller, 'credential'>): Scope {
  return credential.kind === 'token' ? credential.token.scope : 'all';
}

/** @param needed the narrowest scope that is enough @param what as in `Delete a drop` @throws DropError `forbidden` */
export function requireScope(caller: Pick<Caller, 'credential'>, needed: Scope, what: string): void {
  if (needed === 'publish' || scopeOf(caller) === 'all') return;
  const message = `${what}: the scope of this token is "publish". It may ${publishScopeTexts.may}; it may not ${publishScopeTexts.mayNot}. Ask the owner of the account to do this, or for a token with the scope "all"`;
  throw new DropError('forbidden', message, { scope: needed });
}
