import type { Response } from 'express';
import { notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { callbackPaths, type ProviderWay } from '../../shared/sign-ins/callbacks.ts';
import { type ProviderPerson, withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { signInPaths } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { browserRoutes, finishBrowserSignIn } from './browser.ts';
import type { SignInProgress } from './cookie.ts';
import { finishLink } from './linking.ts';
import { LocalSignIn } from './local.ts';
import { localPage } from './local-views.ts';
import { noSignInInProgress, problem, type SignInPages } from './pages.ts';
import { signedOutRoutes } from './sign-out.ts';
import { endVisit } from './visit.ts';

/** The user signs in: with a name and the sign-in key, or at an identity provider. */
export function authenticationRoutes(parts: RouteParts, pages: SignInPages): readonly Route[] {
  const { services } = parts;
  const { cookie, page, form } = pages;
  const { signInKey } = services;
  const action = signInPaths.local;
  const localSignIn = new LocalSignIn(services);
  return [
    ...browserRoutes(parts, pages),
    ...signedOutRoutes(parts, pages),
    callbackRoute(parts, pages, 'oidc'),
    callbackRoute(parts, pages, 'github'),

    page(action, async (req) => {
      if (signInKey === null) throw notFound('page');
      const progress = await cookie.read(req, 'local');
      return progress === null ? problem(req, noSignInInProgress()) : localPage({ action }, '');
    }),

    form(action, async (req, res, sent) => {
      if (signInKey === null) throw notFound('page');
      const progress = await cookie.read(req, 'local');
      if (progress === null) return problem(req, noSignInInProgress());
      return localSignIn.answer(req, sent, { action }, (identity) =>
        beginDecision(services, pages, res, progress, withoutClaims(identity)),
      );
    }),
  ];
}

/** GET of the path to which a provider sends the browser back. */
function callbackRoute(parts: RouteParts, pages: SignInPages, way: ProviderWay): Route {
  const { services } = parts;
  const { cookie } = pages;
  return pages.page(callbackPaths[way], async (req, res) => {
    if (services[way] === null) throw notFound('page');
    const begun = await cookie.read(req, 'visit');
    if (req.method !== 'HEAD') cookie.clear(res); // each visit to the provider may return once
    if (begun === null) return problem(req, noSignInInProgress());
    // A HEAD must not use up the provider's code: it is answered like a GET that succeeds.
    if (req.method === 'HEAD') return begun.next;
    const arrived = await endVisit(services, { req, res }, way, begun);
    if (!('identity' in arrived)) return arrived;
    const { device, link, next } = begun;
    if (link !== undefined) return finishLink(parts, req, link, next, arrived);
    return device === null
      ? finishBrowserSignIn(parts, req, res, next, arrived)
      : beginDecision(services, pages, res, device, arrived);
  });
}

async function beginDecision(
  { signIns }: Services,
  { askApprover }: SignInPages,
  res: Response,
  progress: SignInProgress,
  person: ProviderPerson,
): Promise<string> {
  const { id: accountId, countsAs, identity: own } = await signIns.signInWith(person);
  const { provider, subject } = person.identity;
  const approver = { accountId, name: own.name, identity: { provider, subject } };
  return askApprover(res, progress, approver, countsAs);
}
