import { html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { pagePartPath, pageUrl } from '../http/paths.ts';
import { sandbox, sandboxOnOwnHost } from './raw-headers.ts';
import { socialTags } from './social-tags.ts';
import { viewerBar } from './viewer-bar.ts';
import type { ViewerParts } from './viewer-parts.ts';

/** GET /p/{slug} (spec 4.5): the drop in a sandboxed frame below a narrow bar. */
export function viewerPage(parts: ViewerParts): PageParts {
  const { baseUrl, slug, title, rawUrl, ownOrigin, versionId, isPinned, indexable } = parts;
  const tokens = ownOrigin === undefined ? sandbox : sandboxOnOwnHost;
  const live = !isPinned && html` data-latest="${pagePartPath(slug, 'latest')}" data-id="${versionId}"`;
  return {
    title,
    robots: indexable ? 'index, follow' : 'noindex, nofollow',
    head: socialTags(parts),
    scripts: ['shared', 'viewer'],
    styles: ['viewer'],
    body: html`${viewerBar(parts)}
<main${live}>
<iframe src="${rawUrl}" title="${title}" sandbox="${tokens}" allow="fullscreen; clipboard-write" referrerpolicy="no-referrer"></iframe>
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
      'frame-src': ownOrigin ?? anyOrigin(baseUrl),
      'frame-ancestors': "'self'",
    },
  };
}

/**
 * A drop on our own host may navigate its frame to any website, as in a tab of its own. A drop on its own origin stays
 * there, because its sandbox allows the origin.
 */
function anyOrigin(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? "'self' https:" : "'self' https: http:";
}
