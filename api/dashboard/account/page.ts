import type { Config } from '../../../shared/config/config.ts';
import type { Session as StoredSession } from '../../../shared/domain/session.ts';
import type { Token } from '../../../shared/domain/token.ts';
import type { Usage } from '../../../shared/services/accounts.ts';
import { type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { noticeFor } from '../../html/notice.ts';
import { sizeText } from '../../html/quantity.ts';
import { timeTag } from '../../html/time.ts';
import type { Session } from '../../http/session.ts';
import { accountPaths } from './paths.ts';
import { sessionNotices, sessionsSection } from './sessions.ts';
import { type RefusedToken, tokensSection } from './token-pages.ts';

export interface AccountData {
  readonly usage: Usage;
  readonly tokens: readonly Token[];
  readonly sessions: readonly StoredSession[];
  /** The value of `notice` in the query. */
  readonly notice?: unknown;
  /** The form for a new token, if it was refused. */
  readonly refused?: RefusedToken;
}

const notices = {
  ...sessionNotices,
  'token-renamed': 'The token has its new label.',
  'token-revoked': 'The token is revoked: the service refuses it from now on.',
} as const;

export function accountPage(
  { usage, tokens, sessions, notice, refused }: AccountData,
  session: Session,
  config: Config,
): PageParts {
  const { accountName, caller, formField } = session;
  const { account } = usage;
  return {
    title: 'Account',
    body: html`${noticeFor(notice, notices)}
<div class="page-head"><div><h1>${visible(accountName)}</h1>
<p class="soft">${account && html`Since ${timeTag(account.createdAt)} · `}User id <code class="wrap-anywhere">${caller.accountId}</code></p></div></div>
${tokensSection(tokens, formField, refused ?? null)}
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
<div><dt>Writes today</dt><dd>${writes} of ${WRITES_PER_DAY}, and at most ${WRITES_PER_MINUTE} a minute. The next day begins ${timeTag(dayEndsAt, { relative: true })}. Each new drop, new version and restore is a write.</dd></div>
<div><dt>Drops</dt><dd>${drops} of ${DROPS_PER_ACCOUNT}</dd></div>
<div><dt>Versions</dt><dd>At most ${VERSIONS_PER_DROP} for each drop</dd></div>
<div><dt>Size</dt><dd>At most ${sizeText(HTML_MAX_BYTES)} for each page</dd></div>
</dl></section>`;
}
