import type { Request, Response } from 'express';
import { splitList } from '../../shared/config/config.ts';
import type { Drop } from '../../shared/domain/drop.ts';
import type { Token } from '../../shared/domain/token.ts';
import type { Services } from '../../shared/open-services.ts';
import { type AccountSummary, dropsAtOnce } from '../../shared/services/moderation.ts';
import { type Html, html, visible } from '../html/html.ts';
import type { Layout } from '../html/layout.ts';
import { noticeFor } from '../html/notice.ts';
import { pagination } from '../html/pagination.ts';
import { countOf } from '../html/quantity.ts';
import { timeTag } from '../html/time.ts';
import { queryOf, toPositiveInteger } from '../http/parameters.ts';
import type { Session } from '../http/session.ts';
import { createSender, fact, type OperatorPage, pageBadges, stateBadge } from './parts.ts';
import { operatorPaths } from './paths.ts';

/** What the last form has done. */
export const accountNotices = {
  suspended: 'The account is suspended: it can only read. Its pages stay online.',
  unsuspended: 'The suspension has ended.',
  revoked: 'All tokens are revoked, and all sessions have ended.',
} as const;

/** GET /operators/accounts/{id} */
export function accountHandler({ moderation, config }: Services, layout: Layout) {
  const { send, sendGone } = createSender(layout);
  const operators = splitList(config.OPERATORS);

  return async (req: Request, res: Response, session: Session): Promise<void> => {
    const { id = '' } = req.params;
    const query = queryOf(req);
    const page = toPositiveInteger([query.page].flat()[0]) ?? 1;
    const summary = typeof id === 'string' ? await moderation.describeAccount(id, page) : null;
    if (summary === null) {
      sendGone(res, session, 'account');
      return;
    }
    const isOperator = operators.includes(summary.account.id);
    send(res, 200, session, accountView({ ...summary, page, isOperator, notice: query.notice }));
  };
}

interface View extends AccountSummary {
  /** Of the drops, from 1. */
  readonly page: number;
  readonly isOperator: boolean;
  /** From the address. */
  readonly notice: unknown;
}

function accountView({ account, tokens, drops, dropCount, page, isOperator, notice }: View): OperatorPage {
  const { id, identity, createdAt, suspendedAt } = account;
  const path = operatorPaths.account(id);
  return {
    tab: null,
    title: identity.name,
    body: html`${noticeFor(notice, accountNotices)}
<div class="page-head"><div><h1>${visible(identity.name)}</h1>
<p class="meta">${stateBadge(account)}${isOperator && html`<span class="badge good">Operator</span>`}<code class="wrap-anywhere">${id}</code></p></div>
<div class="actions">${
      suspendedAt === null
        ? html`<a class="button danger" href="${operatorPaths.suspend(id)}">Suspend…</a>`
        : html`<a class="button" href="${operatorPaths.unsuspend(id)}">End the suspension…</a>`
    }
<a class="button danger quiet" href="${operatorPaths.revoke(id)}">Revoke tokens…</a></div></div>
<section class="panel" aria-labelledby="facts-title"><h2 id="facts-title">Facts</h2>
<dl class="facts plain">
${fact('Signs in with', html`${visible(identity.provider)}, as <code class="wrap-anywhere">${visible(identity.subject)}</code>`)}
${fact('Created', timeTag(createdAt))}
${suspendedAt !== null && fact('Suspended', timeTag(suspendedAt))}
</dl></section>
${tokensSection(tokens)}
<section class="panel" aria-labelledby="drops-title"><h2 id="drops-title">${countOf(dropCount, 'page')}</h2>
${dropCount === 0 ? html`<p>The account has no pages.</p>` : dropTable(drops)}
${pagination(page, Math.ceil(dropCount / dropsAtOnce), (to) => `${path}?page=${to}`)}
</section>`,
  };
}

function tokensSection(tokens: readonly Token[]): Html {
  return html`<section class="panel" aria-labelledby="tokens-title"><h2 id="tokens-title">${countOf(tokens.length, 'token')}</h2>
${
  tokens.length === 0
    ? html`<p>The account has no tokens.</p>`
    : html`<div class="table-wrap"><table class="table stacked">
<thead><tr><th scope="col">Label</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col">Ends</th></tr></thead>
<tbody>
${tokens.map(tokenRow)}</tbody></table></div>`
}</section>`;
}

function tokenRow({ id, label, createdAt, lastUsedAt, expiresAt }: Token): Html {
  return html`<tr><th scope="row"><span class="wrap-anywhere">${label ? visible(label) : html`<span class="soft">No label</span>`}</span><br><code class="soft small">${id}</code></th>
<td data-label="Created">${timeTag(createdAt)}</td>
<td data-label="Last used">${lastUsedAt === null ? 'Never' : timeTag(lastUsedAt, { relative: true })}</td>
<td data-label="Ends">${expiresAt === null ? 'Never' : timeTag(expiresAt)}</td></tr>
`;
}

function dropTable(drops: readonly Drop[]): Html {
  return html`<div class="table-wrap"><table class="table stacked">
<thead><tr><th scope="col">Page</th><th scope="col" class="number">Views</th><th scope="col">Created</th></tr></thead>
<tbody>
${drops.map(
  ({ slug, title, viewCount, createdAt, takedown, locked }) => html`<tr>
<th scope="row" class="main"><a class="clip-2" href="${operatorPaths.page(slug)}">${visible(title)}</a>
<p class="meta"><code class="wrap-anywhere">${slug}</code>${pageBadges({ takedown, locked })}</p></th>
<td class="number" data-label="Views">${viewCount}</td>
<td data-label="Created">${timeTag(createdAt)}</td>
</tr>
`,
)}</tbody></table></div>`;
}
