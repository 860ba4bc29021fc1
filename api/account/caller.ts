import { object, string } from 'yup';
import type { Account } from '../../shared/accounts/account.ts';
import type { InboxCounts } from '../../shared/comments/comment-store.ts';
import { inboxAtMost, newsOf } from '../../shared/comments/inbox.ts';
import { type Token, tokenIdPattern } from '../../shared/credentials/token.ts';
import type { Access } from '../../shared/drops/access.ts';
import { invalid } from '../http/validate.ts';
import {
  exactShape,
  fields,
  integerShape,
  named,
  nullable,
  oneOfShape,
  optional,
  textShape,
  timeShape,
  type Wire,
} from '../openapi/shape.ts';

export const tokenShape = named(
  'Token',
  fields(
    {
      id: textShape('The first 12 hex characters of the hash of the token.', {
        pattern: tokenIdPattern.source,
        examples: ['0123456789ab'],
      }),
      label: nullable(textShape('The name given at the start of the sign-in.', { examples: ['my laptop'] })),
      created_at: timeShape('When the token was created.'),
      last_used_at: nullable(timeShape('When the token was last used, to the minute. null: never.')),
      expires_at: optional(timeShape('When the token expires. Absent: it does not.')),
      scope: optional(exactShape('Absent: `all`.', 'publish')),
    },
    'The record of a token, not the token: only the poll that claims it shows that.',
  ),
);

export const callerShape = named(
  'Caller',
  fields({
    user_id: textShape('The account. Every sign-in with the same identity has the same account.'),
    created_at: nullable(timeShape('When the account was created.')),
    drop_count: integerShape('Drops of the account.', 0, { examples: [1] }),
    token: tokenShape,
    default_access: optional(
      oneOfShape('`access` of a new drop that is sent without it. Absent: `link`.', ['members', 'named']),
    ),
    name: optional(
      textShape('Its name at the identity provider. Only with `include=name`.', { examples: ['ada'] }),
    ),
    inbox: optional(
      fields(
        {
          held: integerShape('Comments of guests that the owner has not approved.', 0),
          new: integerShape(
            'Open comments that readers have written, answered or changed since the owner last opened the page of all comments.',
            0,
          ),
        },
        `What waits for the owner. A number stops at ${inboxAtMost}. Only with \`include=inbox\`.`,
      ),
    ),
  }),
);

const included = ['name', 'inbox'] as const;
const notIncluded = invalid(`include must be ${included.join(', ')}, or both, separated by a comma`, {
  allowed: included,
});

/** What `include` asks for, if all of it is known. */
export function readIncluded(include = ''): readonly string[] | null {
  const names = include.split(',');
  return names.every((name) => included.some((known) => known === name)) ? names : null;
}

export const callerQuery = object({
  include: string()
    .typeError(notIncluded)
    .test({
      name: 'included',
      params: { json: { pattern: '^(name|inbox)(,(name|inbox))*$' } },
      message: notIncluded,
      test: (value) => value === undefined || readIncluded(value) !== null,
    })
    .meta({
      description:
        '`name`: also the name of the account. `inbox`: also how many comments wait for its owner.',
      examples: ['name,inbox'],
    }),
});

/** The record of a token, never the token or its whole hash. */
export function presentToken(token: Token): Wire<typeof tokenShape> {
  return {
    id: token.id,
    label: token.label,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
    expires_at: token.expiresAt ?? undefined,
    scope: token.scope === 'all' ? undefined : token.scope,
  };
}

/** Caller info (spec section 2). @param defaultAccess of new drops */
export function presentCaller(
  accountId: string,
  token: Token,
  { account, dropCount }: { account: Account | null; dropCount: number },
  defaultAccess: Access,
  more: { readonly name?: string | undefined; readonly inbox?: InboxCounts | undefined } = {},
): Wire<typeof callerShape> {
  return {
    user_id: accountId,
    created_at: account?.createdAt ?? null,
    drop_count: dropCount,
    token: presentToken(token),
    default_access: defaultAccess === 'link' ? undefined : defaultAccess,
    name: more.name,
    inbox: more.inbox && { held: more.inbox.held, new: newsOf(more.inbox) },
  };
}
