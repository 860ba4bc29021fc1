import type { Account, Caller } from '../../shared/domain/account.ts';
import { type Token, tokenIdPattern } from '../../shared/domain/token.ts';
import { fields, integer, list, named, nullable, text, time, type Wire } from '../openapi/shape.ts';

export const tokenShape = named(
  'Token',
  fields(
    {
      id: text('The first 12 hex characters of the hash of the token.', {
        pattern: tokenIdPattern.source,
        examples: ['0123456789ab'],
      }),
      label: nullable(text('The name given at the start of the sign-in.', { examples: ['my laptop'] })),
      created_at: time('When the token was made.'),
      last_used_at: nullable(time('When it was last used, to the minute; null until then.')),
    },
    'The record of a token. The token itself is shown once, by the poll that claims it.',
  ),
);

export const tokenListShape = list(tokenShape);

export const callerShape = named(
  'Caller',
  fields({
    user_id: text('The account. It is the same on every machine of one identity.'),
    created_at: nullable(time('When the account was made.')),
    drop_count: integer('Drops of the account.', 0, { examples: [1] }),
    token: tokenShape,
  }),
);

/** A token's record, in listings and in caller info. Never the token, nor its whole hash. */
export function presentToken(token: Token): Wire<typeof tokenShape> {
  return {
    id: token.id,
    label: token.label,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
  };
}

/** Caller info (spec section 2). */
export function presentCaller(
  caller: Pick<Caller, 'accountId' | 'token'>,
  account: Account | null,
  dropCount: number,
): Wire<typeof callerShape> {
  return {
    user_id: caller.accountId,
    created_at: account?.createdAt ?? null,
    drop_count: dropCount,
    token: presentToken(caller.token),
  };
}
