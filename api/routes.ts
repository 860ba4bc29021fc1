import type { Services } from '../shared/open-services.ts';
import { accountHandlers, accountOperations } from './account/account.ts';
import { exportHandler } from './dashboard/account/export.ts';
import { accountPageHandlers } from './dashboard/account/handlers.ts';
import { accountPaths } from './dashboard/account/paths.ts';
import { sessionHandlers } from './dashboard/account/sessions.ts';
import { editFormBytes } from './dashboard/drop/edit-form.ts';
import { ownedDropHandlers } from './dashboard/drop/handlers.ts';
import { historyHandlers } from './dashboard/history/versions.ts';
import { deleteHandlers } from './dashboard/list/delete.ts';
import { listHandlers } from './dashboard/list/handlers.ts';
import { newDropHandlers } from './dashboard/new/handlers.ts';
import { newVersionHandlers } from './dashboard/new/version.ts';
import { dropHandlers } from './drops/handlers.ts';
import { dropOperations } from './drops/operations.ts';
import { viewsHandler, viewsOperation } from './drops/views.ts';
import { type Assets, assetsPath, manifestPath } from './html/assets.ts';
import type { Layout } from './html/layout.ts';
import { createAccess, type Handler } from './http/access.ts';
import { createFormReader } from './http/form.ts';
import { cardPath, oembedPath, rawPath, servicePaths, skillPath } from './http/paths.ts';
import { createSessionAccess } from './http/session.ts';
import { mcpHandlers } from './mcp/endpoint.ts';
import { type ApiDescription, describeApi, type Endpoint } from './openapi/document.ts';
import type { Operation } from './openapi/operation.ts';
import { operatorRoutes } from './operators/routes.ts';
import { cardHandler } from './pages/card.ts';
import { copyHandlers } from './pages/copies.ts';
import { latestHandler } from './pages/latest.ts';
import { oembedHandler } from './pages/oembed.ts';
import { pageOperations } from './pages/operations.ts';
import { qrHandler } from './pages/qr.ts';
import { publicVersionsHandler } from './pages/versions.ts';
import { viewerHandlers } from './pages/viewer.ts';
import { reportHandlers } from './reports/handlers.ts';
import type { HeldBytes } from './server/held-bytes.ts';
import { agentFileHandlers } from './service/agent-files.ts';
import { assetHandlers } from './service/asset-files.ts';
import { createClientFileSender } from './service/client-file.ts';
import { descriptionHandlers, descriptionOperations } from './service/description.ts';
import { healthHandlers, healthOperations } from './service/health.ts';
import { homeHandlers } from './service/home.ts';
import { onboardingHandlers, onboardingOperation } from './service/onboarding.ts';
import { textFileHandlers } from './service/text-files.ts';
import { signInHandlers, signInPageHandlers } from './sign-in/handlers.ts';
import { signInOperations } from './sign-in/operations.ts';
import { diffHandler, diffOperation } from './source/diff.ts';
import { sourceHandlers, sourceOperations } from './source/html.ts';
import { uploadHandlers } from './uploads/handlers.ts';
import { uploadOperations } from './uploads/operations.ts';
import { versionHandlers, versionOperations } from './versions/versions.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A route with an operation is in the published description (/openapi.json); the others are not. */
export type Route = readonly [method: Method, path: string, handler: Handler, operation?: Operation];

export interface RouteTable {
  /** Every endpoint except the raw page, which is answered without Express (server/listener.ts). */
  readonly routes: readonly Route[];
  readonly describe: () => ApiDescription;
}

/** What our pages look like. */
export interface Pages {
  readonly assets: Assets;
  readonly layout: Layout;
}

