import type { Services } from '../shared/open-services.ts';
import { createAccess, type Handler } from './access.ts';
import { accountHandlers } from './handlers/account.ts';
import { dropHandlers } from './handlers/drops.ts';
import { healthHandlers } from './handlers/health.ts';
import { homeHandlers } from './handlers/home.ts';
import { onboardHandlers } from './handlers/onboard.ts';
import { signInHandlers } from './handlers/sign-in.ts';
import { signInPageHandlers } from './handlers/sign-in-pages.ts';
import { versionHandlers } from './handlers/versions.ts';
import { viewerHandlers } from './handlers/viewer.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Route = readonly [method: Method, path: string, handler: Handler];

/** Every endpoint, but the raw page, which answers before Express (app.ts). */
export function createRoutes(services: Services): readonly Route[] {
  const { starter, owner, self, write, change, patch, removal } = createAccess(services);
  const account = accountHandlers(services);
  const drops = dropHandlers(services);
  const health = healthHandlers(services);
  const home = homeHandlers(services);
  const onboard = onboardHandlers(services);
  const signIn = signInHandlers(services);
  const signInPages = signInPageHandlers(services);
  const versions = versionHandlers(services);
  const viewer = viewerHandlers(services);

  return [
    ['GET', '/', home.show],
    ['GET', '/api/onboard', onboard.read],

    ['POST', '/api/auth/start', starter(signIn.start)],
    ['GET', '/api/auth/poll', signIn.poll],

    ['GET', '/api/me', self(account.me)],
    ['GET', '/api/tokens', owner(account.listTokens)],
    ['DELETE', '/api/tokens/:id', removal(account.revokeToken)],

    ['GET', '/api/drops', owner(drops.list)],
    ['POST', '/api/drops', write(drops.create)],
    ['GET', '/api/drops/:slug', owner(drops.read)],
    ['PUT', '/api/drops/:slug', write(drops.replace)],
    ['PATCH', '/api/drops/:slug', patch(drops.patch)],
    ['DELETE', '/api/drops/:slug', removal(drops.remove)],
    ['POST', '/api/drops/:slug/passcode', change(drops.setPasscode)],
    ['GET', '/api/drops/:slug/versions', owner(versions.list)],
    ['GET', '/api/drops/:slug/v/:n', owner(versions.read)],
    ['DELETE', '/api/drops/:slug/v/:n', removal(versions.remove)],

    ['GET', '/sign-in', signInPages.showCode],
    ['POST', '/sign-in', signInPages.enterCode],
    ['GET', '/sign-in/github/callback', signInPages.returnFromProvider],
    ['GET', '/sign-in/local', signInPages.showLocal],
    ['POST', '/sign-in/local', signInPages.signInLocally],
    ['GET', '/sign-in/approve', signInPages.showRequest],
    ['POST', '/sign-in/approve', signInPages.decide],
    ['GET', '/sign-in/done', signInPages.showDone],

    ['GET', '/p/:slug', viewer.show],
    ['POST', '/p/:slug', viewer.unlock],

    ['GET', '/healthz', health.alive],
    ['GET', '/readyz', health.ready],
  ];
}
