import type { IncomingMessage, ServerResponse } from 'node:http';
import { edgeSeconds } from '../../shared/config/config.ts';
import { edgeTag, type Page, type ShownPage } from '../../shared/domain/drop.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import type { ContentEncoding } from '../../shared/ports/render-store.ts';
import type { Body, BodyFacts } from '../../shared/services/page-bodies.ts';
import { answerError } from '../http/answer-error.ts';
import { createEncodingNegotiator, isFresh } from '../http/content-encoding.ts';
import { HttpError, methodNotAllowed } from '../http/http-error.ts';
import { pageUrl } from '../http/paths.ts';
import { logRequest, setRequestId } from '../http/request-log.ts';
import { type Answer, forbidIndexing } from '../http/send.ts';
import type { ContentHost } from '../server/content-hosts.ts';
import {
  isGetByPerson,
  isUnlocked,
  type PublicAddress,
  readSlugAndVersion,
  refuseTakenDown,
} from './public-page.ts';
import { createRawHeaders } from './raw-headers.ts';

interface Opened {
  readonly page: ShownPage;
  /** false: the database is down and the page is from memory (services/page-lookup.ts). */
  readonly isConfirmed: boolean;
}

/** An address, and the host that the request names; null for the service's own. */
interface Target {
  readonly address: PublicAddress;
  readonly host: ContentHost | null;
}

export interface RawHandler {
  /** Answers a request for a raw page, errors included. @param host null for the service's own */
  answer(req: IncomingMessage, res: Answer, address: PublicAddress, host: ContentHost | null): Promise<void>;
  /** Answers 308 with `no-store`. @param location a path on this host */
  redirect(req: IncomingMessage, res: ServerResponse, location: string, host: ContentHost | null): void;
  /** Logs the request and answers it with the error, under the sandbox. */
  refuse(req: IncomingMessage, res: ServerResponse, error: Error, host: ContentHost | null): void;
  /** Answers with the error, unless the request is already answered. */
  fail(req: IncomingMessage, res: ServerResponse, error: unknown, host: ContentHost | null): void;
}

/**
 * GET /p/{slug}/raw (spec 4.5) is requested most, so it runs on plain node:http objects without middleware. Every
 * answer, refusals included, carries the sandbox that protects others from the page.
 */
