import type { IncomingMessage, ServerResponse } from 'node:http';
import { edgeSeconds } from '../../shared/config/config.ts';
import { edgeTag, type Page, type ShownPage } from '../../shared/domain/drop.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import type { ContentEncoding } from '../../shared/ports/render-store.ts';
import type { Body, BodyFacts } from '../../shared/services/page-bodies.ts';
import { answerError } from '../http/answer-error.ts';
import { createEncodingNegotiator } from '../http/content-encoding.ts';
import { HttpError, methodNotAllowed } from '../http/http-error.ts';
import { pageUrl } from '../http/paths.ts';
import { giveId, logRequest } from '../http/request-log.ts';
import { forbidIndexing, isFresh } from '../http/send.ts';
import type { ContentHost } from '../server/content-hosts.ts';
import type { UnreadAnswers } from '../server/unread-answers.ts';
import {
  checkShown,
  hasPasscode,
  isPersonsGet,
  type PublicAddress,
  readAddress,
  readTarget,
} from './public-page.ts';
import { createRawHeaders } from './raw-headers.ts';

interface Opened {
  readonly page: ShownPage;
  readonly isConfirmed: boolean;
}

/** What a request is for: an address, and the host at which it was asked for; null for the service's own. */
interface Asked {
  readonly address: PublicAddress;
  readonly host: ContentHost | null;
}

export interface RawHandler {
  /** The address, if the request is for a raw page, whatever its method; null otherwise. */
  match(req: IncomingMessage): PublicAddress | null;
  /** Answers it, errors included. @param host null for the service's own */
  answer(
    req: IncomingMessage,
    res: ServerResponse,
    address: PublicAddress,
    host: ContentHost | null,
  ): Promise<void>;
  /** Answers 308 with the address, which is one of this host. Nobody is to keep the answer. */
  redirect(req: IncomingMessage, res: ServerResponse, location: string, host: ContentHost | null): void;
  /** Answers a request that is for nothing at all, as safely, and logs it. */
  refuse(req: IncomingMessage, res: ServerResponse, error: Error, host: ContentHost | null): void;
  /** Answers with the error, unless there is an answer. */
  fail(req: IncomingMessage, res: ServerResponse, error: unknown, host: ContentHost | null): void;
}

/**
 * GET /p/{slug}/raw (spec 4.5): the hot path, which is why it takes plain node:http objects and passes through
 * no middleware. What protects others from the page goes out with it in one piece, and with every refusal.
 */
export function rawHandler(services: Services, unread: UnreadAnswers): RawHandler {
  const { pages, passcodes, views, log, config } = services;
  const replyHeaders = createRawHeaders(config, edgeSeconds(config));
  const negotiateEncoding = createEncodingNegotiator();

  async function open(
    req: IncomingMessage,
    { address, host }: Asked,
    encoding: ContentEncoding,
  ): Promise<Opened> {
    const { page, isConfirmed } = await pages.findRaw(...readTarget(address), encoding);
    // Before the gate: another drop's host learns nothing of this one.
    if (host !== null && host.label !== page.dropId) throw notFound('page');
    checkShown(page);
    if (page.lock !== null && !(await isAdmitted(page, req, { address, host }))) {
      const url = pageUrl(config.BASE_URL, page.slug);
      throw new HttpError(403, 'passcode_required', `This page needs a passcode: enter it at ${url}`, {
        url,
      });
    }
    return { page: pages.show(page), isConfirmed };
  }

  /** Whether the reader may see a locked page: by the grant in the address, or by the cookie. */
  async function isAdmitted(page: Page, req: IncomingMessage, { address, host }: Asked): Promise<boolean> {
    const grant = address.query.get('g');
    if (grant !== null && (await passcodes.admits('grant', page, grant))) return true;
    // On its own host a drop can set cookies, and drops beside it can too: there the grant alone counts.
    return hasPasscode(services, page, host === null ? req.headers.cookie : undefined);
  }

  /** Without its bytes where none are to be sent. null: the version was removed since the page was looked up. */
  async function find(
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

  async function send(req: IncomingMessage, res: ServerResponse, asked: Asked): Promise<void> {
    const encoding = negotiateEncoding(req.headers['accept-encoding']);
    let opened = await open(req, asked, encoding);
    let body = await find(req, opened, encoding);
    if (body === null) {
      // The version was removed between the look-up and the read: the pointer is read again, once.
      opened = await open(req, asked, encoding);
      body = await find(req, opened, encoding);
    }
    if (body === null) throw notFound('page');
    const { page, isConfirmed } = opened;
    const isPinned = asked.address.query.get('id') === page.version.id;
    const tag = isShared(page, asked.address) ? edgeTag(page.dropId) : null;
    const headers = replyHeaders.ofPage(asked.host, tag, { isConfirmed, isFinal: body.isFinal, isPinned });
    sendBody(req, res, headers, body);
    unread.watch(res, 'bytes' in body ? { bytes: body.bytes } : {});
    if (isTopLevelView(req, asked.address, config.BASE_URL) && isPersonsGet(req)) views.count(page.dropId);
  }

  function fail(req: IncomingMessage, res: ServerResponse, error: unknown, host: ContentHost | null): void {
    if (!res.headersSent) {
      // Pages have no id: a cache would repeat that of who came first.
      giveId(res);
      replyHeaders.setForRefusal(res, host);
    }
    answerError(error, req, res, log);
    unread.watch(res, {});
  }

  return {
    match(req) {
      const address = readAddress(req);
      return address?.isRaw ? address : null;
    },

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
      giveId(res);
      forbidIndexing(res);
      replyHeaders.setForRefusal(res, host);
      res
        .writeHead(308, { Location: location, 'Cache-Control': 'private, no-store', 'Content-Length': 0 })
        .end();
      unread.watch(res, {});
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

/**
 * Whether a shared cache may keep the page at this address. Parameters are part of its key: with those that are none of
 * ours but for the name anybody could fill it with one page.
 */
function isShared({ lock, version }: ShownPage, { query }: PublicAddress): boolean {
  if (lock !== null) return false;
  if (query.size === 0) return true;
  const isOurs = (name: string, ours: string) => {
    const values = query.getAll(name);
    return values.length === 0 || (values.length === 1 && values[0] === ours);
  };
  return isOurs('id', version.id) && isOurs('v', String(version.number)) && !query.has('g');
}

/** Opened as a page of its own, and not by way of the viewer, which has counted it: as its frame, or from it. */
function isTopLevelView(req: IncomingMessage, { slug, query }: PublicAddress, baseUrl: string): boolean {
  if (req.headers['sec-fetch-dest'] !== 'document' || query.has('id')) return false;
  return req.headers.referer?.split('?', 1)[0] !== pageUrl(baseUrl, slug);
}
