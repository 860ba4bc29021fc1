import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type DropError, notFound, unavailable } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { loadAssets } from '../html/assets.ts';
import { createLayout } from '../html/layout.ts';
import { answerError } from '../http/answer-error.ts';
import { createBodyReader } from '../http/body.ts';
import { createIpReader, networkKey } from '../http/client-address.ts';
import { createCompression } from '../http/compression.ts';
import { HttpError } from '../http/http-error.ts';
import { MemoryBudget } from '../http/memory-budget.ts';
import { servicePaths } from '../http/paths.ts';
import { pathOf } from '../http/request-log.ts';
import type { ServiceResponse } from '../http/send.ts';
import { ContentHosts } from '../pages/content-hosts.ts';
import { readAddress, withoutSlash } from '../pages/public-page.ts';
import { RawPages } from '../pages/raw.ts';
import { createApp } from './app.ts';
import { isUnread } from './connections.ts';
import { createRequestCount } from './request-count.ts';

/** Browsers and proxies send about thirty. */
const maxHeaders = 200;

const lateRetrySeconds = 5;

/**
 * Raw pages directly, all else by app.ts; content hosts have raw pages only. After ANSWER_MS: 503, and the work continues.
 */
export function createListener(services: Services): RequestListener {
  const { config, log } = services;
  const budget = new MemoryBudget(config.BUFFERED_BYTES);
  const assets = loadAssets();
  const layout = createLayout({ assets, config });
  const raw = new RawPages(services, layout, assets);
  const app = createApp(services, createBodyReader(budget), { assets, layout });
  const contentHosts = ContentHosts.from(config.CONTENT_ORIGIN);
  const chooseCompression = createCompression();
  const hostOf = (name: string | undefined) => contentHosts?.find(name) ?? null;
  const watchUnread = createUnreadWatch(services, budget);
  const count = services.metrics && createRequestCount(services.metrics);
  const answerLate = (req: IncomingMessage, res: ServerResponse) => {
    if (readAddress(req)?.isRaw) raw.fail(req, res, tooLate(), hostOf(req.headers.host));
    else answerError(tooLate(), req, res, { log, layout });
  };
  return (req, res) => {
    const startedAt = performance.now();
    // X-Forwarded-Host is ignored. The host of an absolute URL must belong to the same drop as Host, or both to none.
    const host = hostOf(req.headers.host);
    const named = removeHostFromUrl(req);
    const address = readAddress(req);
    const fault = faultOf(req) ?? hostFaultOf(req, named !== null && hostOf(named)?.label !== host?.label);
    const body = fault === null && address?.isRaw ? raw.answerNow(req, res, { address, host }) : null;
    if (body !== null) {
      count?.answeredNow(res, startedAt);
      watchUnread(res, { sharedBytes: body.bytes });
      return;
    }
    const answer: ServiceResponse = Object.assign(res, { locals: { chooseCompression } });
    count?.watch(answer, startedAt, address);
    watchDeadline(req, answer, config, () => answerLate(req, answer));
    answer.once('prefinish', () => watchUnread(answer, answer.locals));
    const slashless = address === null ? withoutSlash(req) : null;
    if (fault !== null) raw.refuse(req, answer, fault, host);
    else if (address?.isRaw) void raw.answer(req, answer, { address, host });
    else if (slashless !== null && (host === null || slashless.isRaw))
      raw.redirect(req, answer, slashless, host);
    else if (host !== null) raw.refuse(req, answer, notFound('path'), host);
    else app(withLiteralPath(withMcpPath(req)), answer);
  };
}

/**
 * Calls `onLate` after ANSWER_MS without an answer, from arrival or the end of the body, for which `requestTimeout` holds.
 */
function watchDeadline(
  req: IncomingMessage,
  res: ServiceResponse,
  config: Services['config'],
  onLate: () => void,
): void {
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if ((res.locals.waitsUntil ?? 0) > performance.now()) return start();
      const isReading = !req.complete && req.readableFlowing;
      if (!res.headersSent && !isReading) onLate();
    }, config.ANSWER_MS);
  };
  start();
  req.once('end', start);
  res.once('close', () => {
    req.off('end', start);
    clearTimeout(timer);
  });
}

