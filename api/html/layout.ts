import type { WaitingCounts } from '../../shared/comments/inbox.ts';
import { type Config, recognisesPeople } from '../../shared/config/config.ts';
import type { DropError } from '../../shared/domain/errors.ts';
import { helpPath } from '../http/paths.ts';
import { type Assets, assetsPath, manifestPath } from './assets.ts';
import { envelopeData } from './forms.ts';
import { type Html, html, toText, visible } from './html.ts';
import { inboxNumber } from './inbox.ts';

/** What a page consists of, made by a pure function of its data. */
export interface PageParts {
  /** The browser tab shows it, followed by the service's name. */
  readonly title: string;
  /** Contains exactly one h1. */
  readonly body: Html;
  /** The status of the answer unless the page shows an error; default: 200. */
  readonly status?: number;
  /** The error that the page shows. It decides the status and the headers of the answer, and the page contains its envelope. */
  readonly error?: DropError | undefined;
  /** The robots meta tag; default: not indexed. */
  readonly robots?: string;
  /** More elements for head: social tags, a canonical address. */
  readonly head?: Html;
  /** The bundle of `browser/NAME.ts` that runs before anything of body is there: before the style sheets, for which scripts wait. */
  readonly firstScript?: string;
  /** The bundles of `browser/NAME.ts`, in this order. The dashboard has `shared` before them, and a page with a form that is posted `forms` after them. */
  readonly scripts?: readonly string[];
  /** The style sheets `browser/NAME.css`, after the shared one. */
  readonly styles?: readonly string[];
  /** Content-Security-Policy directives that replace or extend the defaults: `{ 'connect-src': "'self'" }`. */
  readonly policy?: Readonly<Record<string, string>>;
}

/** A complete page of ours, and the Content-Security-Policy that it is sent with. */
export interface HtmlPage {
  readonly html: string;
  readonly csp: string;
}

/** What the dashboard's header needs of a session (http/session.ts). */
export interface HeaderSession {
  readonly accountName: string;
  readonly caller: { readonly isSuspended: boolean };
  readonly isOperator: boolean;
  /** The hidden field without which a form is refused. */
  readonly formField: Html;
  /** null: it could not be counted. */
  readonly inbox: WaitingCounts | null;
}

export type NavItem = 'drops' | 'new' | 'shared' | 'comments' | 'account' | 'operators';

export interface Layout {
  /** The service's own address. */
  readonly baseUrl: string;
  /** The address of a file of browser/. */
  urlOf(name: string): string;
  /** The brand above, the body on a narrow card. */
  page(parts: PageParts): HtmlPage;
  /** A page with a layout of its own: `body` contains the one `main` element. */
  bare(parts: PageParts): HtmlPage;
  /** A page of the dashboard: header and navigation above, the body in a wide `main`. @param current null: none of them */
  dashboard(session: HeaderSession, current: NavItem | null, parts: PageParts): HtmlPage;
}

