import type { IncomingMessage, RequestListener } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { notFound } from '../shared/domain/errors.ts';
import type { Services } from '../shared/open-services.ts';
import { rawHandler } from './handlers/raw.ts';
import { HttpError, methodNotAllowed } from './http-error.ts';
import { answerError } from './middleware/errors.ts';
import { logRequest } from './middleware/request-log.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { createRoutes, type Route } from './routes.ts';

/** Everything the service answers: raw pages by the short way, all else through Express. */
export function createListener(services: Services): RequestListener {
  const raw = rawHandler(services);
  const app = createApp(services);
  return (req, res) => {
    toOriginForm(req);
    const rawAddress = raw.match(req);
    if (lacksHost(req)) answerError(noHost(), req, res, services.log);
    else if (rawAddress !== null) void raw.answer(req, res, rawAddress);
    else app(takenLiterally(req), res);
  };
}

function createApp(services: Services): Express {
  const { log, config } = services;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false); // nothing that Express answers is worth a hash a request
  app.set('strict routing', true);
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.set('trust proxy', readTrustProxy(config.TRUST_PROXY));

  app.use((req, res, next) => {
    logRequest(req, res, log, { describe: () => ({ from: req.ip, account: res.locals.accountId }) });
    next();
  });
  app.use(securityHeaders({ isSecure: config.BASE_URL.startsWith('https:') }));
  mount(app, createRoutes(services));
  app.use(() => {
    throw notFound('path');
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    answerError(error, req, res, log);
  });
  return app;
}

/** `GET http://host/path` means the same as `GET /path` (RFC 9112, section 3.2.2); the host decides nothing here. */
function toOriginForm(req: IncomingMessage): void {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(req.url ?? '');
  if (absolute !== null) req.url = (req.url ?? '').slice(absolute[0].length) || '/';
}

/** RFC 9112, section 3.2. Node would refuse it by itself, but without the envelope. */
function lacksHost(req: IncomingMessage): boolean {
  return req.headers.host === undefined && req.httpVersion !== '1.0';
}

function noHost(): HttpError {
  return new HttpError(400, 'invalid_arg', 'The request names no Host.', { header: 'Host' });
}

/**
 * None of our paths is ever percent-encoded, so a percent sign stands for itself: `%61bc` is not another way to
 * write `abc`, and what cannot be decoded is no error of its own.
 */
function takenLiterally(req: IncomingMessage): IncomingMessage {
  const [path = '', ...query] = (req.url ?? '').split(/(?=\?)/);
  if (path.includes('%')) req.url = path.replaceAll('%', '%25') + query.join('');
  return req;
}

/** Each route, and behind all routes of a path the refusal of every other method. */
function mount(app: Express, routes: readonly Route[]): void {
  const methods = new Map<string, string[]>();
  for (const [method, path, handler] of routes) {
    methods.set(path, [...(methods.get(path) ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])]);
    // A handler that rejects ends in the error middleware: Express 5 sees to that.
    const verb = method.toLowerCase() as Lowercase<typeof method>; // proof: the same letters
    app[verb](path, (req, res) => handler(req, res));
  }
  for (const [path, allowed] of methods) {
    app.all(path, (req) => {
      throw methodNotAllowed(req.method, allowed);
    });
  }
}

/** Hops as a number, addresses and ranges as they are; nobody by default. */
function readTrustProxy(setting: string): number | string[] | false {
  if (setting === '') return false;
  return /^\d+$/.test(setting) ? Number(setting) : setting.split(',').map((part) => part.trim());
}
