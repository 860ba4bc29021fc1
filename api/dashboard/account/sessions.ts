import type { Session as StoredSession } from '../../../shared/domain/session.ts';
import type { Services } from '../../../shared/open-services.ts';
import { type Html, html } from '../../html/html.ts';
import { timeTag } from '../../html/time.ts';
import { dashboardPaths } from '../../http/paths.ts';
import type { Session, SessionAccess } from '../../http/session.ts';

const endSessionsPath = `${dashboardPaths.account}/sessions`;

/** For `noticeFor` of the account page. */
export const sessionNotices = {
  'session-ended': 'The session has ended. That browser is signed out.',
  'sessions-ended': 'All other sessions have ended. Those browsers are signed out.',
} as const;

/** POST /account/sessions: `end` is the id of a session, or `others`. It may be repeated. */
export function sessionHandlers({ sessions }: Pick<Services, 'sessions'>, access: SessionAccess) {
  return {
    endSessions: access.sessionForm(
      'changes_per_minute',
      async (_, res, { id, caller }, form) => {
        const end = form.get('end') ?? '';
        if (end === 'others') {
          await sessions.endOthers(caller);
          res.redirect(303, `${dashboardPaths.account}?notice=sessions-ended`);
          return;
        }
        await sessions.end(caller, end);
        if (end === id) access.cookie.clear(res);
        res.redirect(303, end === id ? '/' : `${dashboardPaths.account}?notice=session-ended`);
      },
      { allowsSuspended: true },
    ),
  };
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
  return html`<section class="panel" id="sessions" aria-labelledby="sessions-title">
<div class="panel-head">
<h2 id="sessions-title">Sessions</h2>
${
  others.length > 1 &&
  html`<form method="post" action="${endSessionsPath}">${formField}<button class="danger quiet small" name="end" value="others">End all others</button></form>`
}
</div>
<p class="soft">Browsers that are signed in to this dashboard. A session ends 30 days after it was last used.</p>
<div class="table-wrap"><table class="table stacked">
<thead><tr><th scope="col">Browser</th><th scope="col">Signed in</th><th scope="col">Last used</th><th scope="col">Action</th></tr></thead>
<tbody>
${listed.map(
  ({ id: sessionId, browser, createdAt, lastUsedAt }) => html`<tr>
<th scope="row">${browser}${sessionId === id && html` <span class="badge good">This browser</span>`}</th>
<td data-label="Signed in">${timeTag(createdAt)}</td>
<td data-label="Last used">${timeTag(lastUsedAt, { relative: true })}</td>
<td class="fit"><form method="post" action="${endSessionsPath}">${formField}<input type="hidden" name="end" value="${sessionId}"><button class="quiet small" aria-label="${sessionId === id ? 'Sign out of this browser' : `End the session of ${browser}`}">${sessionId === id ? 'Sign out' : 'End'}</button></form></td>
</tr>
`,
)}</tbody>
</table></div>
</section>`;
}
