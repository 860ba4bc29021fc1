import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../shared/accounts/account.ts';
import { maxDropBodyBytes } from '../../shared/config/config.ts';
import { DropError, suspended } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import type { RouteCounter } from '../../shared/metrics/metrics.ts';
import { challenge } from './answer-error.ts';
import {
  type BodyRules,
  checkUtf8,
  htmlBody,
  jsonBody,
  mediaTypeOf,
  type ReadBody,
  readJson,
  refuseIllFormed,
} from './body.ts';
import { visitorOf } from './client-address.ts';
import { HttpError } from './http-error.ts';
import { hashRequest, readIdempotencyKey } from './idempotency-key.ts';
import { createIgnoredFinder } from './ignored.ts';
import type { ApiRequest } from './parameters.ts';
import {
  type Access,
  type ApiHandler,
  type CallerAccess,
  type CallerHandler,
  type Content,
  type Handler,
  type JsonHandler,
  type McpCall,
  type Policy,
  policies,
  type Route,
} from './route.ts';
import type { ServiceResponse } from './send.ts';

/** A route whose handler lets a request pass the access policy first. */
export type GuardedRoute = Pick<Route, 'method' | 'path'> & {
  /** Undefined: nobody reads metrics. */
  readonly counter: RouteCounter | undefined;
} & (
    | { readonly needsToken: true; readonly handler: ApiHandler }
    | { readonly needsToken: false; readonly handler: Handler }
  );

const noBytes = new Uint8Array(0);
const noContent: Content = { json: {}, html: null, idempotentRequest: null };

const bodyBytes = { tiny: 8 * 1024, small: 256 * 1024 } as const;

/** @returns what puts the access policy of a route before its handler */
export function createGuard(services: Services, readBody: ReadBody): (route: Route) => GuardedRoute {
  const { tokens, limits, idempotency, parseJson, metrics, config } = services;
  const { origin } = new URL(config.BASE_URL);
  const bodies = { readBody, parseJson };

  function rulesFor({ body = 'tiny', limit, takesHtml }: Policy): BodyRules {
    const maxBytes = body === 'document' ? maxDropBodyBytes(config) : bodyBytes[body];
    // Larger than any valid write: answered `html_too_large`, although html was not read (docs/decisions/requests.md).
    const isWrite = limit === limitTable.write;
    const tooLarge = () => (isWrite ? htmlTooLarge(config.HTML_MAX_BYTES) : bodyTooLarge(maxBytes));
    const accepted = takesHtml ? [...jsonBody.accepted, ...htmlBody.accepted] : jsonBody.accepted;
    return { ...jsonBody, accepted, maxBytes, tooLarge };
  }

  type Use = (body: Pick<Content, 'json' | 'html'>, bytes: Uint8Array) => Promise<void>;

  function contentReader(policy: Policy): (req: ApiRequest, client: string, use: Use) => Promise<void> {
    if (policy.body === undefined) return (_req, _client, use) => use({ json: {}, html: null }, noBytes);
    const rules = rulesFor(policy);
    const htmlRules = { ...rules, types: htmlBody.types, maxBytes: config.HTML_MAX_BYTES };
    return (req, client, use) => {
      if (!policy.takesHtml || !htmlBody.types.test(mediaTypeOf(req)))
        return readJson(bodies, req, client, rules, (json, bytes) => {
          refuseIllFormed(json.illFormed);
          return use({ json: json.value, html: null }, bytes);
        });
      return readBody(req, client, htmlRules, (html) => {
        checkUtf8(html);
        return use({ json: {}, html }, html);
      });
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
      await handler(req, res, caller, noContent);
    };
  }

  function limited(access: CallerAccess, handler: CallerHandler): ApiHandler {
    const policy: Policy = policies[access];
    const isWrite = policy.limit === limitTable.write;
    const readContent = contentReader(policy);
    return authenticated(access, async (req, res, caller) => {
      if (caller.isSuspended && !policy.allowsSuspended) throw suspended();
      const hadArrived = req.complete;
      const key = isWrite || policy.takesKey ? readIdempotencyKey(req) : null;
      await (isWrite ? idempotency.admit(caller, key) : limits.take(limitTable.change, caller.countsAs));
      await readContent(req, caller.accountId, async (body, bytes) => {
        const idempotentRequest = key === null ? null : { key, hash: await hashRequest(req, bytes) };
        // The token may have been revoked while the body arrived.
        if (policy.body !== undefined && !hadArrived) await caller.confirm();
        await handler(req, res, caller, { ...body, idempotentRequest });
      });
    });
  }

  function signInStart(handler: JsonHandler): Handler {
    const rules = rulesFor(policies.signInStart);
    return async (req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      // Checked before the limit, so that a web page cannot use up the sign-ins of its reader's address.
      if (isForeign(req)) throw foreignOrigin('A sign-in cannot be started', origin);
      const visitor = visitorOf(req.ip);
      await limits.take(limitTable.signInStart, visitor.network);
      await readJson(bodies, req, visitor.network, rules, ({ value, illFormed }) => {
        refuseIllFormed(illFormed);
        return handler(req, res, value);
      });
    };
  }

  /** A body that must contain a document counts as a write before it is read, so it needs a Content-Length. */
  function mcpCall(handler: McpCall): ApiHandler {
    const document = rulesFor(policies.mcpCall);
    const small = { ...rulesFor({ body: 'small' }), tooLarge: () => lengthRequired(bodyBytes.small) };
    const withToken = authenticated('mcpCall', async (req, res, caller) => {
      const hadArrived = req.complete;
      const isCounted = Number(req.headers['content-length'] ?? 0) > small.maxBytes;
      if (isCounted && caller.isSuspended) throw suspended();
      if (isCounted) await limits.take(limitTable.write, caller.countsAs);
      await readJson(bodies, req, caller.accountId, isCounted ? document : small, async ({ value }) => {
        // The token may have been revoked, or the account suspended, while the body arrived: tools that read must know, too.
        const now = hadArrived ? caller : await tokens.authenticate(req.headers.authorization);
        await handler(req, res, { caller: now, isCounted, res }, value);
      });
    });
    return async (req, res) => {
      // A browser on the same machine must not reach a service behind a firewall (DNS rebinding).
      if (isForeign(req)) throw foreignOrigin('MCP cannot be used', origin);
      await withToken(req, res);
    };
  }

  return (route) => {
    const { method, path, operation } = route;
    const counter = metrics?.requests.route(method, path); // a HEAD counts as a GET
    const plain = { method, path, counter };
    const findIgnored = operation === undefined ? () => [] : createIgnoredFinder(operation);
    function warn(req: IncomingMessage, { locals }: Pick<ServiceResponse, 'locals'>, json: unknown): void {
      locals.warnings = findIgnored(req, json);
    }
    if (route.access === 'open') {
      const handler: Handler = (req, res) => {
        warn(req, res, {});
        return route.handler(req, res);
      };
      return { ...plain, needsToken: false, handler };
    }
    if (route.access === 'signInStart') {
      const handler = signInStart((req, res, json) => {
        warn(req, res, json);
        return route.handler(req, res, json);
      });
      return { ...plain, needsToken: false, handler };
    }
    if (route.access === 'mcpCall') return { ...plain, needsToken: true, handler: mcpCall(route.handler) };
    const { access } = route;
    const isRead = access === 'withToken' || access === 'tokenCheck';
    const handler = (isRead ? authenticated : limited)(access, (req, res, caller, content) => {
      warn(req, res, content.json);
      return route.handler(req, res, caller, content);
    });
    return { ...plain, needsToken: true, handler };
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
