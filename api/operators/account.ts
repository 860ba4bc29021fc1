import type { CredentialPosition } from '../../shared/credentials/credential-stores.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Drop } from '../../shared/drops/drop.ts';
import type { KnownIdentity } from '../../shared/identities/identities.ts';
import { type AccountSummary, dropsAtOnce } from '../../shared/moderation/moderation.ts';
import { readCursor, tokenPagination } from '../account/token-cursor.ts';
import { tokenCells } from '../dashboard/account/tokens.ts';
import { countOf, fact, noticeFor, pagination, stackedTable, timeTag } from '../html/elements.ts';
import { type Html, html, visible } from '../html/html.ts';
import { queryOf, toPositiveInteger } from '../http/parameters.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { accountNotices, revokeTokensAct, suspendAct, unsuspendAct } from './account-acts.ts';
import { actRoutes } from './acts.ts';
import { pageBadges, stateBadge, tokensText } from './labels.ts';
import { operatorPages } from './pages.ts';
import { operatorPaths } from './paths.ts';

export function operatorAccountRoutes(parts: RouteParts): readonly Route[] {
  const { moderation, operators } = parts.services;
  const pages = operatorPages(parts);

  const show = pages.page(operatorPaths.account(':id'), async (req) => {
    const query = queryOf(req);
    const page = toPositiveInteger([query.page].flat()[0]) ?? 1;
    const after = readCursor(query.tokens);
    const { id: asked } = req.params;
    const summary = typeof asked === 'string' ? await moderation.describeAccount(asked, page, after) : null;
    if (summary === null) throw notFound('account');
    const { account, identities, drops, dropCount } = summary;
    const { id, identity, createdAt, suspendedAt } = account;
    const isOperator = (await operators.knownAt(id)) !== null;
    return {
      title: identity.name,
      body: html`${noticeFor(query.notice, accountNotices)}
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
${identities.map(signInFact)}
${fact('Created', timeTag(createdAt))}
${suspendedAt !== null && fact('Suspended', timeTag(suspendedAt))}
</dl></section>
${tokensSection(summary, after)}
<section class="panel" aria-labelledby="drops-title"><h2 id="drops-title">${countOf(dropCount, 'page')}</h2>
${dropCount === 0 ? html`<p>The account has no pages.</p>` : dropTable(drops)}
${pagination(page, Math.ceil(dropCount / dropsAtOnce), (to) => `${operatorPaths.account(id)}?page=${to}`)}
</section>`,
    };
  });
  const acts = [suspendAct, unsuspendAct, revokeTokensAct];
  return [show, ...acts.flatMap((actOf) => actRoutes(pages, actOf(parts.services)))];
}

function signInFact({ provider, subject, name, email, groups }: KnownIdentity): Html {
  const facts = [
    html`${visible(provider)}, as <code class="wrap-anywhere">${visible(subject)}</code>`,
    html`name ${visible(name)}`,
    ...(email === null ? [] : [html`e-mail ${visible(email)}`]),
    ...(groups.length === 0 ? [] : [countOf(groups.length, 'group')]),
  ];
  return fact(
    'Signs in with',
    html`<span class="wrap-anywhere">${facts.map((each, n) => html`${n > 0 && ' · '}${each}`)}</span>`,
  );
}

/** @param after where the shown tokens begin; null: with the newest */
function tokensSection(
  { account, tokens, nextTokens, tokenCount }: AccountSummary,
  after: CredentialPosition | null,
): Html {
  const rows = tokens.map((token) => html`<tr>${tokenCells(token)}</tr>\n`);
  return html`<section class="panel" id="tokens" aria-labelledby="tokens-title"><h2 id="tokens-title">${tokensText(tokenCount)}</h2>
${tokens.length === 0 ? html`<p>The account has no ${after !== null && 'older '}tokens.</p>` : stackedTable(['Label', 'Created', 'Last used', 'Ends'], rows)}
${tokenPagination(operatorPaths.account(account.id), after, nextTokens)}</section>`;
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
