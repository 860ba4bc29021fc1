import type { Page } from '../../shared/drops/drop.ts';
import { timeTag } from '../html/elements.ts';
import { type Html, html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { helpPath, pagePartPath, pagePath, pageUrl, rawPath, reportPath } from '../http/paths.ts';
import { framedUrl } from './frame.ts';
import { sandbox, sandboxOnOwnHost } from './raw-headers.ts';
import { type SocialParts, socialTags } from './social-tags.ts';

/** What the viewer shows of a drop. It has no metadata, which only the owner may see (spec section 2). */
export interface ViewerParts extends SocialParts {
  /** The address of the raw page. */
  readonly rawUrl: string;
  /** The drop's own origin, if the frame is served from one. */
  readonly ownOrigin?: string;
  /** The number of the version in the frame. */
  readonly version: number;
  /** Its internal id. */
  readonly versionId: string;
  /** When it was posted, Unix ms. */
  readonly createdAt: number;
  readonly latestVersion: number;
  /** Whether the address names this version: then the viewer offers no later one. */
  readonly isPinned: boolean;
  readonly isLocked: boolean;
  readonly access: Page['access'];
  /** Sanitized markup; null for none. */
  readonly context: Html | null;
  readonly indexable: boolean;
  /** Who may write comments. */
  readonly comments: Page['comments'];
  /** The address of the script that shows them. */
  readonly commentsScript: string;
}

/** Sources of `frame-src`: Firefox and WebKit save a file that a script made only if the frame may open its address. */
export const madeByScripts = 'data: blob:';

/**
 * GET /p/{slug} (spec 4.5): the drop in a sandboxed frame below a narrow bar. The frame is lazy so that browser/viewer/first-load.ts can give it
 * another address before it loads; without scripts it loads at once.
 */
export function viewerPage(parts: ViewerParts): PageParts {
  const { baseUrl, slug, title, rawUrl, ownOrigin, versionId, isPinned, indexable } = parts;
  const tokens = ownOrigin === undefined ? sandbox : sandboxOnOwnHost;
  // Firefox and WebKit take the origin of a sandboxed frame for none. browser/viewer/frame.ts takes it back from other sites.
  const fullScreen = ownOrigin === undefined ? 'fullscreen *' : 'fullscreen';
  const live = !isPinned && html` data-latest="${pagePartPath(slug, 'latest')}" data-id="${versionId}"`;
  return {
    title,
    robots: indexable ? 'index, follow' : 'noindex, nofollow',
    ...(parts.access === 'link' && { head: socialTags(parts) }),
    firstScript: 'viewer',
    scripts: ['shared'],
    styles: ['viewer'],
    body: html`${viewerBar(parts)}
<button type="button" class="handle" aria-label="Show the bar" hidden></button>
<main${live}>
<iframe src="${framedUrl(rawUrl)}" loading="lazy" title="${title}" sandbox="${tokens}" allow="${fullScreen}; clipboard-write" referrerpolicy="no-referrer"></iframe>
<div class="failure" role="alert" hidden>
<h2>This page could not be loaded</h2>
<p>The service does not answer, or this device is offline.</p>
<p><a class="button" href="">Try again</a></p>
</div>
</main>
<div class="notices" role="status"></div>
<p class="print-note">This is the frame around a page, which browsers cannot print whole. Choose Print in its menu, or open ${pageUrl(baseUrl, slug)}/print</p>`,
    policy: {
      'connect-src': "'self'",
      'frame-src': `${ownOrigin === undefined ? anyOrigin(baseUrl) : `${ownOrigin} ${baseUrl}${pagePartPath(slug, 'comments')}`} ${madeByScripts}`,
      'frame-ancestors': "'self'",
    },
  };
}

/**
 * A drop on our host may navigate its frame anywhere, as a tab may. On its own origin the sandbox allows that origin only.
 */
function anyOrigin(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? "'self' https:" : "'self' https: http:";
}

/**
 * One row: title, version and menus, which are popovers. Buttons that need a script (browser/viewer.ts) are hidden without.
 */
function viewerBar(parts: ViewerParts): Html {
  const { title, context } = parts;
  return html`<header class="bar">
<h1><button type="button" popovertarget="about" title="${title}"><span dir="auto">${title}</span>${context && contextIcon}</button></h1>
${aboutMenu(parts)}
${versionMenu(parts)}
${commentsButton(parts)}
${shareMenu(parts)}
${moreMenu(parts)}
</header>`;
}

/** The whole title, which the bar may cut, and everything about the page that is not an act. */
function aboutMenu(parts: ViewerParts): Html {
  const { slug, title, description, version, latestVersion, createdAt, context, comments } = parts;
  const versions = latestVersion > 1 && html` <a href="${pagePartPath(slug, 'versions')}">All versions</a>`;
  return html`<div class="sheet about" popover id="about">
<h2 dir="auto">${title}</h2>
${description !== null && html`<p dir="auto">${description}</p>\n`}<p class="soft small">Version ${version}, published ${timeTag(createdAt)} with <a href="/">Dropleaf</a>.${versions}</p>
<p class="small"><a href="${helpPath}#viewers">What is this page?</a> · <a href="${reportPath(slug, version)}" rel="nofollow">Report this page</a>${comments !== 'owner' && html` · <a href="${pagePartPath(slug, 'comments', version)}" rel="nofollow">Comments</a>`}</p>
${context && html`<details class="more context" open>\n<summary><h2>Context</h2></summary>\n${context}\n</details>\n`}</div>`;
}

/** The script puts the list of versions in place of the link to it: the list is not read for every viewer. */
function versionMenu({ slug, version, latestVersion }: ViewerParts): Html | false {
  if (latestVersion === 1) return false;
  const isOld = version !== latestVersion;
  return html`${isOld && html`<a class="latest" href="${pagePath(slug)}">Latest</a>\n`}<button type="button" class="opener${isOld && ' old'}" popovertarget="versions"><span class="word">Version </span>${version}<span${!isOld && html` class="word"`}> of ${latestVersion}</span></button>
<div class="sheet list" popover id="versions" data-shown="${version}"><a href="${pagePartPath(slug, 'versions')}" data-list>All versions</a></div>`;
}

/** The script shows it to readers who may write comments. The page is the same for everybody. */
function commentsButton({ slug, version, commentsScript }: ViewerParts): Html {
  return html`<button type="button" class="opener" aria-expanded="false" data-comments="${pagePartPath(slug, 'comments', version)}" data-script="${commentsScript}" hidden>${commentsIcon}<span class="word">Comments</span><span class="count"></span></button>`;
}

function shareMenu(parts: ViewerParts): Html {
  const { baseUrl, slug, title, version, latestVersion, isLocked, access } = parts;
  const url = pageUrl(baseUrl, slug);
  return html`<button type="button" class="opener" popovertarget="share">${shareIcon}<span class="word">Share</span></button>
<div class="sheet share" popover id="share">
<label for="address">Address of this page</label>
<input id="address" type="text" readonly value="${url}">
<button type="button" data-copy="${url}" hidden>Copy the link</button>
<button type="button" class="quiet" data-share="${url}" data-title="${title}" hidden>Share…</button>
${latestVersion > 1 && html`<button type="button" class="quiet" data-copy="${url}?v=${version}" hidden>Copy the link to version ${version}</button>\n`}${access !== 'link' && html`<p class="soft small">${readersOf[access]} can open it.</p>\n`}${isLocked && html`<p class="soft small">Whoever opens it needs the passcode.</p>\n`}<img src="${pagePartPath(slug, 'qr.svg')}" width="200" height="200" loading="lazy" alt="QR code of the address">
</div>`;
}

const readersOf = {
  members: 'Only people with an account of this service',
  named: 'Only people whom its owner has named',
} as const;

function moreMenu({ slug, version, latestVersion, ownOrigin, rawUrl }: ViewerParts): Html {
  const alone = version === latestVersion ? rawPath(slug) : `${rawPath(slug)}?v=${version}`;
  // With an origin of its own the page needs it, to find what it has stored; the person prints it there.
  const print =
    ownOrigin === undefined
      ? html`<a href="${pagePartPath(slug, 'print', version)}" target="_blank">Print</a>`
      : html`<a href="${rawUrl}" target="_blank">Open to print</a>`;
  return html`<button type="button" class="opener" popovertarget="more" aria-label="More">${moreIcon}</button>
<div class="sheet list" popover id="more">
<button type="button" data-full-screen hidden>Full screen</button>
<button type="button" aria-pressed="false" data-desktop hidden>Desktop width</button>
<button type="button" data-hide-bar hidden>Hide this bar</button>
<a href="${alone}" target="_blank">Open without this bar</a>
${print}
<a href="${pagePartPath(slug, 'download', version)}" rel="nofollow">Download</a>
</div>`;
}

const contextIcon = html`<svg class="icon" viewBox="0 0 24 24" role="img" aria-label=" with context"><path d="M5 6h14M5 12h14M5 18h8"/></svg>`;
const commentsIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 5h16v11h-9l-4 4v-4H4z"/></svg>`;
const shareIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 15V4m0 0L8 8m4-4 4 4M5 12v7h14v-7"/></svg>`;
const moreIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M5 12h.01M12 12h.01M19 12h.01"/></svg>`;
