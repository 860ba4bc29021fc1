import type { IncomingMessage, ServerResponse } from 'node:http';
import { edgeSeconds } from '../../shared/config/config.ts';
import { notFound, unavailable } from '../../shared/domain/errors.ts';
import { isRestricted } from '../../shared/drops/access.ts';
import type { Page, PageWithVersion } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { Body, BodyFacts, Framing } from '../../shared/pages/body.ts';
import type { FoundPage } from '../../shared/pages/page-cache.ts';
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
import type { ContentHost } from './content-hosts.ts';
import { createFraming } from './framing.ts';
import { passGate } from './gate.ts';
import { isGetByPerson, type PublicAddress, readSlugAndVersion } from './public-page.ts';
import { type PageHeaders, RawHeaders } from './raw-headers.ts';

/** A version may be removed between the look-up and the read of its body. */
const maxLookUps = 3;

export interface RawTarget {
  readonly address: PublicAddress;
  /** null: the service's own. */
  readonly host: ContentHost | null;
}

/** Which form of the page the answer has. */
interface Form {
  readonly encoding: ContentEncoding;
  /** null: without the script of the viewer's frame. */
  readonly framing: Framing | null;
}

/** GET /p/{slug}/raw (spec 4.5) is requested most: plain node:http without middleware. Every answer has the sandbox. */
export class RawPages {
  readonly #services: Services;
  readonly #layout: Layout;
  readonly #headers: RawHeaders;
  readonly #framing: Framing;

  constructor(services: Services, layout: Layout, assets: Assets) {
    const { config, clock } = services;
    this.#services = services;
    this.#layout = layout;
    this.#headers = new RawHeaders(config, edgeSeconds(config), clock);
    this.#framing = createFraming(assets, config);
  }

