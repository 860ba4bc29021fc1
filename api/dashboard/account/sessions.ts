import type { Session as StoredSession } from '../../../shared/credentials/session.ts';
import { type Html, html } from '../../html/html.ts';
import { stackedTable, timeAgo, timeTag } from '../../html/parts.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { Session } from '../../http/session.ts';
import { dashboardPages } from '../pages.ts';
import { accountPaths } from '../paths.ts';

/** For `noticeFor` of the account page. */
export const sessionNotices = {
  'session-ended': 'The session has ended. That browser is signed out.',
  'sessions-ended': 'All other sessions have ended. Those browsers are signed out.',
} as const;

/** POST /account/sessions: `end` is the id of a session, or `others`. It may be repeated. */
export function sessionRoute(parts: RouteParts): Route {
  const { sessions } = parts.services;
  return dashboardPages(parts, 'account').form(
    accountPaths.sessions,
    'changes_per_minute',
    async (_, res, { id, caller }, form) => {
      const end = form.get('end') ?? '';
      if (end === 'others') {
        await sessions.endOthers(caller);
        return `${accountPaths.account}?notice=sessions-ended`;
      }
      await sessions.end(caller, end);
      if (end !== id) return `${accountPaths.account}?notice=session-ended`;
      parts.sessions.cookie.clear(res);
      return '/';
    },
    { allowsSuspended: true },
  );
}

/**
 * The sessions of the account, for its page. A pure function.
 * @param listed newest first
 */
export function sessionsSection(
  listed: readonly StoredSession[],
  current: Pick<Session, 'id' | 'formField'>,
): Html {
  const { id, formField } = current;
  const others = listed.filter((session) => session.id !== id);
  const rows = listed.map(
    ({ id: sessionId, browser, createdAt, lastUsedAt }) => html`<tr>
<th scope="row">${browser}${sessionId === id && html` <span class="badge good">This browser</span>`}</th>
<td data-label="Signed in">${timeTag(createdAt)}</td>
<td data-label="Last used">${timeAgo(lastUsedAt)}</td>
<td class="fit"><form method="post" action="${accountPaths.sessions}">${formField}<input type="hidden" name="end" value="${sessionId}"><button class="quiet small" aria-label="${sessionId === id ? 'Sign out of this browser' : `End the session of ${browser}`}">${sessionId === id ? 'Sign out' : 'End'}</button></form></td>
</tr>
`,
  );
  return html`<section class="panel" id="sessions" aria-labelledby="sessions-title">
<div class="panel-head">
<h2 id="sessions-title">Sessions</h2>
${
  others.length > 1 &&
  html`<form method="post" action="${accountPaths.sessions}">${formField}<button class="danger quiet small" name="end" value="others">End all others</button></form>`
}
</div>
<p class="soft">Browsers that are signed in to this dashboard. A session ends 30 days after it was last used.</p>
${stackedTable(['Browser', 'Signed in', 'Last used', 'Action'], rows)}
</section>`;
}
