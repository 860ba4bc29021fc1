import type { Usage } from '../../../shared/accounts/accounts.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { Session as StoredSession } from '../../../shared/credentials/session.ts';
import { tokensCounted } from '../../../shared/credentials/tokens.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { readCursor } from '../../account/token-cursor.ts';
import {
  fact,
  noticeFor,
  numberText,
  sizeText,
  stackedTable,
  timeAgo,
  timeTag,
} from '../../html/elements.ts';
import { fieldState } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { type Query, queryOf } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { sendPage } from '../../http/send.ts';
import type { BrowserSession } from '../../http/session.ts';
import { signedOutPath } from '../../sign-in/sign-out.ts';
import { providerName } from '../../sign-in/ways.ts';
import { dashboardPages, type Question, type RefusedForm } from '../pages.ts';
import { accountPaths } from '../paths.ts';
import { defaultAccessRoute, defaultAccessSection } from './default-access.ts';
import { exportRoute } from './export.ts';
import { accountCrumbs, tokenRoutes, tokensSection } from './tokens.ts';
import { wayNotices, wayRoutes, waysSection } from './ways.ts';

/** Tokens of one page. */
const tokensAtOnce = 50;

/** What the last form has done. */
const notices = {
  'default-access': 'It is saved, and counts for new pages.',
  'session-ended': 'The session has ended. That browser is signed out.',
  'sessions-ended': 'All other sessions have ended. Those browsers are signed out.',
  'token-renamed': 'The token has its new label.',
  ...wayNotices,
  'token-revoked': 'The token is revoked: the service refuses it from now on.',
} as const;

/** The account page, its tokens and sessions, and the deletion of the account. */
export function accountPageRoutes(parts: RouteParts): readonly Route[] {
  const { accounts, tokens, sessions, config } = parts.services;
  const pages = dashboardPages(parts, 'account');
  const { cookie } = parts.sessions;

  /** @param more the query, or the refused form for a new token */
  async function accountPage(session: BrowserSession, more: { query?: Query; refused?: RefusedForm }) {
    const { caller, accountName, formField } = session;
    const after = readCursor(more.query?.tokens);
    const [usage, listed, tokenCount, browsers, ways] = await Promise.all([
      accounts.readUsage(caller),
      tokens.list(caller, tokensAtOnce, after),
      tokens.count(caller, tokensCounted),
      sessions.list(caller),
      parts.services.identities.listOf(caller.accountId),
    ]);
    const since = usage.account && html`Since ${timeTag(usage.account.createdAt)} · `;
    return {
      title: 'Account',
      error: more.refused?.error,
      body: html`${noticeFor(more.query?.notice, notices)}
<div class="page-head"><div><h1>${visible(accountName)}</h1>
<p class="soft">${since}User id <code class="wrap-anywhere">${caller.accountId}</code></p></div></div>
${tokensSection({ ...listed, after }, formField, more.refused)}
${waysSection(parts.services, ways)}
${sessionsSection(browsers, session, parts.services)}
${defaultAccessSection(usage.account?.defaultAccess ?? null, formField, config)}
${usageSection(usage, tokenCount, config)}
<section class="panel" aria-labelledby="export-title"><h2 id="export-title">Export</h2>
<p>One zip file with everything: each version of each drop as it was posted, contexts, and <code>drops.json</code> with titles, tags, versions and views by day. Passcodes are not in it, because the service stores only their hashes.</p>
<form method="post" action="${accountPaths.export}" data-answer="file">${formField}<div class="actions"><button class="quiet">Download everything</button></div></form></section>
<section class="panel danger-zone" aria-labelledby="delete-title"><h2 id="delete-title">Delete the account</h2>
<p>Deletes the account with all its drops. The next page asks you to confirm.</p>
<div class="actions"><a class="button danger" href="${accountPaths.remove}">Delete the account…</a></div></section>`,
    };
  }

  return [
    pages.page(accountPaths.account, (req, _, session) => accountPage(session, { query: queryOf(req) })),
    ...tokenRoutes(parts, (session, refused) => accountPage(session, { refused })),

    /** `end` is the id of a session, or `others`. It may be repeated. */
    pages.form(
      accountPaths.sessions,
      limitTable.change,
      async (_, res, { id, caller }, sent) => {
        const end = sent.get('end') ?? '';
        await (end === 'others' ? sessions.revokeOthers(caller) : sessions.revoke(caller, end));
        if (end === id) {
          cookie.clear(res);
          return signedOutPath(parts.services, caller);
        }
        return `${accountPaths.account}?notice=${end === 'others' ? 'sessions' : 'session'}-ended`;
      },
      { allowsSuspended: true },
    ),

    ...wayRoutes(parts),
    defaultAccessRoute(parts.services, pages),

    exportRoute(parts),

    ...pages.confirmed(accountPaths.remove, limitTable.change, {
      async ask(_, { caller, accountName }, attempt) {
        const { dropCount } = await accounts.describe(caller);
        return removalQuestion(accountName, dropCount, attempt);
      },
      async perform(_, res, { caller, accountName }, sent) {
        if (sent.get('confirm')?.trim() !== accountName) {
          const message = `Type ${accountName}, exactly as it is written here. Nothing was deleted.`;
          throw new DropError('invalid_arg', message, { field: 'confirm' });
        }
        await accounts.remove(caller);
        cookie.clear(res);
        sendPage(res, 200, parts.layout.page(removedPage));
        return null;
      },
    }),
  ];
}

