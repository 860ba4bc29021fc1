import type { Services } from '../shared/open-services.ts';
import { accountHandlers, accountOperations } from './account/account.ts';
import { dropHandlers } from './drops/handlers.ts';
import { dropOperations } from './drops/operations.ts';
import { createAccess, type Handler } from './http/access.ts';
import { createFormReader } from './http/form.ts';
import { rawPath, servicePaths } from './http/paths.ts';
import { type ApiDescription, describeApi, type Endpoint } from './openapi/document.ts';
import type { Operation } from './openapi/operation.ts';
import { pageOperations } from './pages/operations.ts';
import { viewerHandlers } from './pages/viewer.ts';
import { reportHandlers } from './reports/handlers.ts';
import type { HeldBytes } from './server/held-bytes.ts';
import { descriptionHandlers, descriptionOperations } from './service/description.ts';
import { healthHandlers, healthOperations } from './service/health.ts';
import { homeHandlers } from './service/home.ts';
import { onboardingHandlers, onboardingOperation } from './service/onboarding.ts';
import { textFileHandlers } from './service/text-files.ts';
import { signInHandlers, signInPageHandlers } from './sign-in/handlers.ts';
import { signInOperations } from './sign-in/operations.ts';
import { versionHandlers, versionOperations } from './versions/versions.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A route with an operation is in the published description (/openapi.json); the others are not. */
export type Route = readonly [method: Method, path: string, handler: Handler, operation?: Operation];

export interface RouteTable {
  /** Every endpoint except the raw page, which is answered without Express (server/listener.ts). */
  readonly routes: readonly Route[];
  readonly describe: () => ApiDescription;
}

export function createRoutes(services: Services, held: HeldBytes): RouteTable {
  const { config } = services;
  const { signInStart, withToken, tokenCheck, ...access } = createAccess(services, held);
  const { write, smallChange, documentChange, changeWithoutBody, changeEvenIfSuspended } = access;
  const readForm = createFormReader(held, config.BASE_URL);

  const account = accountHandlers(services);
  const description = descriptionHandlers(config, describe);
  const drops = dropHandlers(services);
  const health = healthHandlers(services);
  const home = homeHandlers(services);
  const onboarding = onboardingHandlers(services);
  const report = reportHandlers(services, readForm);
  const signIn = signInHandlers(services);
  const signInPages = signInPageHandlers(services, readForm);
  const textFiles = textFileHandlers(services);
  const versions = versionHandlers(services);
  const viewer = viewerHandlers(services, readForm);

  const docs = {
    account: accountOperations,
    description: descriptionOperations(config),
    drops: dropOperations(config),
    health: healthOperations,
    onboarding: onboardingOperation(config),
    pages: pageOperations,
    signIn: signInOperations(config),
    versions: versionOperations(config),
  };

  const routes: readonly Route[] = [
    ['GET', '/', home.show],
    ['GET', servicePaths.onboarding, anyOrigin(onboarding.read), docs.onboarding],
    ['GET', servicePaths.openapi, anyOrigin(description.read), docs.description.describe],
    ['GET', servicePaths.discovery, anyOrigin(description.discover), docs.description.discover],
    ['GET', servicePaths.docs, description.showDocs],

    ['POST', '/api/auth/start', signInStart(signIn.start), docs.signIn.start],
    ['GET', '/api/auth/poll', signIn.poll, docs.signIn.poll],

    ['GET', '/api/me', tokenCheck(account.me), docs.account.me],
    ['GET', '/api/tokens', withToken(account.listTokens), docs.account.listTokens],
    ['DELETE', '/api/tokens/:id', changeEvenIfSuspended(account.revokeToken), docs.account.revokeToken],

    ['GET', '/api/drops', withToken(drops.list), docs.drops.list],
    ['POST', '/api/drops', write(drops.create), docs.drops.create],
    ['GET', '/api/drops/:slug', withToken(drops.read), docs.drops.read],
    ['PUT', '/api/drops/:slug', write(drops.replace), docs.drops.replace],
    ['PATCH', '/api/drops/:slug', documentChange(drops.patch), docs.drops.patch],
    ['DELETE', '/api/drops/:slug', changeWithoutBody(drops.remove), docs.drops.remove],
    ['POST', '/api/drops/:slug/passcode', smallChange(drops.setPasscode), docs.drops.setPasscode],
    ['GET', '/api/drops/:slug/versions', withToken(versions.list), docs.versions.list],
    ['GET', '/api/drops/:slug/v/:n', withToken(versions.read), docs.versions.read],
    ['DELETE', '/api/drops/:slug/v/:n', changeWithoutBody(versions.remove), docs.versions.remove],

    ['GET', '/sign-in', signInPages.showCode],
    ['POST', '/sign-in', signInPages.enterCode],
    ['GET', '/sign-in/github/callback', signInPages.returnFromProvider],
    ['GET', '/sign-in/local', signInPages.showLocal],
    ['POST', '/sign-in/local', signInPages.signInLocally],
    ['GET', '/sign-in/approve', signInPages.showApproval],
    ['POST', '/sign-in/approve', signInPages.decide],
    ['GET', '/sign-in/done', signInPages.showDone],

    ['GET', '/p/:slug', viewer.show, docs.pages.view],
    ['POST', '/p/:slug', viewer.unlock],

    ['GET', '/report/:slug', report.show],
    ['POST', '/report/:slug', report.send],

    ['GET', '/robots.txt', textFiles.robots],
    ['GET', '/.well-known/security.txt', textFiles.security],

    ['GET', '/healthz', health.alive, docs.health.alive],
    ['GET', '/readyz', health.ready, docs.health.ready],
  ];

  function describe(): ApiDescription {
    const rawPage: Endpoint = {
      method: 'GET',
      path: rawPath(':slug'),
      access: 'open',
      operation: docs.pages.raw,
    };
    const described = routes.flatMap(([method, path, { access = 'open' }, operation]) =>
      operation === undefined ? [] : [{ method, path, access, operation }],
    );
    return describeApi(config, [...described, rawPage]);
  }

  return { routes, describe };
}

/** Lets scripts of every origin read the answer (docs/decisions.md, Programs in browsers). */
function anyOrigin(handler: Handler): Handler {
  return (req, res) => {
    res.setHeader('Access-Control-Allow-Origin', '*');
    return handler(req, res);
  };
}
