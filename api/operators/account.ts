import type { Account } from '../../shared/accounts/account.ts';
import { splitList } from '../../shared/config/config.ts';
import type { CredentialPosition } from '../../shared/credentials/credential-stores.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Drop } from '../../shared/drops/drop.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { type AccountSummary, dropsAtOnce } from '../../shared/moderation/moderation.ts';
import { readCursor, tokenPagination } from '../account/token-cursor.ts';
import { tokenCells } from '../dashboard/account/tokens.ts';
import { type Html, html, visible } from '../html/html.ts';
import { breadcrumb, countOf, fact, noticeFor, pagination, stackedTable, timeTag } from '../html/parts.ts';
import { queryOf, toPositiveInteger } from '../http/parameters.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { Session } from '../http/session.ts';
import { type ActPage, actRoutes, type OperatorAct } from './acts.ts';
import { operatorPages } from './pages.ts';
import { operatorPaths, pageBadges, stateBadge, tokensText } from './parts.ts';

export function accountRoutes(parts: RouteParts): readonly Route[] {
  const { moderation, config } = parts.services;
  const pages = operatorPages(parts);
  const operators = splitList(config.OPERATORS);

  const show = pages.page(operatorPaths.account(':id'), async (req) => {
    const query = queryOf(req);
    const page = toPositiveInteger([query.page].flat()[0]) ?? 1;
    const after = readCursor(query.tokens);
    const { id: asked } = req.params;
    const summary = typeof asked === 'string' ? await moderation.describeAccount(asked, page, after) : null;
    if (summary === null) throw notFound('account');
    const { account, drops, dropCount } = summary;
    const { id, identity, createdAt, suspendedAt } = account;
    return {
      title: identity.name,
      body: html`${noticeFor(query.notice, accountNotices)}
<div class="page-head"><div><h1>${visible(identity.name)}</h1>
<p class="meta">${stateBadge(account)}${operators.includes(id) && html`<span class="badge good">Operator</span>`}<code class="wrap-anywhere">${id}</code></p></div>
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
${tokensSection(summary, after)}
<section class="panel" aria-labelledby="drops-title"><h2 id="drops-title">${countOf(dropCount, 'page')}</h2>
${dropCount === 0 ? html`<p>The account has no pages.</p>` : dropTable(drops)}
${pagination(page, Math.ceil(dropCount / dropsAtOnce), (to) => `${operatorPaths.account(id)}?page=${to}`)}
</section>`,
    };
  });
  return [show, ...accountActs(parts.services).flatMap((act) => actRoutes(pages, act))];
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

const accountNotices = {
  suspended: 'The account is suspended: it can only read. Its pages stay online.',
  unsuspended: 'The suspension has ended.',
  revoked: 'All tokens are revoked, and all sessions have ended.',
} as const;

function accountActs({ moderation, config }: Pick<Services, 'moderation' | 'config'>) {
  const operators = splitList(config.OPERATORS);
  const isOwn = ({ id }: Account, { caller }: Session) => id === caller.accountId;

  function onAccount(
    path: string,
    notice: keyof typeof accountNotices,
    perform: typeof moderation.suspend | typeof moderation.revokeTokens,
    describe: (
      account: Account,
      session: Session,
    ) => Pick<ActPage, 'title' | 'body' | 'button'> & Partial<ActPage>,
  ): OperatorAct<Account> {
    return {
      path,
      target: 'account',
      find: async ({ params: { id } }) => (typeof id === 'string' ? moderation.findAccount(id) : null),
      describe(account, session) {
        const { id, identity, suspendedAt } = account;
        const back = operatorPaths.account(id);
        const { body, ...page } = describe(account, session);
        return {
          seen: suspendedAt === null ? 'active' : `suspended ${suspendedAt}`,
          ...page,
          crumbs: breadcrumb([operatorPaths.find, 'Find'], [back, visible(identity.name)]),
          back,
          body: html`<p>${visible(identity.name)} <code class="small soft wrap-anywhere">${id}</code></p>\n${body}`,
        };
      },
      async perform(account, operator) {
        await perform(account, operator);
        return notice;
      },
    };
  }

  const suspend = onAccount(
    operatorPaths.suspend(':id'),
    'suspended',
    moderation.suspend,
    (account, session) => ({
      title: 'Suspend this account?',
      body: html`<p>The account becomes read-only: with all its tokens and sessions, existing or new, it can read, revoke tokens and end sessions, and nothing else. Its pages stay online; take them down one by one.</p>
${operators.includes(account.id) && html`<p class="notice warn">This is the account of an operator. While it is suspended, these pages do not exist for it.</p>`}`,
      button: 'Suspend',
      isDangerous: true,
      refusal: isOwn(account, session)
        ? 'You cannot suspend your own account; another operator can'
        : account.suspendedAt !== null && 'The account is suspended already',
    }),
  );

  const unsuspend = onAccount(
    operatorPaths.unsuspend(':id'),
    'unsuspended',
    moderation.unsuspend,
    ({ suspendedAt }) => ({
      title: 'End the suspension of this account?',
      body: html`${suspendedAt !== null && html`<p>It is suspended since ${timeTag(suspendedAt)}.</p>`}`,
      button: 'End the suspension',
      refusal: suspendedAt === null && 'The account is not suspended',
    }),
  );

  const revoke = onAccount(
    operatorPaths.revoke(':id'),
    'revoked',
    moderation.revokeTokens,
    (account, session) => ({
      title: 'Revoke all tokens and end all sessions?',
      body: html`<p>Programs and browsers of the account are signed out at once, for good. Its owner can sign in again: to prevent changes, suspend the account.</p>
${isOwn(account, session) && html`<p class="notice warn">This is your own account: it signs you out of this browser, too.</p>`}`,
      button: 'Revoke and end all',
      isDangerous: true,
      seen: '',
    }),
  );
  return [suspend, unsuspend, revoke];
}
