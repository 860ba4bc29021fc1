import type { Request, Response } from 'express';
import { object } from 'yup';
import { isOwnHost } from '../../shared/config/content-origin.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { readPageAddress } from '../../shared/domain/page-address.ts';
import type { Services } from '../../shared/open-services.ts';
import type { Findings } from '../../shared/services/moderation.ts';
import { errorText, fieldState, formError } from '../html/error-page.ts';
import { type Html, html, visible } from '../html/html.ts';
import type { Layout } from '../html/layout.ts';
import { countOf } from '../html/quantity.ts';
import { timeTag } from '../html/time.ts';
import { isNavigation } from '../http/answer-error.ts';
import type { Session } from '../http/session.ts';
import { atMostCharacters, invalid, text, validate } from '../http/validate.ts';
import { type Form, nameOf } from './access.ts';
import {
  accountLink,
  createSender,
  type OperatorPage,
  pageBadges,
  stateBadge,
  suspendedBadge,
} from './parts.ts';
import { operatorPaths } from './paths.ts';

const maxCharacters = 1_000;
const schema = object({
  what: text('what')
    .required(invalid('Enter what to look for', { field: 'what' }))
    .test(atMostCharacters('invalid_arg', 'what', maxCharacters)),
});

interface Answer {
  readonly formField: Html;
  readonly findings?: Findings;
  readonly error?: DropError;
}

/**
 * /operators/find: the page, account or token with a slug, URL, id or name. The form is a POST, and its answer no redirect,
 * because an operator may paste a token: it must be in no address, and it is not shown again.
 */
export function findHandlers(
  { moderation, config }: Pick<Services, 'moderation' | 'config'>,
  layout: Layout,
) {
  const { send, sendError } = createSender(layout);

  return {
    show: async (_: Request, res: Response, session: Session): Promise<void> =>
      send(res, 200, session, findView({ formField: session.formField })),

    async find(req: Request, res: Response, session: Session, form: Form): Promise<void> {
      const { formField } = session;
      try {
        const { what } = validate(schema, { what: (form.get('what') ?? '').trim() });
        const address = readPageAddress(what, config.BASE_URL);
        const isOwn = address !== null && isOwnHost(address.host, config);
        const findings = await moderation.find(isOwn ? address.slug : what, { by: nameOf(session) });
        send(res, 200, session, findView({ formField, findings }));
      } catch (error) {
        if (!(error instanceof DropError) || !isNavigation(req)) throw error;
        sendError(res, error, session, findView({ formField, error }));
      }
    },
  };
}

function findView({ formField, findings, error }: Answer): OperatorPage {
  return {
    tab: 'find',
    title: 'Find',
    body: html`<div class="page-head"><div><h1>Find</h1></div></div>
<form class="panel" method="post" action="${operatorPaths.find}">${formField}
${formError(error && errorText(error))}
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
    html`<span class="wrap-anywhere">${token.token.label ? visible(token.token.label) : 'No label'}</span><span>Created ${timeTag(token.token.createdAt)}</span><span class="wrap-anywhere">of ${accountLink(token.token.accountId, token.account)}</span>`,
  )
}
${accounts.map(({ account, dropCount, tokens }) =>
  item(
    'Account',
    accountLink(account.id, account),
    html`${stateBadge(account)}<span>${visible(account.identity.provider)}</span><span>${countOf(dropCount, 'page')}</span><span>${countOf(tokens.length, 'token')}</span><code class="wrap-anywhere">${account.id}</code>`,
  ),
)}</ul>`;
}

function item(kind: string, name: Html, facts: Html): Html {
  return html`<li class="panel"><p><span class="soft small">${kind}</span><br><span class="strong wrap-anywhere">${name}</span></p>
<p class="meta">${facts}</p></li>
`;
}
