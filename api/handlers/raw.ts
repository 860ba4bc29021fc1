import type { IncomingMessage, ServerResponse } from 'node:http';
import { edgeSeconds } from '../../shared/config.ts';
import { edgeTag, type ShownPage } from '../../shared/domain/drop.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/open-services.ts';
import type { Body, Form } from '../../shared/services/pages.ts';
import { HttpError, methodNotAllowed } from '../http-error.ts';
import { createFormChooser } from '../middleware/encodings.ts';
import { answerError } from '../middleware/errors.ts';
import { isFresh } from '../middleware/if-none-match.ts';
import { logRequest } from '../middleware/request-log.ts';
import { pageUrl } from '../paths.ts';
import { sandbox } from '../sandbox.ts';
import { findPage, isAdmitted, isPersonsGet, type PublicAddress, readAddress } from './public-page.ts';

export interface RawHandler {
  /** The address, if the request is for a raw page, whatever its method; null otherwise. */
  match(req: IncomingMessage): PublicAddress | null;
  /** Answers it, errors included. */
  answer(req: IncomingMessage, res: ServerResponse, address: PublicAddress): Promise<void>;
}

/**
 * GET /p/{slug}/raw (spec 4.5): the hot path, which is why it takes plain node:http objects and passes through
 * no middleware. Everything about the reply that protects others is set before anything can fail.
 */
export function rawHandler(services: Services): RawHandler {
  const { pages, views, log, config } = services;
  const publicCaching = `public, max-age=0, s-maxage=${edgeSeconds(config)}`;
  const chooseForm = createFormChooser();

  async function open(req: IncomingMessage, address: PublicAddress): Promise<ShownPage> {
    const page = await findPage(services, address);
    if (!(await isAdmitted(services, page, req, address))) {
      const url = pageUrl(config.BASE_URL, page.slug);
      throw new HttpError(403, 'passcode_required', `This page needs a passcode: enter it at ${url}`, {
        url,
      });
    }
    return pages.show(page);
  }

  async function send(req: IncomingMessage, res: ServerResponse, address: PublicAddress): Promise<void> {
    const form = chooseForm(req.headers['accept-encoding']);
    let page = await open(req, address);
    let body = await pages.body(page, form);
    if (body === null) {
      // The version was removed between the look-up and the read: the pointer is read again, once.
      page = await open(req, address);
      body = await pages.body(page, form);
    }
    if (body === null) throw notFound('page');
    setPageHeaders(res, page, body.isFinal ? publicCaching : 'no-store');
    sendBody(req, res, form, body);
    if (isTopLevelView(req, address, config.BASE_URL) && isPersonsGet(req)) views.count(page.dropId);
  }

  return {
    match(req) {
      const address = readAddress(req);
      return address?.isRaw ? address : null;
    },

    async answer(req, res, address) {
      logRequest(req, res, log, { sample: config.LOG_RAW_SAMPLE });
      setSafetyHeaders(res, config.INDEXABLE);
      try {
        if (req.method !== 'GET' && req.method !== 'HEAD')
          throw methodNotAllowed(req.method, ['GET', 'HEAD']);
        await send(req, res, address);
      } catch (error) {
        answerError(error, req, res, log);
      }
    },
  };
}

function setSafetyHeaders(res: ServerResponse, indexable: boolean): void {
  res.setHeader('Content-Security-Policy', `sandbox ${sandbox}`);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  if (!indexable) res.setHeader('X-Robots-Tag', 'noindex');
}

function setPageHeaders(res: ServerResponse, page: ShownPage, publicCaching: string): void {
  res.setHeader('Vary', 'Accept-Encoding');
  if (page.lock !== null) {
    res.setHeader('Cache-Control', 'private, no-store');
    return;
  }
  const tag = edgeTag(page.dropId);
  res.setHeader('Cache-Control', publicCaching);
  res.setHeader('Cache-Tag', tag);
  res.setHeader('Surrogate-Key', tag);
}

function sendBody(req: IncomingMessage, res: ServerResponse, form: Form, body: Body): void {
  res.setHeader('ETag', body.etag);
  if (isFresh(req.headers['if-none-match'], body.etag)) {
    res.statusCode = 304;
    res.end();
    return;
  }
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  if (form !== 'identity') res.setHeader('Content-Encoding', form);
  res.setHeader('Content-Length', body.bytes.byteLength);
  res.end(req.method === 'HEAD' ? undefined : body.bytes);
}

/** Opened as a page of its own, and not by way of the viewer, which has counted it: as its frame, or from it. */
function isTopLevelView(req: IncomingMessage, { slug, query }: PublicAddress, baseUrl: string): boolean {
  if (req.headers['sec-fetch-dest'] !== 'document' || query.has('id')) return false;
  return req.headers.referer?.split('?', 1)[0] !== pageUrl(baseUrl, slug);
}
