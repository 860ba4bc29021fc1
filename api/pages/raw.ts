import type { IncomingMessage, ServerResponse } from 'node:http';
import { edgeSeconds } from '../../shared/config/config.ts';
import { notFound, unavailable } from '../../shared/domain/errors.ts';
import type { Page, PageWithVersion } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { Body, BodyFacts } from '../../shared/pages/page-bodies.ts';
import type { ContentEncoding } from '../../shared/renders/render-store.ts';
import type { Assets } from '../html/assets.ts';
import type { Layout } from '../html/layout.ts';
import { answerError } from '../http/answer-error.ts';
import { negotiateEncoding } from '../http/content-encoding.ts';
import { isFresh } from '../http/entity-tags.ts';
import { methodNotAllowed } from '../http/http-error.ts';
import { pageUrl } from '../http/paths.ts';
import { logRequest, setRequestId } from '../http/request-log.ts';
import { forbidIndexing, type ServiceResponse } from '../http/send.ts';
import type { ContentHost } from '../server/content-hosts.ts';
import { isUnlocked, passcodeRequired } from './gate.ts';
import { isGetByPerson, type PublicAddress, readSlugAndVersion, refuseTakenDown } from './public-page.ts';
import { createRawHeaders, type PageHeaders } from './raw-headers.ts';
import { createReview } from './review.ts';

/** A version may be removed between the look-up and the read of its body. */
const maxLookUps = 3;

export interface Target {
  readonly address: PublicAddress;
  /** null: the service's own. */
  readonly host: ContentHost | null;
}

