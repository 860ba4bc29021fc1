import type { Services } from '../shared/engines/open-services.ts';
import { askRoutes } from './access-requests/ask.ts';
import { accountRoutes } from './account/account.ts';
import { commentsPageRoutes } from './comments/pages/comments-page.ts';
import { commentRoutes } from './comments/routes.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { dropRoutes } from './drops/routes.ts';
import type { Assets } from './html/assets.ts';
import type { Layout } from './html/layout.ts';
import type { ReadBody } from './http/body.ts';
import { createFormReader } from './http/form.ts';
import type { Route } from './http/route.ts';
import type { RouteParts } from './http/route-parts.ts';
import { SessionAccess } from './http/session.ts';
import { mcpRoutes } from './mcp/endpoint.ts';
import { type ApiDescription, describeApi } from './openapi/document.ts';
import { operatorRoutes } from './operators/routes.ts';
import { pageRoutes, rawPage } from './pages/routes.ts';
import { reportRoutes } from './reports/reports.ts';
import { assetRoutes, clientFileRoutes } from './service/asset-files.ts';
import { descriptionRoutes } from './service/description.ts';
import { healthRoutes } from './service/health.ts';
import { helpRoutes } from './service/help-page.ts';
import { homeRoutes } from './service/home.ts';
import { onboardingRoutes } from './service/onboarding.ts';
import { agentFileRoutes, textFileRoutes } from './service/text-files.ts';
import { signInRoutes } from './sign-in/routes.ts';
import { signedOutPage } from './sign-in/signed-out.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { versionRoutes } from './versions/versions.ts';

/** The description and the API reference have the calls in this order. */
const resources: readonly ((parts: RouteParts) => readonly Route[])[] = [
  homeRoutes,
  helpRoutes,
  onboardingRoutes,
  descriptionRoutes,
  agentFileRoutes,
  clientFileRoutes,
  assetRoutes,
  signInRoutes,
  accountRoutes,
  dropRoutes,
  versionRoutes,
  commentRoutes,
  mcpRoutes,
  uploadRoutes,
  pageRoutes,
  commentsPageRoutes,
  askRoutes,
  dashboardRoutes,
  operatorRoutes,
  reportRoutes,
  textFileRoutes,
  healthRoutes,
];

export interface RouteTable {
  /** Every endpoint except the raw page, which is answered without Express (server/listener.ts). */
  readonly routes: readonly Route[];
  readonly describe: () => ApiDescription;
}

/** What our pages look like. */
export interface PageAssets {
  readonly assets: Assets;
  readonly layout: Layout;
}

export function createRoutes(services: Services, readBody: ReadBody, pageAssets: PageAssets): RouteTable {
  const { config } = services;
  const readForm = createFormReader(readBody, config.BASE_URL);
  const sessions = new SessionAccess(services, readForm, signedOutPage(services, pageAssets.layout));
  const describe = (): ApiDescription => describeApi(config, [...routes, rawPage]);
  const parts = { ...pageAssets, services, readBody, readForm, sessions, describe };
  const routes: readonly Route[] = resources.flatMap((routesOf) => routesOf(parts));
  return { routes, describe };
}
