import type { PageWithVersion } from '../../shared/drops/drop.ts';
import { type Html, html, visible } from '../html/html.ts';
import { sizeText } from '../html/parts.ts';
import type { OperatorPage } from './pages.ts';
import { operatorPaths, pageCrumbs } from './parts.ts';

/** The source of a longer document is cut. */
const sourceMaxBytes = 100 * 1024;

/** No script, form, link or origin, also outside a frame. @param loadsAll false: the author cannot notice the inspection */
export function framePolicy(loadsAll: boolean): string {
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
export function withoutLinks(page: Uint8Array): Uint8Array {
  const text = Buffer.from(page).toString('latin1');
  return Buffer.from(text.replace(/<(a|area)(?=[\s/>])/gi, '<$1 target=_blank '), 'latin1');
}

/**
 * Without frames and resource hints, to which Chromium connects before it applies a policy. A `meta` may replace a `link`.
 */
export function withoutConnections(page: Uint8Array): Uint8Array {
  const text = Buffer.from(page).toString('latin1');
  const inert = text.replace(/<link(?=[\s/>])/gi, '<meta').replace(/<(\/?i?frame)(?=[\s/>])/gi, '<$1-');
  return Buffer.from(inert, 'latin1');
}

/** A page that an operator may see, and the grant that says so. */
export interface Inspection {
  readonly page: PageWithVersion;
  readonly grant: string;
}

/** @param document as posted */
export function inspectPage(
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