  /** Sends a public page that is in memory, synchronously, as `answer` would. @returns the body; null if it did nothing */
  answerNow(req: IncomingMessage, res: ServerResponse, { address, host }: RawTarget): Body | null {
    if (req.method !== 'GET') return null;
    const { encoding, framing } = this.#formOf(req, address);
    const found = this.#services.pages.getCachedWithBody(address.slug, address.number, encoding, framing);
    if (found === null) return null;
    const { page, body } = found;
    if (host !== null && host.label !== page.dropId) return null;
    const isPinned = address.versionId === page.version.id;
    const bytesBefore = req.socket.bytesWritten;
    const headers = this.#headers.ofPage(page, body, { host, isPinned, isConfirmed: true });
    sendBody(req, res, headers, body);
    this.#countView(req, page, address);
    const levels = this.#sampleLevels();
    if (levels.success !== null) logRequest(req, res, this.#services.log, { ...levels, bytesBefore });
    return body;
  }

  /** Answers a request for a raw page, errors included. */
  async answer(req: IncomingMessage, res: ServiceResponse, target: RawTarget): Promise<void> {
    logRequest(req, res, this.#services.log, this.#sampleLevels());
    try {
      if (req.method !== 'GET' && req.method !== 'HEAD') throw methodNotAllowed(req.method, ['GET', 'HEAD']);
      await this.#send(req, res, target);
    } catch (error) {
      this.fail(req, res, error, target.host);
    }
  }

  /** Answers 308 with `no-store`. @param location a path on this host */
  redirect(
    req: IncomingMessage,
    res: ServerResponse,
    { location, isRaw }: { readonly location: string; readonly isRaw: boolean },
    host: ContentHost | null,
  ): void {
    logRequest(req, res, this.#services.log, isRaw ? this.#sampleLevels() : {});
    setRequestId(res);
    forbidIndexing(res);
    this.#headers.setForRefusal(res, host);
    res
      .writeHead(308, { Location: location, 'Cache-Control': 'private, no-store', 'Content-Length': 0 })
      .end();
  }

  /** Answers with the error, under the sandbox; browsers ask each host of a drop for its icon. */
  refuse(req: IncomingMessage, res: ServerResponse, error: Error, host: ContentHost | null): void {
    logRequest(req, res, this.#services.log, host === null ? {} : this.#sampleLevels());
    this.fail(req, res, error, host);
  }

  /** Answers with the error, unless the request is already answered. */
  fail(req: IncomingMessage, res: ServerResponse, error: unknown, host: ContentHost | null): void {
    if (!res.headersSent) {
      // A page has no request id, because a cache would repeat it.
      setRequestId(res);
      this.#headers.setForRefusal(res, host);
    }
    answerError(error, req, res, { log: this.#services.log, layout: this.#layout });
  }

  async #send(req: IncomingMessage, res: ServiceResponse, asked: RawTarget): Promise<void> {
    const { address, host } = asked;
    const form = this.#formOf(req, address);
    const { page, isConfirmed, body } = await openWithBody(this.#services, req, asked, form);
    const isPinned = address.versionId === page.version.id;
    const headers = this.#headers.ofPage(page, body, { host, isConfirmed, isPinned });
    if ('bytes' in body) res.locals.sharedBytes = body.bytes;
    sendBody(req, res, headers, body);
    this.#countView(req, page, address);
  }

  #formOf(req: IncomingMessage, { isFramed }: PublicAddress): Form {
    const encoding = negotiateEncoding(req.headers['accept-encoding']);
    return { encoding, framing: isFramed ? this.#framing : null };
  }

  /** Of every outcome below 500: a page that is locked or gone is asked for as often as one that is there. */
  #sampleLevels() {
    const level = Math.random() < this.#services.config.LOG_RAW_SAMPLE ? 'info' : null;
    return { success: level, refusal: level } as const;
  }

  #countView(req: IncomingMessage, page: Page, address: PublicAddress): void {
    const { views, config } = this.#services;
    if (isTopLevelView(req, address, config.BASE_URL) && isGetByPerson(req)) views.count(page.dropId);
  }
}

/** @throws DropError `unavailable` if each version that the page had was removed before its body was read */
async function openWithBody(
  services: Services,
  req: IncomingMessage,
  asked: RawTarget,
  form: Form,
): Promise<FoundPage & { readonly page: PageWithVersion; readonly body: Body | BodyFacts }> {
  for (let attempt = 0; attempt < maxLookUps; attempt++) {
    const opened = await open(services, req, asked, form);
    const body = await findBody(services, req, opened.page, form);
    // A restricted page has no ETag: who may read it is asked at every request, and no answer says that nothing has changed.
    if (body !== null) return { ...opened, body: isRestricted(opened.page) ? withoutEtag(body) : body };
  }
  throw unavailable('This page is being changed. Please try again.');
}

function withoutEtag(body: Body | BodyFacts): Body | BodyFacts {
  return { ...body, etag: null };
}

/** Looks up the page. @throws DropError if it is not shown to this request */
async function open(
  services: Services,
  req: IncomingMessage,
  { address, host }: RawTarget,
  { encoding, framing }: Form,
) {
  const { pages } = services;
  const [slug, number] = readSlugAndVersion(address);
  const { page, isConfirmed } = await pages.findRaw(slug, number, encoding, framing);
  // Before the gate: the host of another drop learns nothing about this one.
  if (host !== null && host.label !== page.dropId) throw notFound('page');
  await passGate(services, page, req, {
    takesToken: true,
    grant: address.grant,
    isGrantAlone: host !== null,
  });
  return { page: pages.requireVersion(page), isConfirmed };
}

/** The body; for HEAD and 304 without its bytes. null: the version was removed since the page was looked up. */
async function findBody(
  { pages }: Services,
  req: IncomingMessage,
  page: PageWithVersion,
  { encoding, framing }: Form,
): Promise<Body | BodyFacts | null> {
  const ifNoneMatch = isRestricted(page) ? undefined : req.headers['if-none-match'];
  if (req.method === 'HEAD' || ifNoneMatch !== undefined) {
    const facts = await pages.facts(page, encoding, framing);
    if (facts !== null && (req.method === 'HEAD' || isFresh(ifNoneMatch, facts.etag))) return facts;
  }
  return pages.body(page, encoding, framing);
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
function isTopLevelView(
  req: IncomingMessage,
  { slug, versionId, isFramed }: PublicAddress,
  baseUrl: string,
): boolean {
  if (req.headers['sec-fetch-dest'] !== 'document' || versionId !== null || isFramed) return false;
  return req.headers.referer?.split('?', 1)[0] !== pageUrl(baseUrl, slug);
}
