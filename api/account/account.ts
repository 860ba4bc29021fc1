import { object, string } from 'yup';
import { tokenOf } from '../../shared/accounts/account.ts';
import type { Config } from '../../shared/config/config.ts';
import { requireScope } from '../../shared/credentials/scopes.ts';
import { type Scope, scopes, type Token, tokenIdPattern } from '../../shared/credentials/token.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { type ApiRequest, queryOf, readParam } from '../http/parameters.ts';
import { call, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendJson, sendNothing } from '../http/send.ts';
import { atMostCharacters, invalid, jsonObject, oneOfField, textField, validate } from '../http/validate.ts';
import { json, type Operation } from '../openapi/operation.ts';
import { queryParameters, toJsonSchema } from '../openapi/request-schema.ts';
import { list } from '../openapi/shape.ts';
import { callerQuery, callerShape, presentCaller, presentToken, readIncluded, tokenShape } from './caller.ts';
import { cursorOf, readCursor } from './token-cursor.ts';

const confirmRequired = invalid('confirm is required: the user_id of the account, as in GET /api/me');

/** More than an account may have now. */
const listedTokens = 1_000;

const badCursor = invalid('cursor must be from the Link header of an earlier answer', { field: 'cursor' });

const tokenQuery = object({
  cursor: string()
    .typeError(badCursor)
    .test({
      name: 'cursor',
      message: badCursor,
      test: (value) => value === undefined || readCursor(value) !== null,
    })
    .meta({ description: 'From `Link` of an earlier answer.' }),
});

/** So that no program deletes an account by a mistaken path or method. */
const removalQuery = object({
  confirm: string()
    .typeError(confirmRequired)
    .defined(confirmRequired)
    .meta({ description: 'The `user_id` of the account, as in `GET /api/me`.' }),
});

/** The token id of an API path. @throws DropError `invalid_arg` */
export function readTokenId(req: ApiRequest): string {
  return readParam(req, 'id', tokenIdPattern, 'A token id must be 12 characters of 0-9 and a-f');
}

export const sampleAccountId = '01a1000000000000000000000000beef';
const sampleToken: Token = {
  id: '0123456789ab',
  hash: '',
  accountId: sampleAccountId,
  label: 'my laptop',
  createdAt: 1795272214339,
  lastUsedAt: 1795272214339,
  expiresAt: null,
  scope: 'all',
};
const sampleCaller = presentCaller(sampleAccountId, sampleToken, { account: null, dropCount: 1 }, 'link');

const accountOperations = (config: Config) =>
  ({
    me: {
      id: 'readCaller',
      tag: 'Account',
      summary: 'Read your account',
      description:
        'The account and the token of this call. A bad token is `unauthorized` here, not `invalid_token`.',
      parameters: queryParameters(callerQuery),
      replies: [json('The caller.', callerShape, sampleCaller)],
      refusals: ['invalid_arg'],
    },
    remove: {
      id: 'deleteAccount',
      tag: 'Account',
      summary: 'Delete your account',
      description:
        'Deletes the account with all its drops, tokens and sessions, for good. A later sign-in with the same identity gets a new account, and continues its limits of this UTC day. A suspended account cannot be deleted.',
      parameters: queryParameters(removalQuery),
      replies: [
        { status: 204, description: 'The account is deleted; none of its drops is served any more.' },
      ],
      refusals: ['invalid_arg'],
    },
    listTokens: {
      id: 'listTokens',
      tag: 'Account',
      summary: 'List your tokens',
      description: `The records of the active tokens of the account, newest first, at most ${listedTokens}. \`Link\` leads to the next ones, if there are more.`,
      parameters: queryParameters(tokenQuery),
      replies: [
        json('The records of the tokens.', list(tokenShape), [presentToken(sampleToken)], {
          headers: ['Link'],
        }),
      ],
      refusals: ['invalid_arg'],
    },
    renameToken: {
      id: 'renameToken',
      tag: 'Account',
      summary: 'Rename a token',
      description: 'Changes the label of any token of the account.',
      body: { required: true, schema: toJsonSchema(renameBody(config)), example: { label: 'old laptop' } },
      replies: [json('The record of the token.', tokenShape, presentToken(sampleToken))],
    },
    revokeToken: {
      id: 'revokeToken',
      tag: 'Account',
      summary: 'Revoke a token',
      description: 'Revokes any token of the account, including the token of this call.',
      replies: [{ status: 204, description: 'The token is revoked.' }],
      refusals: ['forbidden'],
    },
  }) as const satisfies Record<string, Operation>;

