import { envelopeData, errorText, fieldState, formError } from '../html/error-page.ts';
import { type Html, html } from '../html/html.ts';
import { barePage, type HtmlPage, page } from '../html/layout.ts';
import type { ErrorEnvelope } from '../http/http-error.ts';
import { sandbox, sandboxOnOwnHost } from './raw-headers.ts';

/** What the viewer shows of a drop. It has no metadata, which only the owner may see (spec section 2). */
export interface ViewerParts {
  readonly title: string;
  readonly description: string | null;
  /** The drop's public address, absolute. */
  readonly url: string;
  /** The address of the frame. */
  readonly rawUrl: string;
  /** The drop's own origin, if the frame is served from one. */
  readonly ownOrigin?: string;
  /** The number of the version in the frame. */
  readonly version: number;
  readonly latestVersion: number;
  readonly reportPath: string;
  /** Sanitized markup; null for none. */
  readonly context: Html | null;
  readonly indexable: boolean;
}

/** GET /p/{slug} (spec 4.5): the drop in a sandboxed frame below a narrow bar. */
export function viewerPage(parts: ViewerParts): HtmlPage {
  const { title, rawUrl, ownOrigin, reportPath, context, indexable } = parts;
  const tokens = ownOrigin === undefined ? sandbox : sandboxOnOwnHost;
  return barePage({
    title,
    robots: indexable ? 'index, follow' : 'noindex, nofollow',
    head: socialTags(parts),
    css: viewerStyle,
    body: html`<header class="bar">
<h1 dir="auto" title="${title}">${title}</h1>
${versionNote(parts)}
${context && contextToggle(context)}
<a class="report" href="${reportPath}" rel="nofollow">Report <span class="word">this page</span></a>
</header>
<main><iframe src="${rawUrl}" title="${title}" sandbox="${tokens}" allow="fullscreen; clipboard-write" referrerpolicy="no-referrer"></iframe></main>`,
    policy: {
      'frame-src': ownOrigin ?? anyOrigin(parts.url),
      'form-action': "'self'",
      'frame-ancestors': "'self'",
    },
  });
}

/** GET /p/{slug} of a locked drop. It shows nothing of the drop: neither title nor description nor context. */
export function passcodePage(parts: {
  /** The page's own path with its query. */
  readonly action: string;
  /** The error of the last attempt. */
  readonly envelope?: ErrorEnvelope;
}): HtmlPage {
  const { action, envelope } = parts;
  return page({
    title: 'Passcode',
    ...(envelope && { head: envelopeData(envelope) }),
    body: html`<h1>Enter the passcode</h1>
<p class="soft">The owner protected this page with a passcode.</p>
<form method="post" action="${action}">
${formError(envelope && errorText(envelope.error))}
<label for="passcode">Passcode</label>
<input id="passcode" name="passcode" type="password" required autofocus autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${fieldState(envelope !== undefined)}>
<button type="submit">Show page</button>
</form>`,
    policy: { 'form-action': "'self'", 'frame-ancestors': "'self'" },
  });
}

/**
 * A drop on our own host may navigate its frame to any website, as in a tab of its own. A drop on its own origin stays
 * there, because its sandbox allows the origin.
 */
function anyOrigin(url: string): string {
  return url.startsWith('https:') ? "'self' https:" : "'self' https: http:";
}

