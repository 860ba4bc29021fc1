import type { Request, Response } from 'express';
import { notFound } from '../../shared/domain/errors.ts';
import type { PageWithVersion } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { sizeText } from '../html/elements.ts';
import { type Html, html, visible } from '../html/html.ts';
import { queryOf, readSlug, toPositiveInteger } from '../http/parameters.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { sendBytes } from '../http/send.ts';
import type { BrowserSession } from '../http/session.ts';
import type { Form, Shown } from '../http/show.ts';
import { setDownloadHeaders } from '../versions/source.ts';
import { pageCrumbs } from './labels.ts';
import { nameOf, type OperatorPage, operatorPages } from './pages.ts';
import { operatorPaths } from './paths.ts';

/** Time for which an inspection that was logged shows the version. */
const inspectMs = 60 * 60_000;
const purpose = 'operator inspection';
/** The source of a longer document is cut. */
const sourceMaxBytes = 100 * 1024;

/** A page that an operator may see, and the grant that says so. */
interface Inspection {
  readonly page: PageWithVersion;
  readonly grant: string;
}

/** What the grant seals. */
interface Granted {
  readonly session: string;
  readonly version: string;
  readonly number: number;
}

/**
 * A version as viewers see it, also if locked or taken down. The POST logs the inspection and seals a grant for the session.
 */
export function inspectRoutes(parts: RouteParts): readonly Route[] {
  const { services } = parts;
  const pages = operatorPages(parts);
  const granted =
    (showInspection: ShowInspection) => (req: Request, res: Response, session: BrowserSession) =>
      showGranted(services, req, res, session, showInspection);
  return [
    pages.page(operatorPaths.inspect(':slug'), granted(showInspectPage)),
    pages.form(operatorPaths.inspect(':slug'), limitTable.change, (req, _, session, sent) =>
      beginInspection(services, req, session, sent),
    ),
    pages.page(operatorPaths.frame(':slug'), granted(sendFrame)),
    pages.page(operatorPaths.source(':slug'), granted(sendSource)),
  ];
}

type ShowInspection = (
  services: Services,
  inspection: Inspection,
  req: Request,
  res: Response,
) => Promise<Shown<OperatorPage>>;

/** Shows something of the page, unless the grant is for another inspection, or has expired, or the version was deleted. */
async function showGranted(
  services: Services,
  req: Request,
  res: Response,
  session: BrowserSession,
  showInspection: ShowInspection,
): Promise<Shown<OperatorPage>> {
  const slug = readSlug(req);
  const { g: grant } = queryOf(req);
  const opened = typeof grant === 'string' ? await services.sealer.open(purpose, grant) : null;
  const content = opened as Granted | null; // proof: sealed by `beginInspection`
  if (typeof grant !== 'string' || content?.session !== session.id)
    return `${operatorPaths.page(slug)}?notice=inspection-ended`;
  const page = await findVersion(services, slug, content.number);
  // Another version may have its number now.
  if (page.version.id !== content.version) throw notFound('version');
  return showInspection(services, { page, grant }, req, res);
}

/** @param number null: the latest @throws DropError `not_found` */
async function findVersion(
  { pages }: Services,
  slug: string,
  number: number | null,
): Promise<PageWithVersion> {
  const { version, ...page } = await pages.find(slug, number);
  if (version === null) throw notFound('version');
  return { ...page, version };
}

/** The latest version unless `version` names another. 0, which no version has, stands for what is no number. */
async function beginInspection(
  services: Services,
  req: Request,
  session: BrowserSession,
  sent: Form,
): Promise<string> {
  const { moderation, sealer, clock } = services;
  const slug = readSlug(req);
  const asked = sent.get('version');
  const number = asked === undefined ? null : (toPositiveInteger(asked) ?? 0);
  const { version } = await findVersion(services, slug, number);
  await moderation.inspect(slug, version.number, { by: nameOf(session) });
  const content: Granted = { session: session.id, version: version.id, number: version.number };
  const grant = await sealer.seal(purpose, content, clock.now() + inspectMs);
  return `${operatorPaths.inspect(slug)}?${new URLSearchParams({ g: grant })}`;
}

async function showInspectPage(
  { pages, config }: Services,
  inspection: Inspection,
  req: Request,
): Promise<OperatorPage> {
  const document = await pages.document(inspection.page);
  return inspectPage(inspection, document, { loadsAll: loadsAll(req), baseUrl: config.BASE_URL });
}

