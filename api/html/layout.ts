import { createHash } from 'node:crypto';
import { type Html, html, raw, toText } from './html.ts';
import { style } from './style.ts';

export interface PageParts {
  /** Of the browser tab, followed by the service's name. */
  readonly title: string;
  /** Contains exactly one h1. */
  readonly body: Html;
  /** The robots meta tag; default: not indexed. */
  readonly robots?: string;
  /** More elements for head: social tags, a canonical address. */
  readonly head?: Html;
  /** A constant style sheet, added to the shared one. It is not escaped. */
  readonly css?: string;
  /** Content-Security-Policy directives that replace or extend the defaults: `{ 'form-action': "'self'" }`. */
  readonly policy?: Readonly<Record<string, string>>;
}

/** A complete page of ours, and the Content-Security-Policy that it is sent with. */
export interface HtmlPage {
  readonly html: string;
  readonly csp: string;
}

/** A page in the standard layout: the brand above, the body on a card. */
export function page(parts: PageParts): HtmlPage {
  const body = html`<header class="masthead">${brand}</header>
<main>${parts.body}</main>`;
  return barePage({ ...parts, body });
}

/** A page with a layout of its own: `body` contains the one `main` element. */
export function barePage(parts: PageParts): HtmlPage {
  const { title, body, robots = 'noindex, nofollow', head, css = '', policy } = parts;
  const sheet = style + css;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="${robots}">
<title>${title} · Dropleaf</title>
<link rel="icon" href="${icon}">
${head}<style>${raw(sheet)}</style>
</head>
<body>
${body}
</body>
</html>
`;
  return { html: toText(document), csp: policyFor(sheet, policy) };
}

/** By default a page loads only its own style sheet and icon, runs no script, sends no form and cannot be framed. */
function policyFor(sheet: string, more: PageParts['policy']): string {
  const directives = {
    'default-src': "'none'",
    'style-src': `'sha256-${createHash('sha256').update(sheet).digest('base64')}'`,
    'img-src': 'data:',
    'form-action': "'none'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    ...more,
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}

const leaf =
  'M12 2.5c4.6 4 7 7.4 7 11.1a7 7 0 0 1-6.1 7V14.2l3-3a.9.9 0 0 0-1.3-1.3l-1.7 1.7V8.4a.9.9 0 0 0-1.8 0v5.8l-1.7-1.7a.9.9 0 0 0-1.3 1.3l3 3v3.8a7 7 0 0 1-6.1-7c0-3.7 2.4-7.1 7-11.1z';

const brand: Html = html`<span class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d="${leaf}"/></svg>Dropleaf</span>`;

const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2f9e62" d="${leaf}"/></svg>`)}`;
