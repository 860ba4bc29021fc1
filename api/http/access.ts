import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { maxDropBodyBytes } from '../../shared/config/config.ts';
import type { Caller } from '../../shared/domain/account.ts';
import { DropError, suspended } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { challenge } from './answer-error.ts';
import { type BodyRules, createJsonReader, jsonType, noBytes } from './body.ts';
import { visitorOf } from './client-address.ts';
import { createDocumentReader, htmlType, isHtml } from './document-body.ts';
import { HttpError } from './http-error.ts';
import { hashRequest, readIdempotencyKey } from './idempotency-key.ts';
import type { ApiRequest } from './parameters.ts';
import type { Answer } from './send.ts';

/**
 * What a request must pass before its handler runs, in this order: token, limit, body (docs/decisions.md, Order of
 * limits). So no large body is read for a client that may not send it. The API description lists what each policy implies.
 */
export interface Policy {
  /**
   * `required`: a bad token is answered `invalid_token`. `checked`: it is answered `unauthorized`, as spec 7 demands of
   * GET /api/me. Absent: no token is needed.
   */
  readonly token?: 'required' | 'checked';
  readonly limit?: 'sign_in_starts_per_minute' | 'writes_per_minute' | 'changes_per_minute';
  /** Absent: a body is ignored. */
  readonly body?: 'tiny' | 'small' | 'document';
  /** Whether the body may also be the document itself, as text/html. */
  readonly takesHtml?: true;
  /** Whether a suspended account may change something: it can always revoke a leaked token. */
  readonly allowsSuspended?: true;
}

export const policies = {
  open: {},
  signInStart: { limit: 'sign_in_starts_per_minute', body: 'tiny' },
  withToken: { token: 'required' },
  tokenCheck: { token: 'checked' },
  write: { token: 'required', limit: 'writes_per_minute', body: 'document', takesHtml: true },
  writeWithoutBody: { token: 'required', limit: 'writes_per_minute' },
  smallChange: { token: 'required', limit: 'changes_per_minute', body: 'small' },
  // A PATCH may contain a whole document by mistake, and is answered `metadata_only_on_patch`.
  documentChange: { token: 'required', limit: 'changes_per_minute', body: 'document' },
  changeWithoutBody: { token: 'required', limit: 'changes_per_minute' },
  // Each tool takes its limit itself (mcp/server.ts).
  mcpCall: { token: 'required', body: 'document' },
  changeEvenIfSuspended: { token: 'required', limit: 'changes_per_minute', allowsSuspended: true },
} as const satisfies Record<string, Policy>;

export type Access = keyof typeof policies;

export interface Handler {
  (req: Request, res: Response): Promise<void> | void;
  /** Absent: `open`. */
  readonly access?: Access;
}

/** Of a route with a token. It needs nothing of Express (server/api-router.ts). */
export interface ApiHandler {
  (req: ApiRequest, res: Answer): Promise<void>;
  readonly access: Access;
}

/** What one request of an MCP client may do. */
export interface McpSession {
  readonly caller: Caller;
  /** Whether the request was counted as a write before its body was read, because of its size. */
  readonly isCounted: boolean;
}

export type McpCall = (req: ApiRequest, res: Answer, session: McpSession) => Promise<void>;

type CallerHandler = (req: ApiRequest, res: Answer, caller: Caller) => Promise<void> | void;

export function isApiHandler(handler: Handler): handler is ApiHandler {
  const policy: Policy = policies[handler.access ?? 'open'];
  return policy.token !== undefined; // `authenticated` makes these
}

const bodyBytes = { tiny: 8 * 1024, small: 256 * 1024 } as const;