export function createRoutes(services: Services, held: HeldBytes, { assets, layout }: Pages): RouteTable {
  const { config } = services;
  const { signInStart, withToken, tokenCheck, ...access } = createAccess(services, held);
  const { write, writeWithoutBody, smallChange, documentChange, changeWithoutBody, changeEvenIfSuspended } =
    access;
  const readForm = createFormReader(held, config.BASE_URL);
  const sessionAccess = createSessionAccess(services, readForm);
  const { withSession, sessionForm } = sessionAccess;

  const account = accountHandlers(services);
  const accountPages = accountPageHandlers(services, sessionAccess, layout);
  const copies = copyHandlers(services);
  const agentFiles = agentFileHandlers(config);
  const description = descriptionHandlers(config, describe, layout);
  const deletion = deleteHandlers(services, layout);
  const dropList = listHandlers(services, layout);
  const newDrop = newDropHandlers(services, held, layout);
  const newVersion = newVersionHandlers(services, held, layout);
  const drops = dropHandlers(services);
  const files = assetHandlers(assets);
  const health = healthHandlers(services);
  const history = historyHandlers(services, layout);
  const home = homeHandlers(services, sessionAccess, layout);
  const latest = latestHandler(services);
  const mcp = mcpHandlers(services);
  const onboarding = onboardingHandlers(services);
  const publicVersions = publicVersionsHandler(services, layout);
  const card = cardHandler(services);
  const oembed = oembedHandler(services);
  const qr = qrHandler(config.BASE_URL);
  const ownedDrop = ownedDropHandlers(services, layout);
  const report = reportHandlers(services, readForm, layout);
  const dashboardSessions = sessionHandlers(services, sessionAccess);
  const signIn = signInHandlers(services);
  const signInPages = signInPageHandlers(services, readForm, sessionAccess, layout);
  const diff = diffHandler(services);
  const source = sourceHandlers(services);
  const textFiles = textFileHandlers(services);
  const uploads = uploadHandlers(services, held);
  const versions = versionHandlers(services);
  const views = viewsHandler(services);
  const viewer = viewerHandlers(services, readForm, layout);

  const docs = {
    account: accountOperations(config),
    description: descriptionOperations(),
    diff: diffOperation,
    drops: dropOperations(config),
    health: healthOperations,
    onboarding: onboardingOperation(config),
    pages: pageOperations,
    signIn: signInOperations(config),
    source: sourceOperations,
    uploads: uploadOperations(config),
    versions: versionOperations(config),
    views: viewsOperation,
  };

  const routes: readonly Route[] = [
    ['GET', '/', home.show],
    ['GET', servicePaths.onboarding, anyOrigin(onboarding.read), docs.onboarding],
    ['GET', servicePaths.openapi, anyOrigin(description.read), docs.description.describe],
    ['GET', servicePaths.discovery, anyOrigin(description.discover), docs.description.discover],
    ['GET', servicePaths.docs, description.showDocs],
    ['GET', servicePaths.llms, anyOrigin(agentFiles.llms)],
    ['GET', servicePaths.skills, anyOrigin(agentFiles.skills)],
    ['GET', skillPath, anyOrigin(agentFiles.skill)],
    ['GET', servicePaths.client, createClientFileSender(config)],
    ['GET', `${assetsPath}:name`, files.file],
    ['GET', '/favicon.ico', files.favicon],
    ['GET', '/apple-touch-icon.png', files.touchIcon],
    ['GET', manifestPath, anyOrigin(files.manifest)],

    ['POST', '/api/auth/start', signInStart(signIn.start), docs.signIn.start],
    ['GET', '/api/auth/poll', signIn.poll, docs.signIn.poll],

    ['GET', '/api/me', tokenCheck(account.me), docs.account.me],
    ['DELETE', '/api/me', changeWithoutBody(account.remove), docs.account.remove],
    ['GET', '/api/tokens', withToken(account.listTokens), docs.account.listTokens],
    ['PATCH', '/api/tokens/:id', smallChange(account.renameToken), docs.account.renameToken],
    ['DELETE', '/api/tokens/:id', changeEvenIfSuspended(account.revokeToken), docs.account.revokeToken],

    ['GET', '/api/drops', withToken(drops.list), docs.drops.list],
    ['POST', '/api/drops', write(drops.create), docs.drops.create],
    ['GET', '/api/drops/:slug', withToken(drops.read), docs.drops.read],
    ['PUT', '/api/drops/:slug', write(drops.replace), docs.drops.replace],
    ['PATCH', '/api/drops/:slug', documentChange(drops.patch), docs.drops.patch],
    ['DELETE', '/api/drops/:slug', changeWithoutBody(drops.remove), docs.drops.remove],
    ['POST', '/api/drops/:slug/passcode', smallChange(drops.setPasscode), docs.drops.setPasscode],
    ['GET', '/api/drops/:slug/views', withToken(views), docs.views],
    ['GET', '/api/drops/:slug/versions', withToken(versions.list), docs.versions.list],
    ['GET', '/api/drops/:slug/diff', withToken(diff), docs.diff],
    ['GET', '/api/drops/:slug/html', withToken(source.readLatest), docs.source.readLatest],
    ['GET', '/api/drops/:slug/v/:n/html', withToken(source.read), docs.source.read],
    ['GET', '/api/drops/:slug/v/:n', withToken(versions.read), docs.versions.read],
    ['DELETE', '/api/drops/:slug/v/:n', changeWithoutBody(versions.remove), docs.versions.remove],
    ['POST', '/api/drops/:slug/v/:n/restore', writeWithoutBody(versions.restore), docs.versions.restore],

    ['POST', servicePaths.mcp, access.mcpCall(mcp.call)],

    ['POST', '/api/uploads', documentChange(uploads.create), docs.uploads.create],
    ['PUT', '/u/:secret', uploads.put, docs.uploads.put],

    ['GET', '/sign-in', signInPages.showCode],
    ['POST', '/sign-in', signInPages.enterCode],
    ['GET', '/sign-in/browser', signInPages.showBrowser],
    ['POST', '/sign-in/browser', signInPages.signInBrowser],
    ['POST', '/sign-out', signInPages.signOut],
    ['GET', '/drops', sessionAccess.withSession(dropList.show)],
    ['GET', '/drops/new', sessionAccess.withSession(newDrop.show)],
    ['POST', '/drops/new', sessionAccess.sessionBody('writes_per_minute', newDrop.publish)],
    ['GET', '/drops/delete', sessionAccess.withSession(deletion.confirm)],
    ['POST', '/drops/delete', sessionAccess.sessionForm('changes_per_minute', deletion.remove)],
    ['POST', '/account/sessions', dashboardSessions.endSessions],
    ['GET', '/sign-in/github/callback', signInPages.returnFromProvider],
    ['GET', '/sign-in/local', signInPages.showLocal],
    ['POST', '/sign-in/local', signInPages.signInLocally],
    ['GET', '/sign-in/approve', signInPages.showApproval],
    ['POST', '/sign-in/approve', signInPages.decide],
    ['GET', '/sign-in/done', signInPages.showDone],

    ['GET', '/drops/:slug', withSession(ownedDrop.show)],
    ['GET', '/drops/:slug/edit', withSession(ownedDrop.showEdit)],
    [
      'POST',
      '/drops/:slug/edit',
      sessionForm('changes_per_minute', ownedDrop.edit, { maxBytes: editFormBytes(config) }),
    ],
    ['GET', '/drops/:slug/passcode', withSession(ownedDrop.showPasscode)],
    ['POST', '/drops/:slug/passcode', sessionForm('changes_per_minute', ownedDrop.setPasscode)],
    ['GET', '/drops/:slug/new-version', withSession(newVersion.show)],
    ['POST', '/drops/:slug/new-version', sessionAccess.sessionBody('writes_per_minute', newVersion.publish)],
    ['GET', '/drops/:slug/download', withSession(ownedDrop.download)],

    ['GET', '/p/:slug', viewer.show, docs.pages.view],
    ['POST', '/p/:slug', viewer.unlock, docs.pages.unlock],
    ['GET', '/p/:slug/latest', latest],
    ['GET', '/p/:slug/versions', publicVersions],
    ['GET', '/p/:slug/download', copies.download],
    ['GET', '/p/:slug/print', copies.print],
    ['GET', '/p/:slug/qr.svg', qr],
    ['GET', cardPath(':slug'), card],
    ['GET', oembedPath, oembed],

    ['GET', '/drops/:slug/history', withSession(history.list)],
    ['GET', '/drops/:slug/compare', withSession(history.compare.show)],
    ['GET', '/drops/:slug/compare/diff', withSession(history.compare.download)],
    ['GET', '/drops/:slug/delete', withSession(history.removeDrop.ask)],
    ['POST', '/drops/:slug/delete', sessionForm('changes_per_minute', history.removeDrop.confirm)],
    ['GET', '/drops/:slug/v/:n', withSession(history.show)],
    ['GET', '/drops/:slug/v/:n/html', withSession(history.download)],
    ['GET', '/drops/:slug/v/:n/restore', withSession(history.restore.ask)],
    ['POST', '/drops/:slug/v/:n/restore', sessionForm('writes_per_minute', history.restore.confirm)],
    ['GET', '/drops/:slug/v/:n/delete', withSession(history.removeVersion.ask)],
    ['POST', '/drops/:slug/v/:n/delete', sessionForm('changes_per_minute', history.removeVersion.confirm)],

    ['GET', accountPaths.account, accountPages.show],
    ['POST', accountPaths.tokens, accountPages.createToken],
    ['GET', accountPaths.token(':id'), accountPages.showToken],
    ['POST', accountPaths.token(':id'), accountPages.renameToken],
    ['POST', accountPaths.revoke(':id'), accountPages.revokeToken],
    ['POST', accountPaths.export, exportHandler(services, sessionAccess)],
    ['GET', accountPaths.remove, accountPages.askRemoval],
    ['POST', accountPaths.remove, accountPages.remove],

    ...operatorRoutes(services, sessionAccess, readForm, layout),

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
