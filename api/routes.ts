import type { Services } from '../shared/open-services.ts';
import { accountHandlers } from './account/handlers.ts';
import { dropHandlers } from './drops/handlers.ts';
import { createAccess, type Handler } from './http/access.ts';
import { createFormReader } from './http/form.ts';
import { rawPath, servicePaths } from './http/paths.ts';
import type { Endpoint } from './openapi/document.ts';
import type { Operation } from './openapi/operation.ts';
import { createOperations } from './openapi/operations.ts';
import { viewerHandlers } from './pages/viewer.ts';
import { reportHandlers } from './reports/handlers.ts';
import type { HeldBytes } from './server/held-bytes.ts';
import { descriptionHandlers } from './service/description.ts';
import { docsHandlers } from './service/docs.ts';
import { healthHandlers } from './service/health.ts';
import { homeHandlers } from './service/home.ts';
import { onboardHandlers } from './service/onboard.ts';
import { robotsHandlers } from './service/robots-txt.ts';
import { securityTxtHandlers } from './service/security-txt.ts';
import { signInHandlers, signInPageHandlers } from './sign-in/handlers.ts';
import { versionHandlers } from './versions/handlers.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Those with an operation are described: what programs call, and no page for people. */
export type Route = readonly [method: Method, path: string, handler: Handler, operation?: Operation];

export interface RouteTable {
  /** Every endpoint, but the raw page, which answers before Express (app.ts). */
  readonly routes: readonly Route[];
  /** Those of them that are described, and the raw page. */
  readonly endpoints: readonly Endpoint[];
}

export function createRoutes(services: Services, held: HeldBytes): RouteTable {
  const { config } = services;
  const { signInStart, withToken, tokenCheck, ...access } = createAccess(services, held);
  const { write, smallChange, documentChange, changeWithoutBody, changeEvenIfSuspended } = access;
  const readForm = createFormReader(held);
  const say = createOperations(config);
  const account = accountHandlers(services);
  const description = descriptionHandlers(services);
  const docs = docsHandlers();
  const drops = dropHandlers(services);
  const health = healthHandlers(services);
  const home = homeHandlers(services);
  const onboard = onboardHandlers(services);
  const report = reportHandlers(services, readForm);
  const robots = robotsHandlers();
  const securityTxt = securityTxtHandlers(services);
  const signIn = signInHandlers(services);
  const signInPages = signInPageHandlers(services, readForm);
  const versions = versionHandlers(services);
  const viewer = viewerHandlers(services, readForm);

  const routes: readonly Route[] = [
    ['GET', '/', home.show],
    ['GET', servicePaths.openapi, anyOrigin(description.read), say.service.describe],
    ['GET', servicePaths.discovery, anyOrigin(description.discover), say.service.discover],
    ['GET', servicePaths.docs, docs.show],
    ['GET', `${servicePaths.docs}/:file`, docs.readScript],
    ['GET', '/api/onboard', anyOrigin(onboard.read), say.service.onboard],

    ['POST', '/api/auth/start', signInStart(signIn.start), say.account.start],
    ['GET', '/api/auth/poll', signIn.poll, say.account.poll],

    ['GET', '/api/me', tokenCheck(account.me), say.account.me],
    ['GET', '/api/tokens', withToken(account.listTokens), say.account.listTokens],
    ['DELETE', '/api/tokens/:id', changeEvenIfSuspended(account.revokeToken), say.account.revokeToken],

    ['GET', '/api/drops', withToken(drops.list), say.drops.list],
    ['POST', '/api/drops', write(drops.create), say.drops.create],
    ['GET', '/api/drops/:slug', withToken(drops.read), say.drops.read],
    ['PUT', '/api/drops/:slug', write(drops.replace), say.drops.replace],
    ['PATCH', '/api/drops/:slug', documentChange(drops.patch), say.drops.patch],
    ['DELETE', '/api/drops/:slug', changeWithoutBody(drops.remove), say.drops.remove],
    ['POST', '/api/drops/:slug/passcode', smallChange(drops.setPasscode), say.drops.setPasscode],
    ['GET', '/api/drops/:slug/versions', withToken(versions.list), say.drops.listVersions],
    ['GET', '/api/drops/:slug/v/:n', withToken(versions.read), say.drops.readVersion],
    ['DELETE', '/api/drops/:slug/v/:n', changeWithoutBody(versions.remove), say.drops.removeVersion],

    ['GET', '/sign-in', signInPages.showCode],
    ['POST', '/sign-in', signInPages.enterCode],
    ['GET', '/sign-in/github/callback', signInPages.returnFromProvider],
    ['GET', '/sign-in/local', signInPages.showLocal],
    ['POST', '/sign-in/local', signInPages.signInLocally],
    ['GET', '/sign-in/approve', signInPages.showRequest],
    ['POST', '/sign-in/approve', signInPages.decide],
    ['GET', '/sign-in/done', signInPages.showDone],

    ['GET', '/p/:slug', viewer.show, say.pages.view],
    ['POST', '/p/:slug', viewer.unlock],

    ['GET', '/report/:slug', report.show],
    ['POST', '/report/:slug', report.send],

    ['GET', '/robots.txt', robots.show],
    ['GET', '/.well-known/security.txt', securityTxt.show],

    ['GET', '/healthz', health.alive, say.service.alive],
    ['GET', '/readyz', health.ready, say.service.ready],
  ];
  const raw = { method: 'GET', path: rawPath(':slug'), access: 'open', operation: say.pages.raw } as const;
  const endpoints = [...routes.flatMap(endpointOf), raw];
  description.publish(endpoints);
  return { routes, endpoints };
}

/**
 * Scripts of any origin may read the answer (CORS), on HEAD and 304 too. Of no other route: docs/decisions.md, Programs
 * in browsers.
 */
function anyOrigin(handler: Handler): Handler {
  return (req, res) => {
    res.setHeader('Access-Control-Allow-Origin', '*');
    return handler(req, res);
  };
}

function endpointOf([method, path, { access = 'open' }, operation]: Route): Endpoint[] {
  return operation === undefined ? [] : [{ method, path, access, operation }];
}
