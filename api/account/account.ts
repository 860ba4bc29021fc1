import type { Request, Response } from 'express';
import type { Account, Caller } from '../../shared/domain/account.ts';
import { type Token, tokenIdPattern } from '../../shared/domain/token.ts';
import type { Services } from '../../shared/open-services.ts';
import { readTokenId } from '../http/parameters.ts';
import { sendJson } from '../http/send.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { pathParameter } from '../openapi/request-schema.ts';
import { fields, integer, list, named, nullable, text, time, type Wire } from '../openapi/shape.ts';

const tokenShape = named(
  'Token',
  fields(
    {
      id: text('The first 12 hex characters of the hash of the token.', {
        pattern: tokenIdPattern.source,
        examples: ['0123456789ab'],
      }),
      label: nullable(text('The name given at the start of the sign-in.', { examples: ['my laptop'] })),
      created_at: time('When the token was created.'),
      last_used_at: nullable(time('When the token was last used, to the minute. null: never.')),
    },
    'The record of a token. The token itself is shown once, in the answer to the poll that claims it.',
  ),
);

const callerShape = named(
  'Caller',
  fields({
    user_id: text('The account. Every sign-in with the same identity has the same account.'),
    created_at: nullable(time('When the account was created.')),
    drop_count: integer('Drops of the account.', 0, { examples: [1] }),
    token: tokenShape,
  }),
);

/** The record of a token, never the token or its whole hash. */
function presentToken(token: Token): Wire<typeof tokenShape> {
  return {
    id: token.id,
    label: token.label,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
  };
}

/** Caller info (spec section 2). */
function presentCaller(
  { accountId, token }: Pick<Caller, 'accountId' | 'token'>,
  account: Account | null,
  dropCount: number,
): Wire<typeof callerShape> {
  return {
    user_id: accountId,
    created_at: account?.createdAt ?? null,
    drop_count: dropCount,
    token: presentToken(token),
  };
}

export const sampleAccountId = '01a1000000000000000000000000beef';
const sampleToken: Token = {
  id: '0123456789ab',
  hash: '',
  accountId: sampleAccountId,
  label: 'my laptop',
  createdAt: 1795272214339,
  lastUsedAt: 1795272214339,
};
const sampleCaller = presentCaller({ accountId: sampleAccountId, token: sampleToken }, null, 1);

export const accountOperations = {
  me: {
    id: 'readCaller',
    tag: 'Account',
    summary: 'Read your account',
    description:
      'The account and the token of this call. A bad token is `unauthorized` here, not `invalid_token`.',
    replies: [json('The caller.', callerShape, sampleCaller)],
  },
  listTokens: {
    id: 'listTokens',
    tag: 'Account',
    summary: 'List your tokens',
    description: 'The records of the active tokens of the account, newest first.',
    replies: [json('The records of the tokens.', list(tokenShape), [presentToken(sampleToken)])],
  },
  revokeToken: {
    id: 'revokeToken',
    tag: 'Account',
    summary: 'Revoke a token',
    description: 'Revokes any token of the account, including the token of this call.',
    parameters: [
      pathParameter('id', 'The first 12 hex characters of the hash of the token.', {
        type: 'string',
        pattern: tokenIdPattern.source,
      }),
    ],
    replies: [{ status: 204, description: 'The token is revoked.' }],
    refusals: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

/** Spec 4.3 */
export function accountHandlers({ accounts, tokens }: Services) {
  return {
    async me(_req: Request, res: Response, caller: Caller): Promise<void> {
      const { account, dropCount } = await accounts.describe(caller);
      sendJson(res, presentCaller(caller, account, dropCount));
    },

    async listTokens(_req: Request, res: Response, caller: Caller): Promise<void> {
      sendJson(res, (await tokens.list(caller)).map(presentToken));
    },

    async revokeToken(req: Request, res: Response, caller: Caller): Promise<void> {
      await tokens.revoke(caller, readTokenId(req));
      res.status(204).end();
    },
  };
}
