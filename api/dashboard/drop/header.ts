import type { Drop } from '../../../shared/drops/drop.ts';
import { copyButton, menu, noticeFor } from '../../html/elements.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { pagePath, pageUrl } from '../../http/paths.ts';
import type { HistoryData } from '../history/versions.ts';
import { titleStaysNotice } from '../new/document.ts';
import { dropPaths } from '../paths.ts';
import { accessText, readersText } from './access-labels.ts';

/** The part of a drop's page that stays in view: the title, what is done most, and what the last form has done. */
export function dropHeader(history: HistoryData, baseUrl: string, notice: unknown): Html {
  const { drop } = history;
  const { slug, title, takedown } = drop;
  const shown = noticeFor(notice, noticesOf(history, baseUrl));
  return html`<header class="drop-header">
<div class="drop-title"><h1 class="clip">${visible(title)}</h1>${badges(drop)}</div>
<div class="actions">${
    takedown === null &&
    html`<a class="button small" href="${pagePath(slug)}" target="_blank" rel="noopener">Open</a>
${copyButton(pageUrl(baseUrl, slug), 'Copy link')}
<a class="button quiet small" href="${dropPaths(slug).share}">Share</a>
<a class="button quiet small" href="${dropPaths(slug).newVersion}">New version</a>
`
  }${menu('drop-menu', 'More about this drop', menuLinks(drop))}</div>
${shown && html`<div class="drop-notice">${shown}<a class="button quiet small" href="${dropPaths(slug).drop}" data-close-notice>Close</a></div>`}
</header>`;
}

function badges(drop: Drop): Html {
  const { locked, takedown, latestVersion } = drop;
  if (takedown !== null) return html`<span class="badge bad">Taken down</span>`;
  const access = accessText(drop);
  const isPublic = access === null && !locked;
  return html`<span class="soft small">Version ${latestVersion}</span>${access !== null && html`<span class="badge">${access}</span>`}${locked && html`<span class="badge warn">Locked</span>`}${isPublic && html`<span class="badge good">Public</span>`}`;
}

/** Of a page that was taken down only what is still allowed. */
export function menuLinks({ slug, takedown, locked }: Drop): Html {
  const paths = dropPaths(slug);
  const changes = html`<a href="${paths.share}">Share</a>
<a href="${paths.edit}">Edit details</a>
<a href="${paths.passcode}">${locked ? 'Change the passcode' : 'Set a passcode'}</a>
<a href="${paths.context}">Edit the context</a>
`;
  return html`${takedown === null && changes}<a href="${paths.download}" download>Download the HTML file</a>
<a class="danger" href="${paths.remove}">Delete this drop</a>`;
}

/** What happened before the page was opened. Only versions of the drop are named: everybody can write an address. */
function noticesOf({ drop, versions }: HistoryData, baseUrl: string): Record<string, string | Html> {
  const { slug, latestVersion, locked } = drop;
  const version = `Version ${latestVersion}`;
  const url = pageUrl(baseUrl, slug);
  const restored = (number: number) =>
    `${version} is published at the same address. It is a copy of version ${number}.`;
  const passcode = locked
    ? `The passcode is set. Viewers must enter it to see version ${latestVersion} or any other.`
    : `The passcode is removed. ${readersText(drop)} can read version ${latestVersion} and all others.`;
  return {
    new: html`<span><strong>${version} is published.</strong> <code class="wrap-anywhere">${url}</code></span> ${copyButton(url)} <a class="button quiet small" href="${pagePath(slug)}" target="_blank" rel="noopener">Open</a>`,
    published: `${version} is published at the same address.`,
    [titleStaysNotice]: `${version} is published at the same address. The title stays: the document could not be searched for another one in time.`,
    context: `${version} is published at the same address, with the context that you wrote.`,
    ...Object.fromEntries(versions.map(({ number }) => [`restored-${number}`, restored(number)])),
    version_deleted: `The version is deleted. Viewers see version ${latestVersion}.`,
    saved: `The details are saved. Viewers still see version ${latestVersion}.`,
    locked: passcode,
    unlocked: passcode,
  };
}
