import { splitList } from '../../shared/config/config.ts';
import type { Token } from '../../shared/credentials/token.ts';
import type { Drop } from '../../shared/drops/drop.ts';
import { type AccountSummary, dropsAtOnce } from '../../shared/moderation/moderation.ts';
import { tokenCells } from '../dashboard/account/tokens.ts';
import { type Html, html, visible } from '../html/html.ts';
import { countOf, fact, noticeFor, pagination, stackedTable, timeTag } from '../html/parts.ts';
import { queryOf, toPositiveInteger } from '../http/parameters.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { accountActs, accountNotices } from './account-acts.ts';
import { withReason } from './acts.ts';
import { gonePage, type OperatorPage, operatorPages } from './pages.ts';
import { operatorPaths, pageBadges, stateBadge } from './parts.ts';

export function accountRoutes(parts: RouteParts): readonly Route[] {
  const { moderation, config } = parts.services;
  const { page, confirmed } = operatorPages(parts);
  const { suspend, unsuspend, revoke } = accountActs(parts.services);
  const operators = splitList(config.OPERATORS);
  const path = operatorPaths.account(':id');

  const show = page(path, async (req) => {
    const { id = '' } = req.params;
    const query = queryOf(req);
    const shown = toPositiveInteger([query.page].flat()[0]) ?? 1;
    const summary = typeof id === 'string' ? await moderation.describeAccount(id, shown) : null;
    if (summary === null) return gonePage('account');
    const isOperator = operators.includes(summary.account.id);
    return accountPage({ ...summary, page: shown, isOperator, notice: query.notice });
  });
  return [
    show,
    ...confirmed(operatorPaths.suspend(':id'), 'changes_per_minute', withReason(suspend)),
    ...confirmed(operatorPaths.unsuspend(':id'), 'changes_per_minute', withReason(unsuspend)),
    ...confirmed(operatorPaths.revoke(':id'), 'changes_per_minute', withReason(revoke)),
  ];
}

interface AccountView extends AccountSummary {
  /** Of the drops, from 1. */
  readonly page: number;
  readonly isOperator: boolean;
  /** From the address. */
  readonly notice: unknown;
}

function accountPage({
  account,
  tokens,
  drops,
  dropCount,
  page,
  isOperator,
  notice,
}: AccountView): OperatorPage {
  const { id, identity, createdAt, suspendedAt } = account;
  const path = operatorPaths.account(id);
  return {
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
  const rows = tokens.map((token) => html`<tr>${tokenCells(token)}</tr>\n`);
  return html`<section class="panel" aria-labelledby="tokens-title"><h2 id="tokens-title">${countOf(tokens.length, 'token')}</h2>
${tokens.length === 0 ? html`<p>The account has no tokens.</p>` : stackedTable(['Label', 'Created', 'Last used', 'Ends'], rows)}</section>`;
}

function dropTable(drops: readonly Drop[]): Html {
  const rows = drops.map(
    ({ slug, title, viewCount, createdAt, takedown, locked }) => html`<tr>
<th scope="row" class="main"><a class="clip-2" href="${operatorPaths.page(slug)}">${visible(title)}</a>
<p class="meta"><code class="wrap-anywhere">${slug}</code>${pageBadges({ takedown, locked })}</p></th>
<td class="number" data-label="Views">${viewCount}</td>
<td data-label="Created">${timeTag(createdAt)}</td>
</tr>
`,
  );
  return stackedTable(['Page', html`<th scope="col" class="number">Views</th>`, 'Created'], rows);
}
