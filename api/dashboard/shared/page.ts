import type { SharedDrop } from '../../../shared/drops/shared-drops.ts';
import { timeAgo } from '../../html/elements.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { queryOf } from '../../http/parameters.ts';
import { dashboardPaths, pagePath } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { entryText } from '../drop/access-labels.ts';
import { dashboardPages, type SessionPage } from '../pages.ts';

/** Drops of one page. */
const pageSize = 50;

interface SharedList {
  readonly drops: readonly SharedDrop[];
  /** null: there are no more. */
  readonly next: string | null;
  /** Whether the list begins after other drops. */
  readonly isContinued: boolean;
  /** As whom others may name the account. */
  readonly entries: readonly string[];
}

/** /shared: what others share with an account by name. */
export function sharedRoutes(parts: RouteParts): readonly Route[] {
  const { sharedDrops, readers } = parts.services;
  return [
    dashboardPages(parts, 'shared').page(dashboardPaths.shared, async (req, _, { caller }) => {
      const after = readCursor(queryOf(req).after);
      const [list, entries] = await Promise.all([
        sharedDrops.list(caller, after, pageSize),
        readers.entriesOf(caller.accountId),
      ]);
      return sharedPage({ ...list, isContinued: after !== null, entries: [...entries] });
    }),
  ];
}

/** The id of the last drop of the list before; null: from the first. */
function readCursor(after: unknown): string | null {
  return typeof after === 'string' && /^[0-9a-f]{32}$/.test(after) ? after : null;
}

export function sharedPage({ drops, next, isContinued, entries }: SharedList): SessionPage {
  const nothing = isContinued ? html`<p class="soft">There are no more.</p>` : nothingShared(entries);
  return {
    title: 'Shared with me',
    styles: ['share'],
    body: html`<div class="reading"><h1>Shared with me</h1>
${drops.length === 0 ? nothing : html`<ul class="rows panel shared">\n${drops.map(row)}</ul>`}
${next !== null && html`<p><a class="button quiet small" href="${dashboardPaths.shared}?after=${next}">Older drops</a></p>`}
${drops.length > 0 && entries.length > 0 && html`<p class="small soft wrap-anywhere">Others name you as ${names(entries)}.</p>`}</div>`,
  };
}

function row({ slug, title, description, ownerName, locked, updatedAt }: SharedDrop): Html {
  return html`<li><h2 class="clip"><a href="${pagePath(slug)}" title="${title ?? ''}">${title === null ? 'A page with a passcode' : visible(title)}</a></h2>
${description !== null && html`<p class="small soft clip">${visible(description.replace(/\s+/g, ' '))}</p>\n`}<p class="meta"><span>By ${visible(ownerName)}</span><span>Changed ${timeAgo(updatedAt)}</span>${locked && html`<span class="badge">Locked</span>`}</p></li>
`;
}

function nothingShared(entries: readonly string[]): Html {
  const known =
    entries.length === 0
      ? html`Your sign-in gives this service no verified address and no group, so nobody can name you.`
      : html`Others can name you as ${names(entries)}.`;
  return html`<section class="empty"><h2>Nothing is shared with you</h2>
<p>Here are the pages on whose list you stand. Pages for all members, and those with a public link, are not listed.</p>
<p class="wrap-anywhere">${known}</p></section>`;
}

/** More are cut: a provider may have hundreds of groups. */
const namesShown = 12;

function names(entries: readonly string[]): Html {
  const shown = entries
    .slice(0, namesShown)
    .map((entry, n) => html`${n > 0 && ', '}<b>${visible(nameOf(entry))}</b>`);
  const more = entries.length - namesShown;
  return html`${shown}${more > 0 && ` and ${more} more`}`;
}

function nameOf(entry: string): string {
  const text = entryText(entry);
  return text.charAt(0).toLowerCase() + text.slice(1);
}
