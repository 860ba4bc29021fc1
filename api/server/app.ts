import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { isHttps } from '../../shared/config/config.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { answerError } from '../http/answer-error.ts';
import { readTrustProxy } from '../http/client-address.ts';
import { methodNotAllowed } from '../http/http-error.ts';
import { readQuery } from '../http/parameters.ts';
import { logRequest, setRequestId } from '../http/request-log.ts';
import { forbidIndexing } from '../http/send.ts';
import { createRoutes, type Route } from '../routes.ts';
import type { HeldBytes } from './held-bytes.ts';

/** Everything but raw pages, which listener.ts answers without Express. */
export function createApp(services: Services, held: HeldBytes): Express {
  const { log, config } = services;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false); // a hash of each of these answers would cost more than a 304 saves
  app.set('strict routing', true);
  app.set('case sensitive routing', true);
  app.set('query parser', readQuery);
  app.set('trust proxy', readTrustProxy(config.TRUST_PROXY));

  app.use((req, res, next) => {
    setRequestId(res);
    forbidIndexing(res);
    logRequest(req, res, log, { describe: () => ({ from: req.ip, account: res.locals.accountId }) });
    next();
  });
  app.use(securityHeaders(isHttps(config)));
  mount(app, createRoutes(services, held).routes);
  app.use(() => {
    throw notFound('path');
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    answerError(error, req, res, log);
  });
  return app;
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
function mount(app: Express, routes: readonly Route[]): void {
  const methods = new Map<string, string[]>();
  for (const [method, path, handler] of routes) {
    methods.set(path, [...(methods.get(path) ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])]);
    const verb = method.toLowerCase() as Lowercase<typeof method>; // proof: the same letters
    // Express 5 passes a rejection of the handler to the error middleware.
    app[verb](path, (req, res) => handler(req, res));
  }
  for (const [path, allowed] of methods) {
    app.all(path, (req) => {
      throw methodNotAllowed(req.method, allowed);
    });
  }
}