export function createRawHandler(services: Services): RawHandler {
  const { pages, passcodes, views, log, config } = services;
  const replyHeaders = createRawHeaders(config, edgeSeconds(config));
  const negotiateEncoding = createEncodingNegotiator();

  /** Looks up the page. @throws DropError if it is not shown to this request */
  async function open(
    req: IncomingMessage,
    { address, host }: Target,
    encoding: ContentEncoding,
  ): Promise<Opened> {
    const { page, isConfirmed } = await pages.findRaw(...readSlugAndVersion(address), encoding);
    // Before the passcode: the host of another drop learns nothing about this one.
    if (host !== null && host.label !== page.dropId) throw notFound('page');
    refuseTakenDown(page);
    if (page.lock !== null && !(await isAdmitted(page, req, { address, host }))) {
      const url = pageUrl(config.BASE_URL, page.slug);
      const message = `This page needs a passcode: enter it at ${url}`;
      throw new HttpError(403, 'passcode_required', message, { url });
    }
    return { page: pages.requireVersion(page), isConfirmed };
  }

  /** Whether the viewer has entered the passcode: the address has a grant, or the cookie a pass. */
  async function isAdmitted(page: Page, req: IncomingMessage, { address, host }: Target): Promise<boolean> {
    const grant = address.query.get('g');
    if (grant !== null && (await passcodes.admits('grant', page, grant))) return true;
    // On the hosts of drops, the drops themselves can set cookies: only the grant counts there.
    return isUnlocked(services, page, host === null ? req.headers.cookie : undefined);
  }

  /** The body; for HEAD and 304 without its bytes. null: the version was removed since the page was looked up. */
  async function findBody(
    req: IncomingMessage,
    { page, isConfirmed }: Opened,
    encoding: ContentEncoding,
  ): Promise<Body | BodyFacts | null> {
    const ifNoneMatch = req.headers['if-none-match'];
    if (req.method === 'HEAD' || ifNoneMatch !== undefined) {
      const facts = await pages.facts(page, encoding, isConfirmed);
      if (facts !== null && (req.method === 'HEAD' || isFresh(ifNoneMatch, facts.etag))) return facts;
    }
    return pages.body(page, encoding, isConfirmed);
  }

  async function send(req: IncomingMessage, res: Answer, asked: Target): Promise<void> {
    const encoding = negotiateEncoding(req.headers['accept-encoding']);
    let opened = await open(req, asked, encoding);
    let body = await findBody(req, opened, encoding);
    if (body === null) {
      // The version was removed between the two reads: the page is looked up again, once.
      opened = await open(req, asked, encoding);
      body = await findBody(req, opened, encoding);
    }
    if (body === null) throw notFound('page');
    const { page, isConfirmed } = opened;
    const isPinned = asked.address.query.get('id') === page.version.id;
    const tag = page.lock === null ? edgeTag(page.dropId) : null;
    const headers = replyHeaders.ofPage(asked.host, tag, { isConfirmed, isFinal: body.isFinal, isPinned });
    if ('bytes' in body) res.locals.sharedBytes = body.bytes;
    sendBody(req, res, headers, body);
    if (isTopLevelView(req, asked.address, config.BASE_URL) && isGetByPerson(req)) views.count(page.dropId);
  }

  function fail(req: IncomingMessage, res: ServerResponse, error: unknown, host: ContentHost | null): void {
    if (!res.headersSent) {
      // A page has no request id, because a cache would repeat it.
      setRequestId(res);
      replyHeaders.setForRefusal(res, host);
    }
    answerError(error, req, res, log);
  }

  return {
    async answer(req, res, address, host) {
      logRequest(req, res, log, { sample: config.LOG_RAW_SAMPLE });
      try {
        if (req.method !== 'GET' && req.method !== 'HEAD')
          throw methodNotAllowed(req.method, ['GET', 'HEAD']);
        await send(req, res, { address, host });
      } catch (error) {
        fail(req, res, error, host);
      }
    },

    redirect(req, res, location, host) {
      logRequest(req, res, log);
      setRequestId(res);
      forbidIndexing(res);
      replyHeaders.setForRefusal(res, host);
      res
        .writeHead(308, { Location: location, 'Cache-Control': 'private, no-store', 'Content-Length': 0 })
        .end();
    },

    refuse(req, res, error, host) {
      logRequest(req, res, log);
      fail(req, res, error, host);
    },

    fail,
  };
}

/** @param body with its bytes, unless the request is a HEAD or is answered 304 */
function sendBody(
  req: IncomingMessage,
  res: ServerResponse,
  headers: string[],
  body: Body | BodyFacts,
): void {
  if (body.etag !== null) headers.push('ETag', body.etag);
  if (isFresh(req.headers['if-none-match'], body.etag)) {
    res.writeHead(304, headers).end();
    return;
  }
  if (body.encoding !== 'identity') headers.push('Content-Encoding', body.encoding);
  headers.push('Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.byteLength));
  res.writeHead(200, headers).end(req.method !== 'HEAD' && 'bytes' in body ? body.bytes : undefined);
}

/** Whether the raw page was opened directly. The viewer counts a page that is opened in its frame or from its link. */
function isTopLevelView(req: IncomingMessage, { slug, query }: PublicAddress, baseUrl: string): boolean {
  if (req.headers['sec-fetch-dest'] !== 'document' || query.has('id')) return false;
  return req.headers.referer?.split('?', 1)[0] !== pageUrl(baseUrl, slug);
}