/** The frame around all our pages. They load their scripts and style sheets from BASE_URL, also on the hosts of drops. */
export function createLayout({
  assets,
  config,
}: {
  assets: Assets;
  config: Pick<Config, 'BASE_URL' | 'SIGN_IN' | 'GITHUB_CLIENT_ID' | 'OIDC_ISSUER' | 'SHARING'>;
}): Layout {
  const { BASE_URL } = config;
  const nav = recognisesPeople(config) ? links : links.filter(([item]) => item !== 'shared');
  const urlOf = (name: string) => BASE_URL + assets.pathOf(name);
  const ownFiles = BASE_URL + assetsPath;
  // The vector first: a browser that can show it must not prefer the .ico, which lists a size.
  const icons = html`<link rel="icon" href="${urlOf('icon.svg')}" type="image/svg+xml">
<link rel="icon" href="${urlOf('favicon.ico')}" sizes="32x32">
<link rel="apple-touch-icon" href="${urlOf('apple-touch-icon.png')}">`;
  const manifest = html`<link rel="manifest" href="${BASE_URL}${manifestPath}">\n`;

  // `_top`, because the viewer's frame may show an error page.
  const footer = html`<footer class="foot small"><a href="${BASE_URL}${helpPath}" target="_top">Help</a></footer>`;

  // These show and hide parts of the page: after the first paint that would move what is below them.
  const blocking = ['shared', 'publish'];
  const scriptTag = (name: string) =>
    html`<script src="${urlOf(`${name}.js`)}" defer${blocking.includes(name) && html` blocking="render"`}></script>\n`;

  function lay(parts: PageParts, kind: 'narrow' | 'bare' | 'wide', body: Html): HtmlPage {
    const { title, error, robots = 'noindex, nofollow', head, styles = [], policy } = parts;
    const { firstScript: first } = parts;
    const hasForm = hasPostForm(toText(body));
    const scripts = [...(parts.scripts ?? []), ...(hasForm ? ['forms'] : [])];
    const sheets = ['style', ...styles];
    const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="${robots}">
<title>${title} · Dropleaf</title>
${first !== undefined && html`<script src="${urlOf(`${first}.js`)}"></script>\n`}${themeColors(kind)}
${icons}
${kind !== 'bare' && manifest}${sheets.map((name) => html`<link rel="stylesheet" href="${urlOf(`${name}.css`)}">\n`)}${scripts.map(scriptTag)}${head}${error && envelopeData(error)}</head>
<body class="${kind}">
${body}
</body>
</html>
`;
    const loads = {
      'style-src': ownFiles,
      'img-src': `'self' data: ${ownFiles}`,
    };
    // Not on the viewer: a page that is added to a home screen opens as itself. WebKit does not know the directive.
    const app = kind !== 'bare' && { 'manifest-src': BASE_URL + manifestPath };
    const script = scripts.length > 0 && { 'script-src': ownFiles };
    const form = hasForm && { 'connect-src': "'self'" };
    return { html: toText(document), csp: policyText({ ...loads, ...app, ...script, ...form, ...policy }) };
  }

  return {
    baseUrl: BASE_URL,
    urlOf,
    page: (parts) =>
      lay(
        parts,
        'narrow',
        html`<header class="masthead">${brandTo(`${BASE_URL}/`)}</header>\n<main>${parts.body}</main>\n${footer}`,
      ),
    bare: (parts) => lay(parts, 'bare', parts.body),
    dashboard(session, current, parts) {
      const scripts = ['shared', ...(parts.scripts ?? [])];
      const waits = inboxNumber(session.inbox);
      const title = waits === null ? parts.title : `(${waits}) ${parts.title}`;
      const body = html`${dashboardHeader(session, { nav, current, waits })}\n<main id="main" tabindex="-1">${session.caller.isSuspended && suspensionNotice}${parts.body}</main>\n${footer}`;
      return lay({ ...parts, title, scripts }, 'wide', body);
    },
  };
}

/** Untrusted text has no tags. */
function hasPostForm(markup: string): boolean {
  return markup.includes('<form') && markup.includes('method="post"');
}

/** By default a page loads only our own files, sends forms only to us, and cannot be framed. */
function policyText(more: Readonly<Record<string, string>>): string {
  const directives = {
    'default-src': "'none'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    ...more,
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}

/** On every page of the dashboard, or the person fills in a form that is refused. */
const suspensionNotice = html`<p class="notice bad">The operators suspended this account. You can read and export what you own, revoke tokens and end sessions. Everything else is refused.</p>
`;

type NavLinks = readonly (readonly [NavItem, path: string, text: string])[];

const links: NavLinks = [
  ['drops', '/drops', 'Drops'],
  ['new', '/drops/new', 'New'],
  ['shared', '/shared', 'Shared'],
  ['comments', '/comments', 'Comments'],
  ['account', '/account', 'Account'],
];
const operatorLink = ['operators', '/operators', 'Operators'] as const;

function dashboardHeader(
  { accountName, isOperator, formField }: HeaderSession,
  { nav, current, waits }: { nav: NavLinks; current: NavItem | null; waits: string | null },
): Html {
  const shown = isOperator ? [...nav, operatorLink] : nav;
  return html`<a class="skip-link" href="#main">Skip to the content</a>
<header class="topbar"><div>
${brandTo('/drops')}
<nav aria-label="Dashboard">${shown.map(
    ([item, path, text]) =>
      html`<a href="${path}"${item === current && html` aria-current="page"`}>${text}${item === 'comments' && inboxBadge(waits)}</a>`,
  )}</nav>
<form method="post" action="/sign-out">${formField}<span class="who clip">${visible(accountName)}</span><button type="submit" class="quiet small">Sign out</button></form>
</div></header>`;
}

/** A script renews it with a page that it reads anyway (browser/shared/read-page.ts). */
function inboxBadge(waits: string | null): Html {
  return html`<span data-inbox>${waits !== null && html`<span class="count">${waits}</span><span class="visually-hidden"> waiting</span>`}</span>`;
}

/** The colour of the browser's own bars: that of the upper edge of the page (browser/parts/base.css). */
function themeColors(kind: 'narrow' | 'bare' | 'wide'): Html {
  const [light, dark] = kind === 'narrow' ? ['#f4f6f2', '#0e1210'] : ['#ffffff', '#171c19'];
  return html`<meta name="theme-color" content="${light}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${dark}" media="(prefers-color-scheme: dark)">`;
}

const mark: Html = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d="M12 2.5c4.6 4 7 7.4 7 11.1a7 7 0 0 1-6.1 7V14.2l3-3a.9.9 0 0 0-1.3-1.3l-1.7 1.7V8.4a.9.9 0 0 0-1.8 0v5.8l-1.7-1.7a.9.9 0 0 0-1.3 1.3l3 3v3.8a7 7 0 0 1-6.1-7c0-3.7 2.4-7.1 7-11.1z"/></svg>`;

/** `_top`, because the viewer's frame may show an error page. */
export function brandTo(href: string): Html {
  return html`<a class="brand" href="${href}" target="_top">${mark}Dropleaf</a>`;
}
