import type { IncomingMessage } from 'node:http';
import { maxDropBodyBytes } from '../../shared/config/config.ts';
import type { Caller } from '../../shared/domain/account.ts';
import { DropError, suspended } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import type { RouteCounter } from '../../shared/ports/metrics.ts';
import type { HeldBytes } from '../server/held-bytes.ts';
import { challenge } from './answer-error.ts';
import { type BodyRules, createJsonReader, jsonType, noBytes } from './body.ts';
import { visitorOf } from './client-address.ts';
import { createDocumentReader, htmlType, isHtml } from './document-body.ts';
import { HttpError } from './http-error.ts';
import { hashRequest, readIdempotencyKey } from './idempotency-key.ts';
import type { ApiRequest } from './parameters.ts';
import {
  type Access,
  type ApiHandler,
  type CallerAccess,
  type CallerHandler,
  type Handler,
  type McpCall,
  type Policy,
  policies,
  type Route,
} from './route.ts';

/** A route whose handler lets a request pass the access policy first. */
export type GuardedRoute = Pick<Route, 'method' | 'path'> & {
  /** Undefined: nobody reads metrics. */
  readonly counter: RouteCounter | undefined;
} & (
    | { readonly isApi: true; readonly handler: ApiHandler }
    | { readonly isApi: false; readonly handler: Handler }
  );

const bodyBytes = { tiny: 8 * 1024, small: 256 * 1024 } as const;

/** @returns what puts the access policy of a route before its handler */
export function createGuard(services: Services, held: HeldBytes): (route: Route) => GuardedRoute {
  const { tokens, limits, idempotency, parser, metrics, config } = services;
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
    return async (req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      const caller = await authenticate(req);
      res.locals.accountId = caller.accountId; // for the log and the count of unread answers (server/listener.ts)
      await handler(req, res, caller);
    };
  }

  function limited(access: CallerAccess, handler: CallerHandler): ApiHandler {
    const policy: Policy = policies[access];
    const isWrite = policy.limit === 'writes_per_minute';
    const admit = (caller: Caller, key: string | null) =>
      isWrite ? idempotency.admit(caller, key) : limits.takeChange(caller);
    const rules = policy.body ? rulesFor(policy) : null;
    return authenticated(access, async (req, res, caller) => {
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

  function signInStart(handler: Handler): Handler {
    const rules = rulesFor(policies.signInStart);
    return async (req, res) => {
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
  }

  /**
   * For POST /mcp. A body that is larger than any call without a document counts as a write before it is read. It must
   * have a Content-Length, because a chunked body tells its size too late.
   */
  function mcpCall(handler: McpCall): ApiHandler {
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
    return async (req, res) => {
      // A browser on the same machine must not reach a service behind a firewall (DNS rebinding).
      if (isForeign(req)) throw foreignOrigin('MCP cannot be used', origin);
      await withToken(req, res);
    };
  }

  return (route) => {
    const { method, path } = route;
    const counter = metrics?.requests.route(method, path); // a HEAD counts as a GET
    const plain = { method, path, counter };
    switch (route.access) {
      case 'open':
        return { ...plain, isApi: false, handler: route.handler };
      case 'signInStart':
        return { ...plain, isApi: false, handler: signInStart(route.handler) };
      case 'mcpCall':
        return { ...plain, isApi: true, handler: mcpCall(route.handler) };
      case 'withToken':
      case 'tokenCheck':
        return { ...plain, isApi: true, handler: authenticated(route.access, route.handler) };
      default:
        return { ...plain, isApi: true, handler: limited(route.access, route.handler) };
    }
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
