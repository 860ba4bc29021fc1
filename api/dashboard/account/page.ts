import type { Usage } from '../../../shared/accounts/accounts.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { Session as StoredSession } from '../../../shared/credentials/session.ts';
import type { Token } from '../../../shared/credentials/token.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import { fieldState } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { breadcrumb, fact, noticeFor, sizeText, timeAgo, timeTag } from '../../html/parts.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { sendPage } from '../../http/send.ts';
import type { Session } from '../../http/session.ts';
import { dashboardPages, type Question } from '../pages.ts';
import { accountPaths } from '../paths.ts';
import { exportRoute } from './export.ts';
import { sessionNotices, sessionRoute, sessionsSection } from './sessions.ts';
import { type InvalidToken, tokenNotices, tokenRoutes, tokensSection } from './tokens.ts';

const notices = { ...sessionNotices, ...tokenNotices };

interface AccountData {
  readonly usage: Usage;
  readonly tokens: readonly Token[];
  readonly sessions: readonly StoredSession[];
  /** The value of `notice` in the query. */
  readonly notice?: unknown;
  /** The form for a new token after an error. */
  readonly invalid?: InvalidToken;
}

/** The account page, its tokens and sessions, and the deletion of the account. */
export function accountPageRoutes(parts: RouteParts): readonly Route[] {
  const { accounts, tokens, sessions, config } = parts.services;
  const { page, confirmed } = dashboardPages(parts, 'account');

  async function readAccount(session: Session, more: Pick<AccountData, 'notice' | 'invalid'>) {
    const { caller } = session;
    const [usage, listed, browsers] = await Promise.all([
      accounts.readUsage(caller),
      tokens.list(caller),
      sessions.list(caller),
    ]);
    return accountPage({ usage, tokens: listed, sessions: browsers, ...more }, session, config);
  }

  return [
    page(accountPaths.account, (req, _, session) => readAccount(session, { notice: queryOf(req).notice })),
    ...tokenRoutes(parts, (session, invalid) => readAccount(session, { invalid })),
    sessionRoute(parts),
    exportRoute(parts),
    ...confirmed(accountPaths.remove, 'changes_per_minute', {
      async ask(_, { caller, accountName }, attempt) {
        const { dropCount } = await accounts.describe(caller);
        return removalQuestion(accountName, dropCount, attempt?.error.details?.field === 'confirm');
      },
      async perform(_, res, { caller, accountName }, form) {
        if (form.get('confirm')?.trim() !== accountName) {
          const message = `Type ${accountName}, exactly as it is written here. Nothing was deleted.`;
          throw new DropError('invalid_arg', message, { field: 'confirm' });
        }
        await accounts.remove(caller);
        parts.sessions.cookie.clear(res);
        sendPage(res, 200, parts.layout.page(removedPage));
        return null;
      },
    }),
  ];
}

function accountPage(
  { usage, tokens, sessions, notice, invalid }: AccountData,
  session: Session,
  config: Config,
): PageParts {
  const { accountName, caller, formField } = session;
  const { account } = usage;
  return {
    title: 'Account',
    error: invalid?.error,
    body: html`${noticeFor(notice, notices)}
<div class="page-head"><div><h1>${visible(accountName)}</h1>
<p class="soft">${account && html`Since ${timeTag(account.createdAt)} · `}User id <code class="wrap-anywhere">${caller.accountId}</code></p></div></div>
${tokensSection(tokens, formField, invalid)}
${sessionsSection(sessions, session)}
${usageSection(usage, config)}
<section class="panel" aria-labelledby="export-title"><h2 id="export-title">Export</h2>
<p>One zip file with everything: each version of each drop as it was posted, contexts, and <code>drops.json</code> with titles, tags, versions and views by day. Passcodes are not in it, because the service stores only their hashes.</p>
<form method="post" action="${accountPaths.export}">${formField}<div class="actions"><button class="quiet">Download everything</button></div></form></section>
<section class="panel danger-zone" aria-labelledby="delete-title"><h2 id="delete-title">Delete the account</h2>
<p>Deletes the account with all its drops. The next page asks you to confirm.</p>
<div class="actions"><a class="button danger" href="${accountPaths.remove}">Delete the account…</a></div></section>`,
  };
}

function usageSection({ writes, drops, dayEndsAt }: Usage, config: Config): Html {
  const { WRITES_PER_DAY, DROPS_PER_ACCOUNT, VERSIONS_PER_DROP, HTML_MAX_BYTES, WRITES_PER_MINUTE } = config;
  return html`<section class="panel" aria-labelledby="usage-title"><h2 id="usage-title">Limits</h2>
<dl class="facts plain">
${fact('Writes today', html`${writes} of ${WRITES_PER_DAY}, and at most ${WRITES_PER_MINUTE} a minute. The next day begins ${timeAgo(dayEndsAt)}. Each new drop, new version and restore is a write.`)}
${fact('Drops', html`${drops} of ${DROPS_PER_ACCOUNT}`)}
${fact('Versions', html`At most ${VERSIONS_PER_DROP} for each drop`)}
${fact('Size', html`At most ${sizeText(HTML_MAX_BYTES)} for each page`)}
</dl></section>`;
}

/** Says what will be deleted. @param isInvalid whether the name was not typed */
function removalQuestion(accountName: string, dropCount: number, isInvalid: boolean): Question {
  return {
    crumbs: breadcrumb([accountPaths.account, 'Account']),
    title: 'Delete the account?',
    body: html`<p>This deletes, at once and for good:</p>
<ul>
${dropCount > 0 && html`<li>${dropCount === 1 ? 'The 1 drop' : `All ${dropCount} drops`} of the account, with every version, context and view count. People who open an address see “Page not found”.</li>\n`}<li>All tokens: programs that use them are refused.</li>
<li>All sessions: every browser is signed out, this one too.</li>
</ul>
<p>Nobody can bring it back. You may want to <a href="${accountPaths.account}#export-title">export</a> everything first. If you sign in again later, you get a new, empty account. Reports about your drops stay with the operators.</p>`,
    fields: html`<label for="confirm">To confirm, type the name of the account: <strong>${visible(accountName)}</strong></label>
<input id="confirm" name="confirm" required autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"${fieldState(isInvalid)}>`,
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