function socialTags({ title, description, url }: ViewerParts): Html {
  const about =
    description !== null &&
    html`<meta name="description" content="${description}">
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

/** A `details` element opens without scripts. */
function contextToggle(context: Html): Html {
  return html`<details class="context">
<summary>Context</summary>
<section aria-label="Context" tabindex="0">${context}</section>
</details>`;
}

const viewerStyle = `
html { height: 100%; }
body { height: 100vh; height: 100dvh; min-height: 0; padding: 0; overflow: hidden; background: var(--surface); }
.bar { position: relative; z-index: 1; flex: none; display: flex; align-items: center; gap: .75rem; width: 100%; min-height: 2.5rem; padding: 0 .875rem; border-bottom: 1px solid var(--line); background: var(--surface); font-size: .875rem; line-height: 1.4; }
.bar h1 { flex: 1 1 auto; min-width: 0; margin: 0; overflow: hidden; font-size: .9375rem; line-height: 1.4; font-weight: 600; letter-spacing: 0; white-space: nowrap; text-overflow: ellipsis; }
.version { flex: none; margin: 0; color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
.version.old { padding: .0625rem .625rem; border: 1px solid var(--warn-line); border-radius: 99px; color: var(--warn); background: var(--warn-tint); }
.version.old a { margin-left: .25rem; color: inherit; font-weight: 600; }
main { flex: 1 1 auto; max-width: none; min-height: 0; padding: 0; border: 0; border-radius: 0; background: none; box-shadow: none; }
iframe { display: block; width: 100%; height: 100%; border: 0; background: Canvas; }

.context { flex: none; }
.context summary { display: flex; align-items: center; gap: .375rem; min-height: 2.5rem; padding: 0 .125rem; color: var(--leaf); font-weight: 600; cursor: pointer; list-style: none; user-select: none; }
.context summary::-webkit-details-marker { display: none; }
.context summary::after { content: ""; width: .4375rem; height: .4375rem; margin-top: -.25rem; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(45deg); }
.context[open] summary::after { margin-top: .25rem; transform: rotate(225deg); }
.context summary:focus-visible { outline-offset: -3px; border-radius: 8px; }
.context section { position: absolute; top: 100%; right: 0; width: min(100%, 34rem); max-height: calc(100vh - 6rem); max-height: calc(100dvh - 6rem); padding: 1rem 1.25rem 1.25rem; overflow: auto; overscroll-behavior: contain; border: 1px solid var(--line); border-width: 0 0 1px 1px; border-radius: 0 0 0 12px; background: var(--surface); box-shadow: var(--shadow); font-size: .9375rem; }
.context section:focus-visible { outline-offset: -3px; }
.context section > :first-child { margin-top: 0; }
.context section > :last-child { margin-bottom: 0; }
.context :is(h2, h3, h4, h5, h6) { margin: 1.25rem 0 .5rem; font-size: 1rem; line-height: 1.35; }
.context h2 { font-size: 1.125rem; }
.context :is(ul, ol) { margin: 0 0 1rem; padding-left: 1.5rem; }
.context li > p { margin-bottom: .5rem; }
.context code { padding: .0625rem .25rem; border-radius: 4px; background: var(--tint); font-size: .875em; }
.context pre { margin: 0 0 1rem; padding: .75rem; overflow-x: auto; border-radius: 8px; background: var(--tint); line-height: 1.45; overflow-wrap: normal; }
.context pre code { padding: 0; background: none; }
.context blockquote { margin: 0 0 1rem; padding-left: .875rem; border-left: 3px solid var(--line); color: var(--soft); }
.context table { display: block; width: max-content; max-width: 100%; margin: 0 0 1rem; overflow-x: auto; border-collapse: collapse; }
.context :is(th, td) { padding: .25rem .625rem; border: 1px solid var(--line); text-align: start; vertical-align: top; }
.context hr { margin: 1.25rem 0; border: 0; border-top: 1px solid var(--line); }

.report { flex: none; display: flex; align-items: center; gap: .25em; min-height: 2.5rem; color: var(--soft); font-size: .8125rem; white-space: nowrap; }

@media (max-width: 30rem) {
  .bar { flex-wrap: wrap; gap: 0 .625rem; padding: 0 .75rem; }
  .bar h1 { flex-basis: 8rem; min-width: 8rem; line-height: 2.25rem; }
  .version.old + .context { margin-left: auto; }
  .bar .word { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .version:not(.old) { font-size: .8125rem; }
  .context section { width: 100%; max-height: 60vh; max-height: 60dvh; border-left: 0; border-radius: 0; }
}
@media (max-height: 26rem) {
  .bar, .context summary, .report { min-height: 2rem; }
}
`;
