import type { Request, Response } from 'express';
import type { Identity } from '../../shared/domain/account.ts';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import type { IdentityProvider, ProviderVisit } from '../../shared/ports/identity-provider.ts';
import { signInPaths } from '../http/paths.ts';
import { beginDecision } from './decision.ts';
import { nothingUnderWay, type SignInSite } from './site.ts';

/** GET /sign-in/github/callback: back from the identity provider. */
export function providerHandlers(site: SignInSite) {
  const { services, cookie, answers, stop } = site;
  const { identityProvider, config, log } = services;
  const callbackUrl = config.BASE_URL + signInPaths.callback;

  /** Who came back; null: refused or failed, and answered. */
  async function finishVisit(
    req: Request,
    res: Response,
    provider: IdentityProvider,
    { visit, code }: { visit: ProviderVisit; code: string },
  ): Promise<Identity | null> {
    const returnedTo = new URL(callbackUrl);
    returnedTo.search = new URL(req.url, config.BASE_URL).search;
    try {
      const identity = await provider.finish(returnedTo, callbackUrl, visit);
      if (identity !== null) return identity;
      const message = `${provider.name} did not confirm who you are, so nothing was approved.`;
      stop(req, res, { error: new DropError('forbidden', message), title: 'Not signed in', code });
    } catch (error) {
      if (!(error instanceof DropError) || error.code !== 'unavailable') throw error;
      const id = res.getHeader('X-Request-Id');
      log.error({ id, cause: error.cause }, 'the identity provider could not tell who signs in');
      const message = `${provider.name} does not answer as it should. Nothing was approved: try again in a moment.`;
      const shown = new DropError('unavailable', message, error.details);
      stop(req, res, { error: shown, title: `${provider.name} is away`, code });
    }
    return null;
  }

  return {
    async returnFromProvider(req: Request, res: Response): Promise<void> {
      if (identityProvider === null) throw notFound('page');
      const work = await cookie.read(req, 'visit');
      if (req.method !== 'HEAD') cookie.clear(res); // one visit, one return, whatever comes of it
      if (work === null) return stop(req, res, nothingUnderWay());
      // A HEAD exchanges no code: it is answered as a GET that succeeds.
      if (req.method === 'HEAD') return answers.redirect(res, signInPaths.approve);
      const identity = await finishVisit(req, res, identityProvider, work);
      if (identity !== null) await beginDecision(site, req, res, work, identity);
    },
  };
}