async function sendFrame(
  { pages }: Services,
  { page }: Inspection,
  req: Request,
  res: Response,
): Promise<null> {
  const body = await pages.body(page, 'identity');
  if (body === null) throw notFound('version');
  res.setHeader('Content-Security-Policy', framePolicy(loadsAll(req)));
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-DNS-Prefetch-Control', 'off');
  const inert = withoutLinks(body.bytes);
  sendBytes(res, 'text/html', loadsAll(req) ? inert : withoutConnections(inert));
  return null;
}

async function sendSource(
  { pages }: Services,
  { page }: Inspection,
  _req: Request,
  res: Response,
): Promise<null> {
  const document = await pages.document(page);
  setDownloadHeaders(res, page, page.version.number);
  sendBytes(res, 'text/html', document);
  return null;
}

/** Whether the operator wants pictures and styles from other servers, too. */
function loadsAll(req: Request): boolean {
  return queryOf(req).load === 'all';
}

/** No script, form, link or origin, also outside a frame. @param loadsAll false: the author cannot notice the inspection */
function framePolicy(loadsAll: boolean): string {
  const from = loadsAll ? ' https: http:' : '';
  return [
    'sandbox',
    "default-src 'none'",
    `style-src 'unsafe-inline' data:${from}`,
    `img-src data:${from}`,
    `font-src data:${from}`,
    `media-src data:${from}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/**
 * The page whose links lead to new windows, which the sandbox forbids: before Chromium applies a policy to a link it connects
 * to the server. HTML takes the first of two equal attributes. No quotes, because the text may stand between some.
 */
function withoutLinks(page: Uint8Array): Uint8Array {
  const text = Buffer.from(page).toString('latin1');
  return Buffer.from(text.replace(/<(a|area)(?=[\s/>])/gi, '<$1 target=_blank '), 'latin1');
}

/**
 * Without frames and resource hints, to which Chromium connects before it applies a policy. A `meta` may replace a `link`.
 */
function withoutConnections(page: Uint8Array): Uint8Array {
  const text = Buffer.from(page).toString('latin1');
  const inert = text.replace(/<link(?=[\s/>])/gi, '<meta').replace(/<(\/?i?frame)(?=[\s/>])/gi, '<$1-');
  return Buffer.from(inert, 'latin1');
}

/** @param document as posted */
function inspectPage(
  { page, grant }: Inspection,
  document: Uint8Array,
  { loadsAll, baseUrl }: { readonly loadsAll: boolean; readonly baseUrl: string },
): OperatorPage {
  const { slug, title, version } = page;
  const { origin } = new URL(baseUrl);
  const granted = (path: string, all = false) =>
    `${path}?${new URLSearchParams({ g: grant, ...(all && { load: 'all' }) })}`;
  const other = html`<a href="${granted(operatorPaths.inspect(slug), !loadsAll)}">${loadsAll ? 'Load nothing' : 'Load pictures and styles, too'}</a>`;
  return {
    title: `Version ${version.number}`,
    policy: { 'frame-src': origin + operatorPaths.frame(slug) },
    body: html`${pageCrumbs(slug, title)}
<div class="page-head"><div><h1>Version ${version.number}</h1>
<p class="soft">${
      loadsAll
        ? html`Without scripts, forms and links. Pictures, styles and fonts come from where the page says: those servers learn your address, and that somebody looks. ${other}`
        : html`Without scripts, forms and links. Nothing is loaded from other servers, so a page that needs them looks poorer than for viewers. ${other}`
    }</p></div>
${!page.isTakenDown && html`<div class="actions"><a class="button danger" href="${operatorPaths.takedown(slug)}">Take down…</a></div>`}</div>
<iframe class="looked-at" src="${granted(operatorPaths.frame(slug), loadsAll)}" title="Version ${version.number}, without scripts" sandbox="" referrerpolicy="no-referrer"></iframe>
<section class="panel" aria-labelledby="source-title">
<div class="panel-head"><h2 id="source-title">Source</h2><a class="button quiet small" href="${granted(operatorPaths.source(slug))}" download>Download (${sizeText(document.byteLength)})</a></div>
${document.byteLength > sourceMaxBytes && html`<p class="small soft">The first ${sizeText(sourceMaxBytes)}.</p>`}
<pre class="source" tabindex="0" role="region" aria-label="Source as text"><code>${sourceText(document)}</code></pre>
</section>`,
  };
}

/** As text, with tabs and line breaks; what would hide or turn text is made visible. */
function sourceText(document: Uint8Array): Html {
  const text = new TextDecoder().decode(document.subarray(0, sourceMaxBytes));
  return html`${text.split(/\r\n?|\n/).map((line) => html`${line.split('\t').map((part, i) => html`${i > 0 && '\t'}${part !== '' && visible(part)}`)}\n`)}`;
}
