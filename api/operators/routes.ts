import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { operatorAccountRoutes } from './account.ts';
import { findRoutes } from './find.ts';
import { inspectRoutes } from './inspect.ts';
import { logRoute } from './log.ts';
import { reportListRoute } from './report-list.ts';
import { reportedPageRoutes } from './reported-page.ts';

/** The pages for operators. Without OPERATORS and OIDC_OPERATOR_GROUPS there are none. */
export function operatorRoutes(parts: RouteParts): readonly Route[] {
  const { OPERATORS, OIDC_OPERATOR_GROUPS } = parts.services.config;
  if (OPERATORS + OIDC_OPERATOR_GROUPS === '') return [];
  return [
    reportListRoute(parts),
    ...findRoutes(parts),
    logRoute(parts),
    ...reportedPageRoutes(parts),
    ...inspectRoutes(parts),
    ...operatorAccountRoutes(parts),
  ];
}
