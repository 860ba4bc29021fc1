import { object } from 'yup';
import { isOwnHost } from '../../shared/config/content-origin.ts';
import type { DropError } from '../../shared/domain/errors.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import type { Findings } from '../../shared/moderation/moderation.ts';
import { readPageAddress } from '../../shared/pages/page-address.ts';
import { countOf, labelOf, timeTag } from '../html/elements.ts';
import { fieldState, formError } from '../html/forms.ts';
import { type Html, html, visible } from '../html/html.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { atMostCharacters, invalid, textField, validate } from '../http/validate.ts';
import { accountLink, pageBadges, stateBadge, suspendedBadge, tokensText } from './labels.ts';
import { nameOf, type OperatorPage, operatorPages } from './pages.ts';
import { operatorPaths } from './paths.ts';

const maxCharacters = 1_000;
const schema = object({
  what: textField('what')
    .required(invalid('Enter what to look for', { field: 'what' }))
    .test(atMostCharacters('invalid_arg', 'what', maxCharacters)),
});

/** /operators/find. The form is a POST without a redirect: a token that is pasted gets into no address, nor onto the page. */
export function findRoutes(parts: RouteParts): readonly Route[] {
  const { moderation, config } = parts.services;
  const pages = operatorPages(parts);
  return [
    pages.page(operatorPaths.find, (_, __, { formField }) => findPage(formField)),

    pages.form(
      operatorPaths.find,
      limitTable.change,
      async (_, __, session, sent) => {
        const { what } = validate(schema, { what: (sent.get('what') ?? '').trim() });
        const address = readPageAddress(what, config.BASE_URL);
        const isOwn = address !== null && isOwnHost(address.host, config);
        const findings = await moderation.find(isOwn ? address.slug : what, { by: nameOf(session) });
        return findPage(session.formField, { findings });
      },
      { again: (_, { formField }, { error }) => findPage(formField, { error }) },
    ),
  ];
}

function findPage(
  formField: Html,
  { findings, error }: { findings?: Findings; error?: DropError } = {},
): OperatorPage {
  return {
    tab: 'find',
    title: 'Find',
    error,
    body: html`<div class="page-head"><div><h1>Find</h1></div></div>
<form class="panel" method="post" action="${operatorPaths.find}">${formField}
${formError(error)}
<label for="what">Page, account or token</label>
<div class="input-row"><input id="what" name="what" required maxlength="${maxCharacters}" autocomplete="off" autocapitalize="none" spellcheck="false"${fieldState(error !== undefined, 'what-hint')}><button>Find</button></div>
<p class="hint" id="what-hint">The slug or URL of a page, the id or name of an account, a token or its id. The log notes each look-up; of a token only its id.</p>
</form>
${findings && results(findings)}`,
  };
}

function results({ drop: page, token, accounts }: Findings): Html {
  if (page === null && token === null && accounts.length === 0)
    return html`<section class="empty" role="status"><h2>Nothing found</h2><p>No page, account or token has this slug, id or name.</p></section>`;
  return html`<ul class="found" aria-label="Found">
${
  page !== null &&
  item(
    'Page',
    html`<a href="${operatorPaths.page(page.drop.slug)}">${visible(page.drop.title)}</a>`,
    html`${pageBadges(page.drop)}${suspendedBadge(page.owner)}<code class="wrap-anywhere">${page.drop.slug}</code><span class="wrap-anywhere">by ${accountLink(page.drop.ownerId, page.owner)}</span>`,
  )
}
${
  token !== null &&
  item(
    'Token',
    html`<code>${token.token.id}</code>`,
    html`<span class="wrap-anywhere">${labelOf(token.token.label)}</span><span>Created ${timeTag(token.token.createdAt)}</span><span class="wrap-anywhere">of ${accountLink(token.token.accountId, token.account)}</span>`,
  )
}
${accounts.map(({ account, dropCount, tokenCount }) =>
  item(
    'Account',
    accountLink(account.id, account),
    html`${stateBadge(account)}<span>${visible(account.identity.provider)}</span><span>${countOf(dropCount, 'page')}</span><span>${tokensText(tokenCount)}</span><code class="wrap-anywhere">${account.id}</code>`,
  ),
)}</ul>`;
}

function item(kind: string, name: Html, facts: Html): Html {
  return html`<li class="panel"><p><span class="soft small">${kind}</span><br><span class="strong wrap-anywhere">${name}</span></p>
<p class="meta">${facts}</p></li>
`;
}
