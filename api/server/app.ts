import type { IncomingMessage } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { isHttps } from '../../shared/config/config.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { assetsPath, manifestPath } from '../html/assets.ts';
import { Guard, type GuardedRoute } from '../http/access.ts';
import { answerError } from '../http/answer-error.ts';
import type { ReadBody } from '../http/body.ts';
import { createIpReader, readTrustProxy } from '../http/client-address.ts';
import { methodNotAllowed } from '../http/http-error.ts';
import { readQuery } from '../http/parameters.ts';
import { logRequest, setRequestId } from '../http/request-log.ts';
import { forbidIndexing, type ServiceResponse } from '../http/send.ts';
import { createRoutes, type PageAssets } from '../routes.ts';
import { createApiRouter } from './api-router.ts';

/** Answers everything but raw pages: what needs a token directly, the rest through Express. */
export function createApp(
  services: Services,
  readBody: ReadBody,
  pageAssets: PageAssets,
): (req: IncomingMessage, res: ServiceResponse) => void {
  const { log, config } = services;
  const guard = new Guard(services, readBody);
  const routes = createRoutes(services, readBody, pageAssets).routes.map((route) => guard.protect(route));
  const { layout } = pageAssets;
  const findApiRoute = createApiRouter(routes);
  const prepare = createPreparation(services);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false); // a hash of each of these answers would cost more than a 304 saves
  app.set('strict routing', true);
  app.set('case sensitive routing', true);
  app.set('query parser', readQuery);
  app.set('trust proxy', readTrustProxy(config.TRUST_PROXY));

  app.use(prepare);
  mount(app, routes);
  app.use(() => {
    throw notFound('path');
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    answerError(error, req, res, { log, layout });
  });

  return (req, res) => {
    const found = findApiRoute(req);
    if (found === null) {
      app(req, res);
      return;
    }
    const { route, params } = found;
    res.locals.counter = route.counter;
    prepare(req, res, () => {
      route
        .handler(Object.assign(req, { params }), res)
        .catch((error: unknown) => answerError(error, req, res, { log, layout }));
    });
  };
}

/** What happens before every handler: headers that all answers have, and the log line. */
function createPreparation({ log, config }: Services) {
  const ipOf = createIpReader(config.TRUST_PROXY);
  const protect = securityHeaders(isHttps(config));
  let isProxyKnown = config.TRUST_PROXY !== '';
  /** Once, because any client can send the header. */
  function warnOfProxy(req: IncomingMessage): void {
    if (req.headers['x-forwarded-for'] === undefined) return;
    isProxyKnown = true;
    log.warn(
      { from: ipOf(req) },
      'a request has X-Forwarded-For, and TRUST_PROXY is not set: if this address is a proxy, set TRUST_PROXY; until then all clients behind it share its limits',
    );
  }
  return (req: IncomingMessage, res: ServiceResponse, next: (error?: unknown) => void): void => {
    if (!isProxyKnown) warnOfProxy(req);
    setRequestId(res);
    forbidIndexing(res);
    const describe = () => {
      const { accountId, sessionId } = res.locals;
      return {
        from: ipOf(req),
        account: accountId,
        ...(sessionId !== undefined && { session: sessionId }),
      };
    };
    logRequest(req, res, log, { success: levelOfSuccess(req), describe });
    protect(req, res, next);
  };
}

/** What monitors and browsers ask for by themselves; besides these, the files of our pages. */
const routinePaths = new Set(['/healthz', '/readyz', '/favicon.ico', '/apple-touch-icon.png', manifestPath]);

/** null: open viewer pages ask every 20 s for the latest version. */
function levelOfSuccess({ url = '' }: IncomingMessage): 'debug' | 'info' | null {
  if (url.startsWith('/p/') && url.endsWith('/latest')) return null;
  return routinePaths.has(url) || url.startsWith(assetsPath) ? 'debug' : 'info';
}

/** A page that needs more replaces the Content-Security-Policy (html/layout.ts). */
function securityHeaders(isSecure: boolean) {
  const nothing = ["'none'"];
  return helmet({
    strictTransportSecurity: isSecure && { includeSubDomains: false }, // subdomains may belong to other services
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: nothing, baseUri: nothing, formAction: nothing, frameAncestors: nothing },
    },
    referrerPolicy: { policy: 'same-origin' },
    // Not sent: the first is not standard, and only obsolete browsers and plug-ins read the others.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}

/** Mounts each route, and after all routes of a path the refusal of every other method. */
function mount(app: Express, routes: readonly GuardedRoute[]): void {
  const methods = new Map<string, string[]>();
  for (const { method, path, handler, counter } of routes) {
    methods.set(path, [...(methods.get(path) ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])]);
    const verb = method.toLowerCase() as Lowercase<typeof method>; // proof: the same letters
    // Express 5 passes a rejection of the handler to the error middleware.
    app[verb](path, (req, res) => {
      res.locals.counter = counter;
      return handler(req, res);
    });
  }
  for (const [path, allowed] of methods) {
    app.all(path, (req) => {
      throw methodNotAllowed(req.method, allowed);
    });
  }
}
