import type { Request, Response } from 'express';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import {
  type IdentityProvider,
  type ProviderPerson,
  withoutClaims,
} from '../../shared/sign-ins/identity-provider.ts';
import type { PageParts } from '../html/layout.ts';
import { browserSignInPath, codePathWith, signInPaths } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import { browserRoutes, finishBrowserSignIn } from './browser.ts';
import type { SignInProgress, Steps } from './cookie.ts';
import { LocalSignIn } from './local.ts';
import { localPage } from './local-views.ts';
import { noSignInInProgress, problem, type SignInPages } from './pages.ts';

/** The user signs in: with a name and the sign-in key, or at the identity provider if one is configured. */
export function authenticationRoutes(parts: RouteParts, pages: SignInPages): readonly Route[] {
  const { services } = parts;
  const { cookie, page, form } = pages;
  const { identityProvider, signInKey } = services;
  const action = signInPaths.local;
  const localSignIn = new LocalSignIn(services);
  return [
    ...browserRoutes(parts, pages),

    page(signInPaths.callback, async (req, res) => {
      if (identityProvider === null) throw notFound('page');
      const begun = await cookie.read(req, 'visit');
      if (req.method !== 'HEAD') cookie.clear(res); // each visit to the provider may return once
      if (begun === null) return problem(req, noSignInInProgress());
      // A HEAD must not use up the provider's code: it is answered like a GET that succeeds.
      if (req.method === 'HEAD') return begun.next;
      const asked = await askProvider(services, req, res, identityProvider, begun);
      if (!('identity' in asked)) return asked;
      const { device, next } = begun;
      return device === null
        ? finishBrowserSignIn(parts, req, res, next, asked)
        : beginDecision(services, pages, res, device, asked);
    }),

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

async function beginDecision(
  { signIns }: Services,
  { askApprover }: SignInPages,
  res: Response,
  progress: SignInProgress,
  person: ProviderPerson,
): Promise<string> {
  const { id: accountId, countsAs, identity } = await signIns.signInWith(person);
  return askApprover(res, progress, { accountId, name: identity.name }, countsAs);
}

/** @returns a page if the provider refused or failed */
async function askProvider(
  { config, log }: Services,
  req: Request,
  res: Response,
  provider: IdentityProvider,
  { visit, device, next }: Steps['visit'],
): Promise<ProviderPerson | PageParts> {
  const callbackUrl = config.BASE_URL + signInPaths.callback;
  const returnedTo = new URL(callbackUrl);
  returnedTo.search = new URL(req.url, config.BASE_URL).search;
  const href = device === null ? browserSignInPath(next) : codePathWith(device.code);
  const retry = { href, text: 'Try again' };
  try {
    const person = await provider.finish(returnedTo, callbackUrl, visit);
    if (person !== null) return person;
    const message = `${provider.name} did not sign you in. Nothing was approved.`;
    return problem(req, { error: new DropError('forbidden', message), title: 'Not signed in', retry });
  } catch (error) {
    if (!(error instanceof DropError) || error.code !== 'unavailable') throw error;
    const id = res.getHeader('X-Request-Id');
    log.error({ id, cause: error.cause }, 'the identity provider failed to identify a user');
    const message = `${provider.name} did not respond as expected. Nothing was approved.`;
    const shown = new DropError('unavailable', message, error.details);
    return problem(req, { error: shown, title: `${provider.name} is unavailable`, retry });
  }
}
