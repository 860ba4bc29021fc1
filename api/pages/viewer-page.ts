import { type Html, html } from '../html/html.ts';
import { barePage, policyOf } from '../html/layout.ts';
import { sandbox, sandboxOnOwnHost } from './sandbox.ts';
import { viewerStyle } from './viewer-style.ts';

/** What the viewer shows of a drop. Holds no metadata: they are their owner's alone (spec section 2). */
export interface ViewerParts {
  readonly title: string;
  readonly description: string | null;
  /** The drop's public address, absolute. */
  readonly url: string;
  /** The frame's address. */
  readonly rawUrl: string;
  /** The origin of that address where it is the drop's alone; absent where the frame is served from our host. */
  readonly ownOrigin?: string;
  /** The number of the version in the frame. */
  readonly version: number;
  readonly latestVersion: number;
  /** Where to tell those who run the service of it. */
  readonly reportPath: string;
  /** As `pages.context` gives it; null for none. */
  readonly context: Html | null;
  readonly indexable: boolean;
}

/** GET /p/{slug} (spec 4.5): the drop in a sandboxed frame, under a bar that leaves it nearly all the space. */
export function viewerPage(parts: ViewerParts): { html: string; csp: string } {
  const { title, rawUrl, ownOrigin, reportPath, context, indexable } = parts;
  const tokens = ownOrigin === undefined ? sandbox : sandboxOnOwnHost;
  const page = barePage({
    title,
    robots: indexable ? 'index, follow' : 'noindex, nofollow',
    head: head(parts),
    css: viewerStyle,
    body: html`<header class="bar">
<h1 dir="auto" title="${title}">${title}</h1>
${versionNote(parts)}
${context && contextToggle(context)}
<a class="report" href="${reportPath}" rel="nofollow">Report <span class="word">this page</span></a>
</header>
<main><iframe src="${rawUrl}" title="${title}" sandbox="${tokens}" allow="fullscreen; clipboard-write" referrerpolicy="no-referrer"></iframe></main>`,
  });
  return {
    html: page.html,
    csp: policyOf(page, {
      'frame-src': ownOrigin ?? anywhere(parts.url),
      'form-action': "'self'",
      'frame-ancestors': "'self'",
    }),
  };
}

/**
 * Without an origin a drop may lead its frame anywhere a browser would show; with one the frame stays on its host, which
 * its tokens are meant for.
 */
function anywhere(url: string): string {
  return url.startsWith('https:') ? "'self' https:" : "'self' https: http:";
}

function head({ title, description, url }: ViewerParts): Html {
  const about =
    description === null
      ? null
      : html`<meta name="description" content="${description}">
<meta property="og:description" content="${description}">
`;
  return html`<link rel="canonical" href="${url}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Dropleaf">
<meta property="og:title" content="${title}">
<meta property="og:url" content="${url}">
<meta name="twitter:card" content="summary">
${about}`;
}

function versionNote({ version, latestVersion, url }: ViewerParts): Html {
  const note = html`<span class="word">version </span>${version} of ${latestVersion}`;
  if (version === latestVersion) return html`<p class="version">${note}</p>`;
  return html`<p class="version old">${note} <a href="${new URL(url).pathname}">latest</a></p>`;
}

/** The native element: it opens without any script, over the drop and not instead of it. */
function contextToggle(context: Html): Html {
  return html`<details class="context">
<summary>Context</summary>
<section aria-label="Context" tabindex="0">${context}</section>
</details>`;
}
