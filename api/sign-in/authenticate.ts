import type { Request, Response } from 'express';
import { type Identity, localIdentity } from '../../shared/domain/account.ts';
import { DropError, notFound } from '../../shared/domain/errors.ts';
import type { IdentityProvider, ProviderVisit } from '../../shared/ports/identity-provider.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { errorText } from '../html/error-page.ts';
import { addressKey } from '../http/client-address.ts';
import { signInPaths } from '../http/paths.ts';
import { noSignInInProgress, type SignInContext } from './context.ts';
import { beginDecision } from './decide.ts';
import { localView } from './views.ts';

/** The user signs in: with a name and the sign-in key, or at the identity provider if one is configured. */
export function authenticationHandlers(context: SignInContext) {
  const { services, cookie, readForm, show, redirect, refuse, showProblem } = context;
  const { identityProvider, signInKey, limits, config, log } = services;
  const callbackUrl = config.BASE_URL + signInPaths.callback;

  /** @throws DropError `forbidden` for a wrong key, `rate_limited` after too many */
  async function checkKey(req: Request, key: string, expected: string): Promise<void> {
    const isRight = await limits.countIf(
      (isRight) => !isRight,
      async () => constantTimeEqual(key, expected),
      // Per address only: the key has 143 bits, and a shared limit would let anybody lock the operator out.
      { quotas: [{ key: `key:${addressKey(req.ip)}`, limit: config.CODE_TRIES }] },
    );
    if (!isRight) throw new DropError('forbidden', 'The sign-in key is wrong.', { field: 'key' });
  }

  /** @returns null if the provider refused or failed; then the request is answered */
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
      const message = `${provider.name} did not sign you in. Nothing was approved.`;
      showProblem(req, res, {
        error: new DropError('forbidden', message),
        title: 'Not signed in',
        retryCode: code,
      });
    } catch (error) {
      if (!(error instanceof DropError) || error.code !== 'unavailable') throw error;
      const id = res.getHeader('X-Request-Id');
      log.error({ id, cause: error.cause }, 'the identity provider failed to identify a user');
      const message = `${provider.name} did not respond as expected. Nothing was approved.`;
      const shown = new DropError('unavailable', message, error.details);
      showProblem(req, res, { error: shown, title: `${provider.name} is unavailable`, retryCode: code });
    }
    return null;
  }

  return {
    /** GET /sign-in/github/callback */
    async returnFromProvider(req: Request, res: Response): Promise<void> {
      if (identityProvider === null) throw notFound('page');
      const progress = await cookie.read(req, 'visit');
      if (req.method !== 'HEAD') cookie.clear(res); // each visit to the provider may return once
      if (progress === null) return showProblem(req, res, noSignInInProgress());
      // A HEAD must not use up the provider's code: it is answered like a GET that succeeds.
      if (req.method === 'HEAD') return redirect(res, signInPaths.approve);
      const identity = await finishVisit(req, res, identityProvider, progress);
      if (identity !== null) await beginDecision(context, res, progress, identity);
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
      const form = await readForm(req, res);
      const progress = await cookie.read(req, 'local');
      if (progress === null) return showProblem(req, res, noSignInInProgress());
      const name = form.get('name') ?? '';
      const refuseField = (field: 'name' | 'key', error: DropError) => {
        const view = localView({
          action: signInPaths.local,
          name,
          error: { field, message: errorText(error) },
        });
        refuse(req, res, error, view);
      };
      const identity = localIdentity(name);
      if (identity === null) {
        const message =
          'The name must have 1 to 39 letters (a-z), digits, ".", "-" or "_", and start with a letter or digit.';
        return refuseField('name', new DropError('invalid_arg', message, { field: 'name' }));
      }
      try {
        await checkKey(req, (form.get('key') ?? '').trim(), signInKey);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        return refuseField('key', error);
      }
      await beginDecision(context, res, progress, identity);
    },
  };
}
