import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { createOperatorAccess } from './access.ts';
import { accountHandler } from './account.ts';
import { accountActs } from './account-acts.ts';
import { type Act, actHandlers } from './act-handlers.ts';
import { findHandlers } from './find.ts';
import { logHandler } from './log.ts';
import { lookHandlers } from './look.ts';
import { pageActs } from './page-acts.ts';
import { operatorPaths as paths } from './paths.ts';
import { reportListHandler } from './report-list.ts';
import { reportedPageHandler } from './reported-page.ts';

/** The pages for operators. Without OPERATORS there are none. */
export function operatorRoutes({ services, sessions, readForm, layout }: RouteParts): readonly Route[] {
  if (services.config.OPERATORS === '') return [];
  const { page, form } = createOperatorAccess(sessions, readForm);
  const find = findHandlers(services, layout);
  const look = lookHandlers(services, layout);
  const { takedown, restore, closeReports, closeReport } = pageActs(services);
  const { suspend, unsuspend, revoke } = accountActs(services);

  /** The page that asks for confirmation and a reason, and its form. */
  function confirmed(path: string, act: Act): readonly Route[] {
    const { ask, confirm } = actHandlers(layout, act);
    return [open('GET', path, page(ask)), open('POST', path, form(confirm))];
  }

  return [
    open('GET', paths.reports, page(reportListHandler(services, layout))),
    open('GET', paths.find, page(find.show)),
    open('POST', paths.find, form(find.find)),
    open('GET', paths.log, page(logHandler(services, layout))),
    open('GET', paths.page(':slug'), page(reportedPageHandler(services, layout))),
    open('GET', paths.look(':slug'), page(look.show)),
    open('POST', paths.look(':slug'), form(look.begin)),
    open('GET', paths.frame(':slug'), page(look.frame)),
    open('GET', paths.source(':slug'), page(look.download)),
    ...confirmed(paths.takedown(':slug'), takedown),
    ...confirmed(paths.restore(':slug'), restore),
    ...confirmed(paths.closeReports(':slug'), closeReports),
    ...confirmed(paths.closeReport(':id'), closeReport),
    open('GET', paths.account(':id'), page(accountHandler(services, layout))),
    ...confirmed(paths.suspend(':id'), suspend),
    ...confirmed(paths.unsuspend(':id'), unsuspend),
    ...confirmed(paths.revoke(':id'), revoke),
  ];
}