/** For each policy a function that wraps a handler, so that a request passes the policy first. */
export function createAccess(services: Services, held: HeldBytes) {
  const { tokens, limits, idempotency, parser, config } = services;
  const { origin } = new URL(config.BASE_URL);
  const readJson = createJsonReader({ parser, held });
  const readDocument = createDocumentReader(held);

  function rulesFor({ body = 'tiny', limit, takesHtml }: Policy): BodyRules {
    const maxBytes = body === 'document' ? maxDropBodyBytes(config) : bodyBytes[body];
    // Larger than any valid write: answered `html_too_large`, although html was not read (docs/decisions.md).
    const isWrite = limit === 'writes_per_minute';
    return {
      maxBytes,
      tooLarge: () => (isWrite ? htmlTooLarge(config.HTML_MAX_BYTES) : bodyTooLarge(maxBytes)),
      ...(takesHtml && { accepted: [jsonType, htmlType] }),
    };
  }

  /** Browsers add Origin to every POST; other programs send none. */
  function isForeign({ headers }: IncomingMessage): boolean {
    return headers.origin !== undefined && headers.origin !== origin;
  }

  function authenticated(access: Access, handler: CallerHandler): ApiHandler {
    const policy: Policy = policies[access];
    const authenticate = async (req: ApiRequest): Promise<Caller> => {
      try {
        return await tokens.authenticate(req.headers.authorization);
      } catch (error) {
        if (policy.token === 'checked' && error instanceof DropError && error.code === 'invalid_token')
          throw unauthorized(error);
        throw error;
      }
    };
    const guarded = async (req: ApiRequest, res: Answer): Promise<void> => {
      res.setHeader('Cache-Control', 'no-store');
      const caller = await authenticate(req);
      res.locals.accountId = caller.accountId; // for the log and the count of unread answers (server/listener.ts)
      await handler(req, res, caller);
    };
    return Object.assign(guarded, { access });
  }

  function limited(access: Access) {
    const policy: Policy = policies[access];
    const isWrite = policy.limit === 'writes_per_minute';
    const admit = (caller: Caller, key: string | null) =>
      isWrite ? idempotency.admit(caller, key) : limits.takeChange(caller);
    const rules = policy.body ? rulesFor(policy) : null;
    return (handler: CallerHandler): ApiHandler =>
      authenticated(access, async (req, res, caller) => {
        if (caller.isSuspended && !policy.allowsSuspended) throw suspended();
        const hadArrived = req.complete;
        const key = isWrite ? readIdempotencyKey(req) : null;
        await admit(caller, key);
        const proceed = async (bytes: Uint8Array) => {
          if (key !== null) req.keyed = { key, hash: await hashRequest(req, bytes) };
          // The token may have been revoked while the body arrived. Most small bodies arrive with the headers.
          if (rules !== null && !hadArrived) await caller.confirm();
          return handler(req, res, caller);
        };
        if (rules === null) return proceed(noBytes);
        if (policy.takesHtml && isHtml(req)) {
          const htmlRules = { ...rules, maxBytes: config.HTML_MAX_BYTES };
          return readDocument(req, caller.accountId, htmlRules, (html) => {
            req.document = html;
            return proceed(html);
          });
        }
        return readJson(req, caller.accountId, rules, (body, bytes) => {
          req.body = body;
          return proceed(bytes);
        });
      });
  }

  return {
    signInStart(handler: Handler): Handler {
      const rules = rulesFor(policies.signInStart);
      const guarded = async (req: Request, res: Response): Promise<void> => {
        res.setHeader('Cache-Control', 'no-store');
        // Checked before the limit, so that a web page cannot use up the sign-ins of its reader's address.
        if (isForeign(req)) throw foreignOrigin('A sign-in cannot be started', origin);
        const visitor = visitorOf(req.ip);
        await limits.takeSignInStart(visitor);
        await readJson(req, visitor.network, rules, (body) => {
          req.body = body;
          return handler(req, res);
        });
      };
      return Object.assign(guarded, { access: 'signInStart' as const });
    },

    /**
     * For POST /mcp. A body that is larger than any call without a document counts as a write before it is read. It must
     * have a Content-Length, because a chunked body tells its size too late.
     */
    mcpCall(handler: McpCall): ApiHandler {
      const document = rulesFor(policies.mcpCall);
      const small = { ...rulesFor({ body: 'small' }), tooLarge: () => lengthRequired(bodyBytes.small) };
      const withToken = authenticated('mcpCall', async (req, res, caller) => {
        const hadArrived = req.complete;
        const isCounted = Number(req.headers['content-length'] ?? 0) > small.maxBytes;
        if (isCounted && caller.isSuspended) throw suspended();
        if (isCounted) await limits.takeWrite(caller);
        await readJson(req, caller.accountId, isCounted ? document : small, async (body) => {
          req.body = body;
          // The token may have been revoked, or the account suspended, while the body arrived: tools that read must know, too.
          const now = hadArrived ? caller : await tokens.authenticate(req.headers.authorization);
          await handler(req, res, { caller: now, isCounted });
        });
      });
      const guarded = async (req: ApiRequest, res: Answer): Promise<void> => {
        // A browser on the same machine must not reach a service behind a firewall (DNS rebinding).
        if (isForeign(req)) throw foreignOrigin('MCP cannot be used', origin);
        await withToken(req, res);
      };
      return Object.assign(guarded, { access: 'mcpCall' as const });
    },

    withToken: (handler: CallerHandler) => authenticated('withToken', handler),
    tokenCheck: (handler: CallerHandler) => authenticated('tokenCheck', handler),
    write: limited('write'),
    writeWithoutBody: limited('writeWithoutBody'),
    smallChange: limited('smallChange'),
    documentChange: limited('documentChange'),
    changeWithoutBody: limited('changeWithoutBody'),
    changeEvenIfSuspended: limited('changeEvenIfSuspended'),
  };
}

function unauthorized({ message }: DropError): HttpError {
  const headers = { 'WWW-Authenticate': challenge('invalid_token') };
  return new HttpError(401, 'unauthorized', message, undefined, headers);
}

function foreignOrigin(what: string, origin: string): DropError {
  return new DropError('forbidden', `${what} from a web page: Origin must be absent or ${origin}`);
}

export function htmlTooLarge(maxBytes: number): DropError {
  const message = `html must be at most ${maxBytes} bytes`;
  return new DropError('html_too_large', message, { field: 'html', max_bytes: maxBytes });
}

function lengthRequired(maxBytes: number): DropError {
  const message = `A request body of more than ${maxBytes} bytes must have a Content-Length`;
  return new HttpError(411, 'invalid_arg', message, { header: 'Content-Length', max_bytes: maxBytes });
}

function bodyTooLarge(maxBytes: number): DropError {
  const message = `The request body must be at most ${maxBytes} bytes`;
  return new HttpError(413, 'invalid_arg', message, { field: 'body', max_bytes: maxBytes });
}