/** @param listed newest first */
function sessionsSection(
  listed: readonly StoredSession[],
  { id: own, formField }: BrowserSession,
  services: Services,
): Html {
  const form = (button: Html) =>
    html`<form method="post" action="${accountPaths.sessions}">${formField}${button}</form>`;
  const endOthers = html`<button class="danger quiet small" name="end" value="others">End all others</button>`;
  const rows = listed.map(({ id, browser, createdAt, lastUsedAt, provider }) => {
    const [label, text] =
      id === own ? ['Sign out of this browser', 'Sign out'] : [`End the session of ${browser}`, 'End'];
    return html`<tr>
<th scope="row">${browser}${id === own && html` <span class="badge good">This browser</span>`}</th>
<td data-label="Signed in"><span>${timeTag(createdAt)}${provider !== null && html` <span class="soft wrap-anywhere">with ${providerName(services, provider)}</span>`}</span></td>
<td data-label="Last used">${timeAgo(lastUsedAt)}</td>
<td class="fit">${form(html`<input type="hidden" name="end" value="${id}"><button class="quiet small" aria-label="${label}">${text}</button>`)}</td>
</tr>
`;
  });
  return html`<section class="panel" id="sessions" aria-labelledby="sessions-title">
<div class="panel-head">
<h2 id="sessions-title">Sessions</h2>
${listed.filter(({ id }) => id !== own).length > 1 && form(endOthers)}
</div>
<p class="soft">Browsers that are signed in to this dashboard. A session ends 30 days after it was last used.</p>
${stackedTable(['Browser', 'Signed in', 'Last used', 'Action'], rows)}
</section>`;
}

function usageSection({ writes, drops, dayEndsAt }: Usage, tokens: number, config: Config): Html {
  const { TOKENS_PER_ACCOUNT, NEW_TOKENS_PER_ACCOUNT } = config;
  const ofTokens = tokens < tokensCounted ? tokens : `${numberText(tokensCounted)} or more`;
  const { WRITES_PER_DAY, DROPS_PER_ACCOUNT, VERSIONS_PER_DROP, HTML_MAX_BYTES, WRITES_PER_MINUTE } = config;
  return html`<section class="panel" aria-labelledby="usage-title"><h2 id="usage-title">Limits</h2>
<dl class="facts plain">
${fact('Writes today', html`${writes} of ${WRITES_PER_DAY}, and at most ${WRITES_PER_MINUTE} a minute. The next day begins ${timeAgo(dayEndsAt)}. Each new drop, new version and restore is a write.`)}
${fact('Drops', html`${drops} of ${DROPS_PER_ACCOUNT}`)}
${fact('Tokens', html`${ofTokens} of ${TOKENS_PER_ACCOUNT}, and at most ${NEW_TOKENS_PER_ACCOUNT} new ones in 10 minutes`)}
${fact('Versions', html`At most ${VERSIONS_PER_DROP} for each drop`)}
${fact('Size', html`At most ${sizeText(HTML_MAX_BYTES)} for each page`)}
</dl></section>`;
}

/** @param attempt with another name */
function removalQuestion(accountName: string, dropCount: number, attempt?: RefusedForm): Question {
  return {
    crumbs: accountCrumbs,
    title: 'Delete the account?',
    body: html`<p>This deletes, at once and for good:</p>
<ul>
${dropCount > 0 && html`<li>${dropCount === 1 ? 'The 1 drop' : `All ${dropCount} drops`} of the account, with every version, context and view count. People who open an address see “Page not found”.</li>\n`}<li>All tokens: programs that use them are refused.</li>
<li>All sessions: every browser is signed out, this one too.</li>
</ul>
<p>Nobody can bring it back. You may want to <a href="${accountPaths.account}#export-title">export</a> everything first. If you sign in again later, you get a new, empty account, which continues today's limits. Reports about your drops stay with the operators.</p>`,
    fields: html`<label for="confirm">To confirm, type the name of the account: <strong>${visible(accountName)}</strong></label>
<input id="confirm" name="confirm" value="${attempt?.form.get('confirm')}" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${fieldState(attempt?.error.details?.field === 'confirm')}>`,
    button: 'Delete the account and all drops',
    isDangerous: true,
    back: accountPaths.account,
  };
}

/** For a browser that has no session any more. */
const removedPage: PageParts = {
  title: 'Account deleted',
  body: html`<h1>Your account is deleted</h1>
<p>All its drops, tokens and sessions are gone. Copies that other people or caches made are not in our hands.</p>
<p><a class="button" href="/">Home page</a></p>`,
};
