import type { AskStanding } from '../../shared/access-requests/access-requests.ts';
import { notFound } from '../../shared/domain/errors.ts';
import { capTable, limitTable } from '../../shared/limits/limit-table.ts';
import { type Html, html, visible } from '../html/html.ts';
import { isNavigation } from '../http/answer-error.ts';
import { leadTo } from '../http/form-script.ts';
import { readSlug } from '../http/parameters.ts';
import { pagePartPath, pagePath } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';

const texts = {
  asked: 'You have asked the owner. When they allow it, this address shows you the page.',
  full: capTable.accessRequestsOfDrop.refusal(),
  nameless:
    'The owner cannot name you: your sign-in gives this service no verified e-mail address, so you cannot ask here.',
} as const;

/**
 * A part of the page that somebody who is signed in sees instead of a page that they may not read.
 * @param formField the hidden field of the session
 */
export function askForm({
  slug,
  standing,
  formField,
}: {
  readonly slug: string;
  readonly standing: AskStanding;
  readonly formField: Html;
}): Html {
  if (!standing.may) return html`<p role="status">${texts[standing.why]}</p>`;
  return html`<form method="post" action="${pagePartPath(slug, 'ask')}">${formField}
<p class="soft">The owner sees your name and your address ${visible(standing.address)}.</p>
<button type="submit">Ask the owner</button></form>`;
}

/** POST /p/{slug}/ask: somebody who is signed in, and may not read the page, asks its owner to be named. */
export function askRoutes({ services, sessions }: RouteParts): readonly Route[] {
  const { accessRequests, pages, readers } = services;
  const ask = sessions.sessionForm(limitTable.change, async (req, res, _session, _form, admit) => {
    const { caller } = await admit();
    const slug = readSlug(req);
    const page = await pages.find(slug, null);
    if (page.isTakenDown) throw notFound('page');
    if (await readers.mayRead(page, caller.accountId)) {
      // A program learns no more from a page that it may read than from a slug that nobody has.
      if (!isNavigation(req)) throw notFound('page');
    } else {
      await accessRequests.ask(page, caller);
    }
    leadTo(res, pagePath(slug));
  });
  return [open('POST', pagePartPath(':slug', 'ask'), ask)];
}
