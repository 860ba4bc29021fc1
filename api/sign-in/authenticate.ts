import type { Request, Response } from 'express';
import type { Identity } from '../../shared/domain/account.ts';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import type { IdentityProvider, ProviderVisit } from '../../shared/ports/identity-provider.ts';
import { browserSignInPath, codePathWith, signInPaths } from '../http/paths.ts';
import type { SessionAccess } from '../http/session.ts';
import { browserHandlers } from './browser.ts';
import { noSignInInProgress, type SignInContext } from './context.ts';
import { beginDecision } from './decide.ts';
import { createLocalSignIn } from './local-key.ts';
import { localView } from './views.ts';

/** A visit to the provider that returns. */
interface Visit {
  readonly visit: ProviderVisit;
  /** Where the user goes after it succeeded, and where they can try again. */
  readonly nextPath: string;
  readonly retryPath: string;
  finish(identity: Identity): Promise<void>;
}

/** The user signs in: with a name and the sign-in key, or at the identity provider if one is configured. */
export function authenticationHandlers(context: SignInContext, access: SessionAccess) {
  const { services, cookie, readForm, show, redirect, refuse, showProblem } = context;
  const { identityProvider, signInKey, config, log } = services;
  const callbackUrl = config.BASE_URL + signInPaths.callback;
  const readLocal = createLocalSignIn(services);
  const { finishBrowser, ...browser } = browserHandlers(context, access);

  /** The visit to the provider that this browser has begun, for a device or for a session: its cookie says which. */
  async function findVisit(req: Request, res: Response): Promise<Visit | null> {
    const ofDevice = await cookie.read(req, 'visit');
    if (ofDevice !== null) {
      return {
        visit: ofDevice.visit,
        nextPath: signInPaths.approve,
        retryPath: codePathWith(ofDevice.code),
        finish: (identity) => beginDecision(context, res, ofDevice, identity),
      };
    }
    const ofBrowser = await cookie.read(req, 'browser');
    if (ofBrowser === null) return null;
    return {
      visit: ofBrowser.visit,
      nextPath: ofBrowser.next,
      retryPath: browserSignInPath(ofBrowser.next),
      finish: (identity) => finishBrowser(req, res, ofBrowser, identity),
    };
  }

  /** @returns null if the provider refused or failed; then the request is answered */
  async function askProvider(
    req: Request,
    res: Response,
    provider: IdentityProvider,
    { visit, retryPath }: Visit,
  ): Promise<Identity | null> {
    const returnedTo = new URL(callbackUrl);
    returnedTo.search = new URL(req.url, config.BASE_URL).search;
    const retry = { href: retryPath, text: 'Try again' };
    try {
      const identity = await provider.finish(returnedTo, callbackUrl, visit);
      if (identity !== null) return identity;
      const message = `${provider.name} did not sign you in. Nothing was approved.`;
      showProblem(req, res, { error: new DropError('forbidden', message), title: 'Not signed in', retry });
    } catch (error) {
      if (!(error instanceof DropError) || error.code !== 'unavailable') throw error;
      const id = res.getHeader('X-Request-Id');
      log.error({ id, cause: error.cause }, 'the identity provider failed to identify a user');
      const message = `${provider.name} did not respond as expected. Nothing was approved.`;
      const shown = new DropError('unavailable', message, error.details);
      showProblem(req, res, { error: shown, title: `${provider.name} is unavailable`, retry });
    }
    return null;
  }

  return {
    ...browser,

    /** GET /sign-in/github/callback */
    async returnFromProvider(req: Request, res: Response): Promise<void> {
      if (identityProvider === null) throw notFound('page');
      const begun = await findVisit(req, res);
      if (req.method !== 'HEAD') cookie.clear(res); // each visit to the provider may return once
      if (begun === null) return showProblem(req, res, noSignInInProgress());
      // A HEAD must not use up the provider's code: it is answered like a GET that succeeds.
      if (req.method === 'HEAD') return redirect(res, begun.nextPath);
      const identity = await askProvider(req, res, identityProvider, begun);
      if (identity !== null) await begun.finish(identity);
    },

    /** GET /sign-in/local */
    async showLocal(req: Request, res: Response): Promise<void> {
      if (signInKey === null) throw notFound('page');
      if ((await cookie.read(req, 'local')) === null) return showProblem(req, res, noSignInInProgress());
      show(res, localView({ action: signInPaths.local, name: '', error: null }));
    },

    /** POST /sign-in/local */
    async signInLocally(req: Request, res: Response): Promise<void> {
      if (signInKey === null) throw notFound('page');
      const form = await readForm(req);
      const progress = await cookie.read(req, 'local');
      if (progress === null) return showProblem(req, res, noSignInInProgress());
      const result = await readLocal(req, form, signInKey);
      if (!('error' in result)) return beginDecision(context, res, progress, result);
      const view = localView({ action: signInPaths.local, name: form.get('name') ?? '', error: result });
      refuse(req, res, result.error, view);
    },
  };
}
