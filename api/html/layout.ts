import { createHash } from 'node:crypto';
import { type Html, html, raw, toText } from './html.ts';
import { style } from './style.ts';

export interface PageParts {
  /** What the tab says; the service's name is added. */
  readonly title: string;
  /** Exactly one h1 in it. */
  readonly body: Html;
  /** For search engines; none of our own pages is worth finding unless it says so. */
  readonly robots?: string;
  /** More for head: social tags, a canonical address. */
  readonly head?: Html;
  /** Rules after the shared ones. A constant: it is not escaped. */
  readonly css?: string;
  /** Those rules and not the shared ones. */
  readonly ownStyle?: true;
}

export interface Page {
  readonly html: string;
  /** The style sheet's source expression for `style-src`. */
  readonly styleHash: string;
}

/** A page in our frame: the brand, and the body on a card. */
export function page(parts: PageParts): Page {
  const body = html`<header class="masthead">${brand}</header>
<main>${parts.body}</main>`;
  return barePage({ ...parts, body });
}

/** A page that brings its own frame: the body is all there is, its one `main` included. */
export function barePage(parts: PageParts): Page {
  const { title, body, robots = 'noindex, nofollow', head, css = '', ownStyle } = parts;
  const sheet = ownStyle ? css : style + css;
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
  return {
    html: toText(document),
    styleHash: `'sha256-${createHash('sha256').update(sheet).digest('base64')}'`,
  };
}

/**
 * The Content-Security-Policy of a page: nothing but its own style sheet and its icon, no script, framed by
 * nobody.
 * @param more further directives, or others for those named here: `{ 'form-action': "'self'" }`
 */
export function policyOf(page: Page, more: Readonly<Record<string, string>> = {}): string {
  const directives = {
    'default-src': "'none'",
    'style-src': page.styleHash,
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

/** The name with its leaf, for the head of a page. */
const brand: Html = html`<span class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d="${leaf}"/></svg>Dropleaf</span>`;

const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2f9e62" d="${leaf}"/></svg>`)}`;
