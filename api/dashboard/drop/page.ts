import type { Drop } from '../../../shared/domain/drop.ts';
import { copyButton } from '../../html/copy-button.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { noticeFor } from '../../html/notice.ts';
import { countOf } from '../../html/quantity.ts';
import { timeTag } from '../../html/time.ts';
import { ownerPath, pagePath, pageUrl } from '../../http/paths.ts';
import type { Preview } from '../../pages/frame.ts';
import { type HistoryData, historyNotices, historySection, historyStyles } from '../history/section.ts';
import { detailsSection } from './details-section.ts';
import { previewSection } from './preview-section.ts';
import { shareSection } from './share-section.ts';
import { type Range, type Views, viewsSection } from './views-section.ts';

/** What happened before the page was opened. */
const notices: Readonly<Record<string, string>> = {
  published: 'The new version is published. Viewers see it at the same address.',
  saved: 'The details are saved.',
  locked: 'The passcode is set. Viewers must enter it from now on.',
  unlocked: 'The passcode is removed. Everybody with the link can read the page.',
  ...historyNotices,
};

/** GET /drops/{slug}: one drop for its owner. */
export function dropPage(parts: {
  readonly drop: Drop;
  readonly stats: Views;
  readonly range: Range;
  /** null: the page was taken down. */
  readonly preview: Preview | null;
  readonly baseUrl: string;
  /** From the address. */
  readonly notice: unknown;
  /** Newest first. */
  readonly versions: HistoryData['versions'];
  /** Of the session. */
  readonly formField: Html;
}): PageParts {
  const { drop, stats, range, preview, baseUrl, notice, versions, formField } = parts;
  const { slug, title, takedown } = drop;
  return {
    title,
    styles: ['drop', ...historyStyles],
    scripts: ['drop'],
    ...(preview && { policy: { 'frame-src': preview.source } }),
    body: html`${noticeFor(notice, notices)}
<div class="page-head"><div>
<h1>${visible(title)}</h1>
${badges(drop, stats)}
</div><div class="actions">${
      !takedown &&
      html`<a class="button" href="${pagePath(slug)}" target="_blank" rel="noopener">Open page</a>
${copyButton(pageUrl(baseUrl, slug), 'Copy link')}`
    }</div></div>
${takenDownNotice(drop)}
${previewSection(preview)}
<div${!takedown && html` class="columns"`}>
${detailsSection(drop)}
${!takedown && shareSection(drop, baseUrl)}
</div>
${viewsSection({ slug, stats, range })}
${historySection({ drop, versions, formField })}
<section class="panel danger-zone" aria-labelledby="delete-title">
<h2 id="delete-title">Delete</h2>
<div class="row between"><p>The page and all its versions are deleted for good. The address shows nothing any more.</p>
<a class="button danger quiet" href="${ownerPath(slug)}/delete">Delete this drop</a></div>
</section>`,
  };
}

function badges({ locked, latestVersion, takedown, expiresAt, updatedAt }: Drop, { viewCount }: Views): Html {
  return html`<div class="meta">
${takedown ? html`<span class="badge bad">Taken down</span>` : html`<span class="badge${locked ? ' warn' : ' good'}">${locked ? 'Locked' : 'Public'}</span>`}
${expiresAt !== null && html`<span class="badge warn">Expires ${timeTag(expiresAt)}</span>`}
<span>Version ${latestVersion}</span>
<span>Changed ${timeTag(updatedAt, { relative: true })}</span>
<span>${countOf(viewCount, 'view')}</span>
</div>`;
}

function takenDownNotice({ takedown, slug }: Drop): Html | null {
  if (takedown === null) return null;
  return html`<div class="notice bad">
<p><strong>The operators of this service took this page down</strong> (${timeTag(takedown.at)}). Viewers cannot open it, and you cannot change it.</p>
<p>Their reason: ${visible(takedown.reason)}</p>
<p>You can <a href="${ownerPath(slug)}/download" download>download the HTML file</a> or delete the drop.</p>
</div>`;
}