/** GET /p/{slug}/raw (spec 4.5) is requested most: plain node:http without middleware. Every answer has the sandbox. */
export function createRawHandler(services: Services, layout: Layout, assets: Assets) {
  const { pages, passcodes, views, clock, log, config } = services;
  const replyHeaders = createRawHeaders(config, edgeSeconds(config), clock);
  const withReview = createReview(assets);

  /** Looks up the page. @throws DropError if it is not shown to this request */
  async function open(req: IncomingMessage, { address, host }: Target, encoding: ContentEncoding) {
    const { page, isConfirmed } = await pages.findRaw(...readSlugAndVersion(address), encoding);
    // Before the passcode: the host of another drop learns nothing about this one.
    if (host !== null && host.label !== page.dropId) throw notFound('page');
    refuseTakenDown(page);
    if (!(await isAdmitted(page, req, { address, host }))) throw passcodeRequired(config.BASE_URL, page.slug);
    return { page: pages.requireVersion(page), isConfirmed };
  }

  /** Whether the page has no passcode, or the viewer has entered it: the address has a grant, or the cookie a pass. */
  async function isAdmitted(page: Page, req: IncomingMessage, { address, host }: Target): Promise<boolean> {
    const { grant } = address;
    if (page.lock !== null && grant !== null && (await passcodes.admits('grant', page, grant))) return true;
    // On the hosts of drops, the drops themselves can set cookies: only the grant counts there.
    return page.lock === null || (host === null && isUnlocked(services, page, req));
  }

  /** The body; for HEAD and 304 without its bytes. null: the version was removed since the page was looked up. */
  async function findBody(
    req: IncomingMessage,
    page: PageWithVersion,
    encoding: ContentEncoding,
  ): Promise<Body | BodyFacts | null> {
    const ifNoneMatch = req.headers['if-none-match'];
    if (req.method === 'HEAD' || ifNoneMatch !== undefined) {
      const facts = await pages.facts(page, encoding);
      if (facts !== null && (req.method === 'HEAD' || isFresh(ifNoneMatch, facts.etag))) return facts;
    }
    return pages.body(page, encoding);
  }

  /** @throws DropError `unavailable` if each version that the page had was removed before its body was read */
  async function openWithBody(req: IncomingMessage, asked: Target, encoding: ContentEncoding) {
    for (let attempt = 0; attempt < maxLookUps; attempt++) {
      const opened = await open(req, asked, encoding);
      const body = await findBody(req, opened.page, encoding);
      if (body !== null) return { ...opened, body };
    }
    throw unavailable('This page is being changed. Please try again.');
  }

  async function send(req: IncomingMessage, res: ServiceResponse, asked: Target): Promise<void> {
    const { isReview, versionId } = asked.address;
    if (isReview) delete req.headers['if-none-match']; // it is the raw page's
    const encoding = isReview ? 'identity' : negotiateEncoding(req.headers['accept-encoding']);
    const { page, isConfirmed, body: found } = await openWithBody(req, asked, encoding);
    const body = isReview ? withReview(found) : found;
    const isPinned = versionId === page.version.id;
    const headers = replyHeaders.ofPage(page, body, { host: asked.host, isConfirmed, isPinned, isReview });
    if (body === found && 'bytes' in found) res.locals.sharedBytes = found.bytes;
    sendBody(req, res, headers, body);
    if (!isReview) countView(req, page, asked.address);
  }

  /** Of every outcome below 500: a page that is locked or gone is asked for as often as one that is there. */
  function sampleLevels() {
    const level = Math.random() < config.LOG_RAW_SAMPLE ? 'info' : null;
    return { success: level, refusal: level } as const;
  }

  function countView(req: IncomingMessage, page: Page, address: PublicAddress): void {
    if (isTopLevelView(req, address, config.BASE_URL) && isGetByPerson(req)) views.count(page.dropId);
  }

  /** Answers with the error, unless the request is already answered. */
  function fail(req: IncomingMessage, res: ServerResponse, error: unknown, host: ContentHost | null): void {
    if (!res.headersSent) {
      // A page has no request id, because a cache would repeat it.
      setRequestId(res);
      replyHeaders.setForRefusal(res, host);
    }
    answerError(error, req, res, { log, layout });
  }

  return {
    /** Sends a public page that is in memory, synchronously, as `answer` would. @returns the body; null if it did nothing */
    answerNow(req: IncomingMessage, res: ServerResponse, { address, host }: Target): Body | null {
      if (req.method !== 'GET' || address.isReview) return null;
      const encoding = negotiateEncoding(req.headers['accept-encoding']);
      const found = pages.getCachedWithBody(address.slug, address.number, encoding);
      if (found === null) return null;
      const { page, body } = found;
      if (host !== null && host.label !== page.dropId) return null;
      const isPinned = address.versionId === page.version.id;
      const bytesBefore = req.socket.bytesWritten;
      sendBody(req, res, replyHeaders.ofPage(page, body, { host, isPinned, isConfirmed: true }), body);
      countView(req, page, address);
      const levels = sampleLevels();
      if (levels.success !== null) logRequest(req, res, log, { ...levels, bytesBefore });
      return body;
    },

    /** Answers a request for a raw page, errors included. */
    async answer(req: IncomingMessage, res: ServiceResponse, target: Target): Promise<void> {
      logRequest(req, res, log, sampleLevels());
      try {
        if (req.method !== 'GET' && req.method !== 'HEAD')
          throw methodNotAllowed(req.method, ['GET', 'HEAD']);
        await send(req, res, target);
      } catch (error) {
        fail(req, res, error, target.host);
      }
    },

    /** Answers 308 with `no-store`. @param location a path on this host */
    redirect(
      req: IncomingMessage,
      res: ServerResponse,
      { location, isRaw }: { readonly location: string; readonly isRaw: boolean },
      host: ContentHost | null,
    ): void {
      logRequest(req, res, log, isRaw ? sampleLevels() : {});
      setRequestId(res);
      forbidIndexing(res);
      replyHeaders.setForRefusal(res, host);
      res
        .writeHead(308, { Location: location, 'Cache-Control': 'private, no-store', 'Content-Length': 0 })
        .end();
    },

    /** Answers with the error, under the sandbox; browsers ask each host of a drop for its icon. */
    refuse(req: IncomingMessage, res: ServerResponse, error: Error, host: ContentHost | null): void {
      logRequest(req, res, log, host === null ? {} : sampleLevels());
      fail(req, res, error, host);
    },

    fail,
  };
}

/** @param body with its bytes, unless the request is a HEAD or is answered 304 */
function sendBody(
  req: IncomingMessage,
  res: ServerResponse,
  headers: PageHeaders,
  body: Body | BodyFacts,
): void {
  if (isFresh(req.headers['if-none-match'], body.etag)) res.writeHead(304, headers.notModified).end();
  else
    res.writeHead(200, headers.whole).end(req.method !== 'HEAD' && 'bytes' in body ? body.bytes : undefined);
}

/** Whether the raw page was opened directly. The viewer counts a page that is opened in its frame or from its link. */
function isTopLevelView(req: IncomingMessage, { slug, versionId }: PublicAddress, baseUrl: string): boolean {
  if (req.headers['sec-fetch-dest'] !== 'document' || versionId !== null) return false;
  return req.headers.referer?.split('?', 1)[0] !== pageUrl(baseUrl, slug);
}
