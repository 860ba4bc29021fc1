import { notFound } from '../../shared/domain/errors.ts';
import { type SessionPage, SessionPages } from '../dashboard/pages.ts';
import { type Html, html } from '../html/html.ts';
import type { HeaderSession } from '../html/layout.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { BrowserSession, SessionAccess } from '../http/session.ts';
import { operatorPaths } from './paths.ts';

/** A page for operators: the tabs above its body. */
export interface OperatorPage extends SessionPage {
  /** Absent: none is marked. */
  readonly tab?: 'reports' | 'find' | 'log';
}

/** Routes of pages for operators. For everybody else they do not exist. A GET changes nothing and is not in the audit log. */
export function operatorPages({ sessions, layout }: RouteParts): SessionPages {
  /** @returns whether the sign-in is recent enough @throws DropError `not_found` for somebody who is no operator */
  function isAdmitted(session: BrowserSession): boolean {
    if (!session.isOperator) throw notFound('path');
    return !session.isTooOldToOperate;
  }

  const access: Pick<SessionAccess, 'withSession' | 'sessionForm'> = {
    withSession: (handler) => sessions.withSession(handler, isAdmitted),
    sessionForm: (limit, handler, rules) => sessions.sessionForm(limit, handler, { ...rules, isAdmitted }),
  };
  const lay = (session: HeaderSession, page: SessionPage) => {
    const body = html`${tabBar(page.tab)}\n${page.body}`;
    return layout.dashboard(session, 'operators', { ...page, styles: ['operators'], body });
  };
  return new SessionPages(access, lay, () => mayBeGone);
}

/** The name of the operator in the audit log: `0198f… octocat`, as it names accounts. */
export function nameOf({ caller, accountName }: Pick<BrowserSession, 'caller' | 'accountName'>): string {
  return `${caller.accountId} ${accountName}`;
}

const tabs = { reports: 'Reports', find: 'Find', log: 'Log' } as const;

function tabBar(current: string | undefined): Html {
  return html`<nav class="segments" aria-label="Operators">${(['reports', 'find', 'log'] as const).map(
    (tab) =>
      html`<a href="${operatorPaths[tab]}"${tab === current && html` aria-current="page"`}>${tabs[tab]}</a>`,
  )}</nav>`;
}

/** The target may have been deleted since the operator opened the page that led here. */
const mayBeGone = html`<p>Its owner may have deleted it, or it has expired. Closed reports are removed after some time.</p>
<p><a class="button quiet" href="${operatorPaths.reports}">Show the reports</a></p>`;
