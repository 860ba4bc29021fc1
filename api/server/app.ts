import type { IncomingMessage, RequestListener } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { isHttps } from '../../shared/config/config.ts';
import { commonDomain, readContentOrigin } from '../../shared/config/content-origin.ts';
import { type DropError, notFound, unavailable } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import { answerError } from '../http/answer-error.ts';
import { createIpReader, readTrustProxy } from '../http/client-address.ts';
import { HttpError, methodNotAllowed } from '../http/http-error.ts';
import { readQuery } from '../http/parameters.ts';
import { giveId, logRequest } from '../http/request-log.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { forbidIndexing } from '../http/send.ts';
import { withoutSlash } from '../pages/public-page.ts';
import { rawHandler } from '../pages/raw.ts';
import { createRoutes, type Route } from '../routes.ts';
import { type ContentHost, createContentHosts } from './content-hosts.ts';
import { createDeadline } from './deadline.ts';
import { createHeldBytes, type HeldBytes } from './held-bytes.ts';
import { createUnreadAnswers, type UnreadAnswers } from './unread-answers.ts';

/** Browsers and proxies send some thirty. */
const maxHeaders = 200;

/** When a retry of what took too long is worth it. */
const lateRetrySeconds = 5;

/**
 * Everything the service answers: raw pages by the short way, all else through Express, and on the hosts of drops
 * (CONTENT_ORIGIN) their raw pages alone. What takes longer than ANSWER_MS is answered 503; the work goes on, and its
 * outcome is told to nobody.
 */
export function createListener(services: Services): RequestListener {
  const { config, log } = services;
  const held = createHeldBytes(config.BUFFERED_BYTES);
  const unread = createUnreadAnswers({
    seconds: config.READ_SECONDS,
    held,
    ipOf: createIpReader(readTrustProxy(config.TRUST_PROXY)),
    log,
  });
  const raw = rawHandler(services, unread);
  const app = createApp(services, held, unread);
  const contentHosts = createContentHosts(config.CONTENT_ORIGIN);
  warnOfOneSite(services);
  const watch = createDeadline(config.ANSWER_MS, (req, res) => {
    if (raw.match(req) === null) answerError(tooLate(), req, res, log);
    else raw.fail(req, res, tooLate(), contentHosts.find(req.headers.host));
  });
  return (req, res) => {
    watch(req, res);
    // Nothing else says which host is meant: no `X-Forwarded-Host`, and an absolute address must say the same.
    const host = contentHosts.find(req.headers.host);
    const named = toOriginForm(req);
    const rawAddress = raw.match(req);
    const slashless = rawAddress === null ? withoutSlash(req) : null;
    const hosts = countHosts(req);
    const fault = faultOf(req);
    if (fault !== null) raw.refuse(req, res, fault, host);
    else if (hosts === 0 && req.httpVersion !== '1.0') raw.refuse(req, res, noHost(), null);
    else if (hosts > 1 || (named !== null && !isSameHost(contentHosts.find(named), host)))
      raw.refuse(req, res, manyHosts(), host);
    else if (rawAddress !== null) void raw.answer(req, res, rawAddress, host);
    else if (slashless !== null && (host === null || slashless.isRaw))
      raw.redirect(req, res, slashless.location, host);
    else if (host !== null) raw.refuse(req, res, notFound('path'), host);
    else app(takenLiterally(req), res);
  };
}

function createApp(services: Services, held: HeldBytes, unread: UnreadAnswers): Express {
  const { log, config } = services;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false); // nothing that Express answers is worth a hash a request
  app.set('strict routing', true);
  app.set('case sensitive routing', true);
  app.set('query parser', readQuery);
  app.set('trust proxy', readTrustProxy(config.TRUST_PROXY));

  app.use((req, res, next) => {
    giveId(res);
    res.once('prefinish', () => {
      unread.watch(res, { bytes: res.locals.sharedBytes, account: res.locals.accountId });
    });
    forbidIndexing(res);
    logRequest(req, res, log, { describe: () => ({ from: req.ip, account: res.locals.accountId }) });
    next();
  });
  app.use(securityHeaders({ isSecure: isHttps(config) }));
  mount(app, createRoutes(services, held).routes);
  app.use(() => {
    throw notFound('path');
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    answerError(error, req, res, log);
  });
  return app;
}

/**
 * `GET http://host/path` means the same as `GET /path` (RFC 9112, section 3.2.2).
 * @returns the host that it names; null where it names none
 */
function toOriginForm(req: IncomingMessage): string | null {
  if (req.url?.startsWith('/')) return null;
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(req.url ?? '');
  if (absolute === null) return null;
  const [start, host = ''] = absolute;
  req.url = (req.url ?? '').slice(start.length) || '/';
  return host;
}

/** Which domains are public suffixes only the list of them says, so this is told and not refused. */
function warnOfOneSite({ config, log }: Services): void {
  const content = readContentOrigin(config.CONTENT_ORIGIN);
  const domain = content && commonDomain(content.domain, new URL(config.BASE_URL).hostname);
  if (domain === null) return;
  log.warn(
    { domain },
    'BASE_URL and CONTENT_ORIGIN are below one domain: unless it is a public suffix, drops can set cookies for the service. Take another domain for content',
  );
}

/** Of several, Node shows the first alone, and a cache before us may have gone by another. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

function isSameHost(one: ContentHost | null, other: ContentHost | null): boolean {
  return one?.label === other?.label; // undefined: ours
}

/** What is not taken whatever it asks for; null: nothing is wrong with it. */
function faultOf(req: IncomingMessage): HttpError | null {
  if (req.rawHeaders.length > 2 * maxHeaders) {
    const message = `A request has at most ${maxHeaders} headers.`;
    return new HttpError(431, 'invalid_arg', message, { max_headers: maxHeaders });
  }
  if (req.httpVersionMajor !== 1)
    return new HttpError(400, 'invalid_arg', 'Only HTTP/1.0 and HTTP/1.1 are spoken here.');
  const { expect } = req.headers;
  if (expect !== undefined && !/^\s*100-continue\s*$/i.test(expect)) {
    const message = 'The only expectation met is 100-continue.';
    return new HttpError(417, 'invalid_arg', message, { header: 'Expect' });
  }
  return null;
}

function tooLate(): DropError {
  return unavailable('This took too long. It may have been done all the same.', lateRetrySeconds);
}

/** RFC 9112, section 3.2. Node would refuse it by itself, but without the envelope. */
function noHost(): HttpError {
  return new HttpError(400, 'invalid_arg', 'The request names no Host.', { header: 'Host' });
}

function manyHosts(): HttpError {
  return new HttpError(400, 'invalid_arg', 'The request names more than one host.', { header: 'Host' });
}

/**
 * None of our paths is ever percent-encoded, so a percent sign stands for itself: `%61bc` is not another way to
 * write `abc`, and what cannot be decoded is no error of its own. The same goes for `#`, which no address that is sent
 * has, and for `\`, which Express would take for `/` beside it.
 */
function takenLiterally(req: IncomingMessage): IncomingMessage {
  const { url = '' } = req;
  if (url.startsWith('/') && !/[%#\\]/.test(url)) return req;
  const [path = ''] = url.split('?', 1);
  const query = url.slice(path.length).replaceAll('#', '%23');
  // `ftp://x/p/abc` is not `/p/abc`.
  req.url = (path.startsWith('/') ? '' : '/') + path.replace(/[%#\\]/g, encodeURIComponent) + query;
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
