import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../shared/accounts/account.ts';
import { requireScope } from '../../shared/credentials/scopes.ts';
import { DropError, suspended } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import type { RouteCounter } from '../../shared/metrics/metrics.ts';
import { challenge } from './answer-error.ts';
import { type ReadBody, readJson, refuseIllFormed } from './body.ts';
import { visitorOf } from './client-address.ts';
import { type BodyParts, bodyBytes, bodyRules, contentReader } from './content.ts';
import { HttpError } from './http-error.ts';
import { hashRequest, readIdempotencyKey } from './idempotency-key.ts';
import { createIgnoredFinder } from './ignored.ts';
import type { ApiRequest } from './parameters.ts';
import {
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
  type TokenAccess,
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

const noContent: Content = { json: {}, html: null, idempotentRequest: null };

/** Puts the access policy of a route before its handler. */
export class Guard {
  readonly #services: Services;
  readonly #bodies: BodyParts;
  /** Of our own pages. */
  readonly #origin: string;

  constructor(services: Services, readBody: ReadBody) {
    this.#services = services;
    this.#bodies = { readBody, parseJson: services.parseJson };
    this.#origin = new URL(services.config.BASE_URL).origin;
  }

  protect(route: Route): GuardedRoute {
    const { method, path } = route;
    const counter = this.#services.metrics?.requests.route(method, path); // a HEAD counts as a GET
    const plain = { method, path, counter };
    const warn = warnerOf(route);
    switch (route.access) {
      case 'open': {
        const handler: Handler = (req, res) => {
          warn(req, res, {});
          return route.handler(req, res);
        };
        return { ...plain, needsToken: false, handler };
      }
      case 'signInStart': {
        const handler = this.#signInStart((req, res, json) => {
          warn(req, res, json);
          return route.handler(req, res, json);
        });
        return { ...plain, needsToken: false, handler };
      }
      case 'mcpCall':
        return { ...plain, needsToken: true, handler: this.#mcpCall(route.handler) };
      default: {
        const handler = this.#withCaller(route.access, whatOf(route), (req, res, caller, content) => {
          warn(req, res, content.json);
          return route.handler(req, res, caller, content);
        });
        return { ...plain, needsToken: true, handler };
      }
    }
  }

  /** @param what the call does, as in `Delete a drop` */
  #withCaller(access: CallerAccess, what: string, handler: CallerHandler): ApiHandler {
    const { limit }: Policy = policies[access];
    return limit === undefined
      ? this.#authenticated(access, what, handler)
      : this.#limited(access, what, handler);
  }

  #authenticated(access: TokenAccess, what: string, handler: CallerHandler): ApiHandler {
    const { scope } = policies[access];
    return async (req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      const caller = await this.#authenticate(req, policies[access]);
      res.locals.accountId = caller.accountId; // for the log and the count of unread answers (server/listener.ts)
      requireScope(caller, scope, what);
      await handler(req, res, caller, noContent);
    };
  }

  async #authenticate(req: ApiRequest, policy: Policy): Promise<Caller> {
    try {
      return await this.#services.tokens.authenticate(req.headers.authorization);
    } catch (error) {
      if (policy.token === 'checked' && error instanceof DropError && error.code === 'invalid_token')
        throw unauthorized(error);
      throw error;
    }
  }

  #limited(access: CallerAccess, what: string, handler: CallerHandler): ApiHandler {
    const { limits, idempotency, config } = this.#services;
    const policy: Policy = policies[access];
    const isWrite = policy.limit === limitTable.write;
    const readContent = contentReader(policy, this.#bodies, config);
    return this.#authenticated(access, what, async (req, res, caller) => {
      if (caller.isSuspended && !policy.allowsSuspended) throw suspended();
      const hadArrived = req.complete;
      const key = isWrite || policy.takesKey ? readIdempotencyKey(req) : null;
      if (isWrite) await idempotency.admit(caller, key);
      else await limits.take(limitTable.change, caller.countsAs);
      await readContent(req, caller.accountId, async (body, bytes) => {
        const idempotentRequest = key === null ? null : { key, hash: await hashRequest(req, bytes) };
        // The token may have been revoked while the body arrived.
        if (policy.body !== undefined && !hadArrived) await caller.confirm();
        await handler(req, res, caller, { ...body, idempotentRequest });
      });
    });
  }

  #signInStart(handler: JsonHandler): Handler {
    const { limits, config } = this.#services;
    const rules = bodyRules(policies.signInStart, config);
    return async (req, res) => {
      res.setHeader('Cache-Control', 'no-store');
      // Checked before the limit, so that a web page cannot use up the sign-ins of its reader's address.
      if (this.#isForeign(req)) throw foreignOrigin('A sign-in cannot be started', this.#origin);
      const visitor = visitorOf(req.ip);
      await limits.take(limitTable.signInStart, visitor.network);
      await readJson(this.#bodies, req, visitor.network, rules, ({ value, illFormed }) => {
        refuseIllFormed(illFormed);
        return handler(req, res, value);
      });
    };
  }

  /** A body that must contain a document counts as a write before it is read, so it needs a Content-Length. */
  #mcpCall(handler: McpCall): ApiHandler {
    const { tokens, limits, config } = this.#services;
    const document = bodyRules(policies.mcpCall, config);
    const small = {
      ...bodyRules({ body: 'small' }, config),
      tooLarge: () => lengthRequired(bodyBytes.small),
    };
    const withToken = this.#authenticated('mcpCall', 'Use MCP', async (req, res, caller) => {
      const hadArrived = req.complete;
      const isCounted = Number(req.headers['content-length'] ?? 0) > small.maxBytes;
      if (isCounted && caller.isSuspended) throw suspended();
      if (isCounted) await limits.take(limitTable.write, caller.countsAs);
      const rules = isCounted ? document : small;
      await readJson(this.#bodies, req, caller.accountId, rules, async ({ value }) => {
        // The token may have been revoked, or the account suspended, while the body arrived: tools that read must know, too.
        const now = hadArrived ? caller : await tokens.authenticate(req.headers.authorization);
        await handler(req, res, { caller: now, isCounted, res }, value);
      });
    });
    return async (req, res) => {
      // A browser on the same machine must not reach a service behind a firewall (DNS rebinding).
      if (this.#isForeign(req)) throw foreignOrigin('MCP cannot be used', this.#origin);
      await withToken(req, res);
    };
  }

  /** Browsers add Origin to every POST; other programs send none. */
  #isForeign({ headers }: IncomingMessage): boolean {
    return headers.origin !== undefined && headers.origin !== this.#origin;
  }
}

type Warn = (req: IncomingMessage, res: Pick<ServiceResponse, 'locals'>, json: unknown) => void;

/** For the error of a token that may not make the call. */
function whatOf({ operation, method, path }: Route): string {
  return operation?.summary ?? `${method} ${path}`;
}

/** @returns what notes the fields and parameters of a request that the operation does not have */
function warnerOf({ operation }: Route): Warn {
  const findIgnored = operation === undefined ? () => [] : createIgnoredFinder(operation);
  return (req, { locals }, json) => {
    locals.warnings = findIgnored(req, json);
  };
}

function unauthorized({ message }: DropError): HttpError {
  const headers = { 'WWW-Authenticate': challenge('invalid_token') };
  return new HttpError(401, 'unauthorized', message, undefined, headers);
}

function foreignOrigin(what: string, origin: string): DropError {
  return new DropError('forbidden', `${what} from a web page: Origin must be absent or ${origin}`);
}

function lengthRequired(maxBytes: number): DropError {
  const message = `A request body of more than ${maxBytes} bytes must have a Content-Length`;
  return new HttpError(411, 'invalid_arg', message, { header: 'Content-Length', max_bytes: maxBytes });
}