/** Spec 4.3 */
export function accountRoutes({
  services: { accounts, tokens, inbox, config },
}: RouteParts): readonly Route[] {
  const docs = accountOperations(config);
  const readLabel = createLabelReader(config);

  return [
    call('GET', '/api/me', 'tokenCheck', docs.me, async (req, res, caller) => {
      const { include } = validate(callerQuery, queryOf(req), 'query');
      const asked = readIncluded(include) ?? [];
      const description = await accounts.describe(caller);
      const { account } = description;
      const more = {
        name: asked.includes('name') ? account?.identity.name : undefined,
        inbox: asked.includes('inbox') && account !== null ? await inbox.count(account) : undefined,
      };
      const defaultAccess = account?.defaultAccess ?? config.DEFAULT_ACCESS;
      sendJson(res, presentCaller(caller.accountId, tokenOf(caller), description, defaultAccess, more));
    }),

    call('DELETE', '/api/me', 'changeWithoutBody', docs.remove, async (req, res, caller) => {
      const { confirm } = validate(removalQuery, queryOf(req), 'query');
      if (confirm !== caller.accountId) {
        const message =
          'confirm must be the user_id of this account, as in GET /api/me: everything is deleted';
        throw new DropError('invalid_arg', message, { field: 'confirm' });
      }
      await accounts.remove(caller);
      sendNothing(res);
    }),

    call('GET', '/api/tokens', 'accountRead', docs.listTokens, async (req, res, caller) => {
      const { cursor } = validate(tokenQuery, queryOf(req), 'query');
      const page = await tokens.list(caller, listedTokens, readCursor(cursor));
      if (page.next !== null) {
        const address = `${config.BASE_URL}/api/tokens?cursor=${cursorOf(page.next)}`;
        res.setHeader('Link', `<${address}>; rel="next"`);
      }
      sendJson(res, page.tokens.map(presentToken));
    }),

    call(
      'PATCH',
      '/api/tokens/:id',
      'accountChange',
      docs.renameToken,
      async (req, res, caller, { json }) => {
        const id = readTokenId(req);
        sendJson(res, presentToken(await tokens.rename(caller, id, readLabel(json))));
      },
    ),

    call('DELETE', '/api/tokens/:id', 'changeEvenIfSuspended', docs.revokeToken, async (req, res, caller) => {
      const id = readTokenId(req);
      if (id !== tokenOf(caller).id) requireScope(caller, 'all', 'Revoke another token');
      await tokens.revoke(caller, id);
      sendNothing(res);
    }),
  ];
}

interface LabelLimit {
  readonly LABEL_MAX_CHARACTERS: number;
}

function labelSchema(limits: LabelLimit) {
  return textField('label')
    .meta({ description: 'A name for the token; null for none.', examples: ['my laptop'] })
    .nullable()
    .test(atMostCharacters('invalid_arg', 'label', limits.LABEL_MAX_CHARACTERS));
}

/** The body of PATCH /api/tokens/{id}. */
function renameBody(limits: LabelLimit) {
  const label = labelSchema(limits).defined(invalid('label is required: a string, or null for none'));
  return jsonObject({ label });
}

/** The body of POST /api/auth/start (spec 4.2). */
export function startBody(limits: LabelLimit) {
  const scope = oneOfField('scope', scopes).meta({
    description: '`publish`: no deletion, unlocking, wider access or account. Default: `all`.',
  });
  return jsonObject({ label: labelSchema(limits), scope });
}

/** @returns a function that reads the label from the body; null for none. It throws DropError `invalid_arg` */
export function createLabelReader(limits: LabelLimit) {
  const schema = renameBody(limits);
  return (body: unknown): string | null => validate(schema, body).label ?? null;
}

/** @returns a function that reads the body of POST /api/auth/start. It throws DropError `invalid_arg` */
export function createStartReader(limits: LabelLimit) {
  const schema = startBody(limits);
  return (body: unknown): { label: string | null; scope: Scope } => {
    const { label = null, scope = 'all' } = validate(schema, body);
    return { label, scope };
  };
}