/** Counts an answer that its client does not read, and cuts it off after READ_SECONDS without progress. */
function createUnreadWatch({ config, log }: Services, budget: MemoryBudget) {
  const ipOf = createIpReader(config.TRUST_PROXY);
  return (res: ServerResponse, { accountId, sharedBytes: memory }: ServiceResponse['locals']): void => {
    if (!isUnread(res)) return;
    const ip = ipOf(res.req);
    const cutOff = () => {
      log.info({ path: pathOf(res.req), from: ip }, 'an answer was cut off: the client does not read it');
      res.destroy();
    };
    res.setTimeout(config.READ_SECONDS * 1000, cutOff);
    const reserved = budget.reserve(accountId ?? networkKey(ip), {
      bytes: memory?.byteLength ?? res.socket?.writableLength ?? 0,
      memory,
      evict: cutOff,
    });
    res.once('close', reserved.release);
  };
}

/** Changes `GET http://host/path` to `GET /path` (RFC 9112, section 3.2.2). @returns the host in the URL; null without one */
function removeHostFromUrl(req: IncomingMessage): string | null {
  if (req.url?.startsWith('/')) return null;
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(req.url ?? '');
  if (absolute === null) return null;
  const [start, host = ''] = absolute;
  req.url = (req.url ?? '').slice(start.length) || '/';
  return host;
}

/** The reason to refuse a request whatever it asks for. */
function faultOf(req: IncomingMessage): HttpError | null {
  const headers = req.rawHeaders.length / 2;
  if (headers > maxHeaders) {
    const message = `A request must have at most ${maxHeaders} headers (got ${headers})`;
    return new HttpError(431, 'invalid_arg', message, { max_headers: maxHeaders });
  }
  if (req.httpVersionMajor !== 1)
    return new HttpError(400, 'invalid_arg', 'Only HTTP/1.0 and HTTP/1.1 are supported');
  const { expect } = req.headers;
  if (expect === undefined || /^\s*100-continue\s*$/i.test(expect)) return null;
  const message = 'Unsupported Expect header: only 100-continue is supported';
  return new HttpError(417, 'invalid_arg', message, { header: 'Expect' });
}

/** RFC 9112, section 3.2. Node's own refusal would lack the error envelope. */
function hostFaultOf(
  { httpVersion, rawHeaders }: IncomingMessage,
  namesOtherHost: boolean,
): HttpError | null {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count === 1 && !namesOtherHost) return null;
  if (count === 0 && httpVersion === '1.0') return null;
  const message = count === 0 ? 'The Host header is missing' : 'The request names more than one host';
  return new HttpError(400, 'invalid_arg', message, { header: 'Host' });
}

function tooLate(): DropError {
  return unavailable(
    'Timed out; the operation may still complete. If it had an Idempotency-Key, a repeat with the same key finds it and does it once.',
    lateRetrySeconds,
  );
}

/** `/mcp/` is `/mcp` for everything that follows. No redirect: clients repeat a POST without its body. */
function withMcpPath(req: IncomingMessage): IncomingMessage {
  const { url = '' } = req;
  const slashed = `${servicePaths.mcp}/`;
  if (url === slashed || url.startsWith(`${slashed}?`))
    req.url = servicePaths.mcp + url.slice(slashed.length);
  return req;
}

/** Escapes `%`, `#`, `\` in the path and `#` in the query: Express must not decode or cut them. `%61bc` is not `abc`. */
function withLiteralPath(req: IncomingMessage): IncomingMessage {
  const { url = '' } = req;
  if (url.startsWith('/') && !/[%#\\]/.test(url)) return req;
  const [path = ''] = url.split('?', 1);
  const query = url.slice(path.length).replaceAll('#', '%23');
  // `ftp://x/p/abc` is not `/p/abc`.
  req.url = (path.startsWith('/') ? '' : '/') + path.replace(/[%#\\]/g, encodeURIComponent) + query;
  return req;
}
