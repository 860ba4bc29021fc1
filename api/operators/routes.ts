import type { Services } from '../../shared/open-services.ts';
import type { Layout } from '../html/layout.ts';
import type { Handler } from '../http/access.ts';
import type { ReadForm } from '../http/form.ts';
import type { SessionAccess } from '../http/session.ts';
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

type OperatorRoute = readonly [method: 'GET' | 'POST', path: string, handler: Handler];

/** The pages for operators. Without OPERATORS there are none. */
export function operatorRoutes(
  services: Services,
  access: SessionAccess,
  readForm: ReadForm,
  layout: Layout,
): readonly OperatorRoute[] {
  if (services.config.OPERATORS === '') return [];
  const { page, form } = createOperatorAccess(access, readForm);
  const find = findHandlers(services, layout);
  const look = lookHandlers(services, layout);
  const { takedown, restore, closeReports, closeReport } = pageActs(services);
  const { suspend, unsuspend, revoke } = accountActs(services);

  /** The page that asks for confirmation and a reason, and its form. */
  function confirmed(path: string, act: Act): readonly OperatorRoute[] {
    const { ask, confirm } = actHandlers(layout, act);
    return [
      ['GET', path, page(ask)],
      ['POST', path, form(confirm)],
    ];
  }

  return [
    ['GET', paths.reports, page(reportListHandler(services, layout))],
    ['GET', paths.find, page(find.show)],
    ['POST', paths.find, form(find.find)],
    ['GET', paths.log, page(logHandler(services, layout))],
    ['GET', paths.page(':slug'), page(reportedPageHandler(services, layout))],
    ['GET', paths.look(':slug'), page(look.show)],
    ['POST', paths.look(':slug'), form(look.begin)],
    ['GET', paths.frame(':slug'), page(look.frame)],
    ['GET', paths.source(':slug'), page(look.download)],
    ...confirmed(paths.takedown(':slug'), takedown),
    ...confirmed(paths.restore(':slug'), restore),
    ...confirmed(paths.closeReports(':slug'), closeReports),
    ...confirmed(paths.closeReport(':id'), closeReport),
    ['GET', paths.account(':id'), page(accountHandler(services, layout))],
    ...confirmed(paths.suspend(':id'), suspend),
    ...confirmed(paths.unsuspend(':id'), unsuspend),
    ...confirmed(paths.revoke(':id'), revoke),
  ];
}
