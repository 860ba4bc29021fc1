import type { Request, Response } from 'express';
import type { Caller } from '../../shared/accounts/account.ts';
import type { Scope } from '../../shared/credentials/token.ts';
import type { IdempotentRequest } from '../../shared/idempotency/idempotency.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import type { Operation } from '../openapi/operation.ts';
import type { ApiRequest } from './parameters.ts';
import type { ServiceResponse } from './send.ts';

/**
 * Checks before the handler, in this order: token, its scope, limit, body; so that no large body is read in vain
 * (docs/decisions/limits.md).
 */
export type Policy = CallerPolicy | OpenPolicy;

interface CallerPolicy extends Checks {
  /** For a bad token `required` answers `invalid_token`, `checked` `unauthorized` (spec 7, GET /api/me). */
  readonly token: 'required' | 'checked';
  /** The narrowest that is enough. What depends on the body, or on the drop, is checked later, by `requireScope`. */
  readonly scope: Scope;
}

interface OpenPolicy extends Checks {
  readonly token?: undefined;
  readonly scope?: undefined;
}

interface Checks {
  readonly limit?: (typeof limitTable)['signInStart' | 'write' | 'change'];
  /** Absent: a body is ignored. */
  readonly body?: 'tiny' | 'small' | 'document';
  /** Whether the body may also be the document itself, as text/html. */
  readonly takesHtml?: true;
  /** Whether the request may have an Idempotency-Key, as each write may. */
  readonly takesKey?: true;
  /** Whether a suspended account may change something: it can always revoke a leaked token. */
  readonly allowsSuspended?: true;
}

const anyToken = { token: 'required', scope: 'publish' } as const;
const allToken = { token: 'required', scope: 'all' } as const;

export const policies = {
  open: {},
  signInStart: { limit: limitTable.signInStart, body: 'tiny' },
  withToken: { ...anyToken },
  tokenCheck: { ...anyToken, token: 'checked' },
  write: { ...anyToken, limit: limitTable.write, body: 'document', takesHtml: true },
  writeWithoutBody: { ...anyToken, limit: limitTable.write },
  smallChange: { ...anyToken, limit: limitTable.change, body: 'small' },
  keyedChange: { ...anyToken, limit: limitTable.change, body: 'small', takesKey: true },
  // A PATCH may contain a whole document by mistake, and is answered `metadata_only_on_patch`.
  documentChange: { ...anyToken, limit: limitTable.change, body: 'document' },
  // Each tool takes its limit, and says its scope, itself (mcp/server.ts).
  mcpCall: { ...anyToken, body: 'document' },
  // Of its own token alone, unless its scope is `all`.
  changeEvenIfSuspended: { ...anyToken, limit: limitTable.change, allowsSuspended: true },
  accountRead: { ...allToken },
  accountChange: { ...allToken, limit: limitTable.change, body: 'small' },
  changeWithoutBody: { ...allToken, limit: limitTable.change }, // all of these delete something
} as const satisfies Record<string, Policy>;

export type Access = keyof typeof policies;

/** The policies that take a token. */
export type TokenAccess = Exclude<Access, 'open' | 'signInStart'>;

/** Those that hand its caller to the handler. */
export type CallerAccess = Exclude<TokenAccess, 'mcpCall'>;

export type Handler = (req: Request, res: Response) => Promise<void> | void;

/** The handler of a route with a token. It needs nothing of Express (server/api-router.ts). */
export type ApiHandler = (req: ApiRequest, res: ServiceResponse) => Promise<void>;

export interface McpSession {
  readonly caller: Caller;
  /** Whether the request was counted as a write before its body was read, because of its size. */
  readonly isCounted: boolean;
  readonly res: ServiceResponse;
}

export type McpCall = (
  req: ApiRequest,
  res: ServiceResponse,
  session: McpSession,
  json: unknown,
) => Promise<void>;

/** What came with a request besides its head, as its policy allows. */
export interface Content {
  /** The JSON body; `{}` without one. */
  readonly json: unknown;
  /** The body that was sent as text/html: UTF-8, perhaps empty; null: it was not. */
  readonly html: Uint8Array | null;
  /** null: the request has no Idempotency-Key. */
  readonly idempotentRequest: IdempotentRequest | null;
}

export type CallerHandler = (
  req: ApiRequest,
  res: ServiceResponse,
  caller: Caller,
  content: Content,
) => Promise<void> | void;

/** A handler of a call without a token that takes JSON. */
export type JsonHandler = (req: Request, res: Response, json: unknown) => Promise<void> | void;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Guarded =
  | { readonly access: 'open'; readonly handler: Handler }
  | { readonly access: 'signInStart'; readonly handler: JsonHandler }
  | { readonly access: 'mcpCall'; readonly handler: McpCall }
  | { readonly access: CallerAccess; readonly handler: CallerHandler };

/** One method of one path. */
export type Route = Guarded & {
  readonly method: Method;
  /** As Express writes it: `/p/:slug`. */
  readonly path: string;
  /** What the published description (/openapi.json) says about it. Absent: it is not in the description. */
  readonly operation?: Operation;
};

/** A page or a file, which is not in the description. */
export function open(method: 'GET' | 'POST', path: string, handler: Handler): Route {
  return { method, path, access: 'open', handler };
}

export function openCall(method: Method, path: string, operation: Operation, handler: Handler): Route {
  return { method, path, access: 'open', operation, handler };
}

export function call(
  method: Method,
  path: string,
  access: CallerAccess,
  operation: Operation,
  handler: CallerHandler,
): Route {
  return { method, path, access, operation, handler };
}

/** Lets scripts of every origin read the answer (docs/decisions/requests.md, Programs in browsers). */
export function anyOrigin(handler: Handler): Handler {
  return (req, res) => {
    res.setHeader('Access-Control-Allow-Origin', '*');
    return handler(req, res);
  };
}
