import type { Request, Response } from 'express';
import { correction, generate } from 'lean-qr';
import { toSvgSource } from 'lean-qr/extras/svg';
import { edgeSeconds } from '../../shared/config/config.ts';
import type { DropError } from '../../shared/domain/errors.ts';
import type { PageWithVersion, Version } from '../../shared/drops/drop.ts';
import { insertFirst } from '../../shared/html/insertion.ts';
import { timeTag } from '../html/elements.ts';
import { html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { isNavigation } from '../http/answer-error.ts';
import { readSlug } from '../http/parameters.ts';
import { type PagePart, pagePartPath, pagePath, pageUrl } from '../http/paths.ts';
import { type Handler, open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendBytes, sendJson, sendPage } from '../http/send.ts';
import { setDownloadHeaders } from '../versions/source.ts';
import { openPage, orToViewer, setPageCaching } from './gate.ts';
import { RawHeaders } from './raw-headers.ts';

/** Keeps the browser's `print`, because a page may have one of its own, and leaves no trace in the page's tree. */
const printScript =
  '<script>(({ print }) => addEventListener("load", () => print()))(window); document.currentScript.remove()</script>';

/** What belongs to a viewer page. None of it counts a view: the viewer page has counted one. */
export function pagePartRoutes({ services, layout }: RouteParts): readonly Route[] {
  const { pages, config, clock } = services;
  const rawHeaders = new RawHeaders(config, edgeSeconds(config), clock);

  return [
    /** Open viewer pages ask every 20 s whether there is a newer version. A public page is answered from memory. */
    open('GET', pagePartPath(':slug', 'latest'), async (req, res) => {
      // What comes from memory must be sent before anything is awaited.
      const known = pages.getCached(readSlug(req), null);
      const page = known ?? (await openPage(services, req, res, { number: null }));
      setPageCaching(res, page);
      sendJson(res, presentLatest(page));
    }),

    /** Newest first: a page for a person, JSON for the menu of the viewer, which asks when it is opened. */
    unlocked('versions', async (req, res) => {
      const page = await openPage(services, req, res, { number: null });
      const versions = await pages.versions(page);
      // Not `no-cache`: going back, a browser would show the JSON in place of the page.
      res.setHeader('Cache-Control', 'private, no-store');
      if (isNavigation(req)) sendPage(res, 200, layout.page(versionsPage(page.slug, page.title, versions)));
      else sendJson(res, versions.map(presentVersion));
    }),

    /** The bytes as posted. */
    unlocked('download', async (req, res) => {
      const page = await openPage(services, req, res, { takesToken: true });
      const document = await pages.document(page);
      setDownloadHeaders(res, page, page.version.number);
      sendBytes(res, 'text/html', document);
    }),

    /**
     * The document without our style, which is for screens; it asks to be printed. The viewer cannot print its frame whole, because
     * it has another origin.
     */
    unlocked('print', async (req, res) => {
      const page = await openPage(services, req, res);
      const document = await pages.document(page);
      rawHeaders.setForPrint(res, page);
      sendBytes(res, 'text/html', insertFirst(document, printScript));
    }),

    open('GET', pagePartPath(':slug', 'qr.svg'), (req, res) => sendQrCode(req, res, config.BASE_URL)),
  ];
}

/** A page. A person who has not entered the passcode is sent to the page that asks for it. */
function unlocked(part: PagePart, handler: Handler): Route {
  const isLocked = ({ code }: DropError) => code === 'passcode_required';
  return open('GET', pagePartPath(':slug', part), orToViewer(handler, isLocked));
}

const daySeconds = 86_400;
/** Modules of white around the code (ISO/IEC 18004). */
const quietZone = 4;

/** The address of the page as a QR code. It contains nothing of the drop, so every valid slug has one. */
function sendQrCode(req: Request, res: Response, baseUrl: string): void {
  const code = generate(pageUrl(baseUrl, readSlug(req)), { minCorrectionLevel: correction.M });
  // Black on white in every colour scheme: not every reader reads the reverse.
  const svg = toSvgSource(code, { on: '#000', off: '#fff', pad: quietZone, scale: 8 });
  res.setHeader('Content-Type', 'image/svg+xml');
  res.setHeader('Content-Length', Buffer.byteLength(svg));
  res.setHeader('Cache-Control', `public, max-age=${daySeconds}`);
  res.end(req.method === 'HEAD' ? undefined : svg);
}

/** What browser/viewer/latest.ts reads. The number is used again if its version is deleted; the id is not. */
function presentLatest({ version }: PageWithVersion) {
  return { latest_version: version.number, id: version.id, created_at: version.createdAt };
}

/** What browser/viewer/menus.ts reads. */
function presentVersion({ number, createdAt }: Version) {
  return { version: number, created_at: createdAt };
}

export function versionsPage(slug: string, title: string, versions: readonly Version[]): PageParts {
  const address = (number: number, index: number) =>
    index === 0 ? pagePath(slug) : `${pagePath(slug)}?v=${number}`;
  return {
    title: `Versions of ${title}`,
    body: html`<h1>Versions</h1>
<p class="soft" dir="auto">${title}</p>
<ul class="rows">
${versions.map(
  ({ number, createdAt }, index) =>
    html`<li><a href="${address(number, index)}">Version ${number}</a>${index === 0 && ' (latest)'} <span class="soft">${timeTag(createdAt)}</span></li>\n`,
)}</ul>`,
    scripts: ['shared'],
  };
}
