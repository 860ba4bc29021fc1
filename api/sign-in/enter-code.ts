import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { readCode, type SignIn } from '../../shared/domain/sign-in.ts';
import { quotasOf } from '../../shared/domain/visitor.ts';
import { errorText } from '../html/error-page.ts';
import { visitorOf } from '../http/client-address.ts';
import { signInPaths } from '../http/paths.ts';
import type { SignInContext } from './context.ts';
import { codeView, providerView } from './views.ts';

/** Enough to show a mistyped code again. */
const shownCodeLength = 24;

/** GET and POST /sign-in: the user enters the code. */
export function codeHandlers(context: SignInContext) {
  const { services, cookie, readForm, show, redirect, refuse } = context;
  const { signIns, limits, identityProvider, config } = services;

  function view(code: string, error: string | null) {
    return codeView({ action: signInPaths.code, code, error, provider: identityProvider?.name ?? null });
  }

  /** @throws DropError `invalid_arg`, `not_found` for a wrong code, `rate_limited` */
  async function findSignIn(req: Request, typed: string): Promise<SignIn> {
    if (readCode(typed) === null) {
      throw new DropError('invalid_arg', 'The code must have 8 letters, such as BCDF-GHJK.', {
        field: 'code',
      });
    }
    const visitor = visitorOf(req.ip);
    const signIn = await limits.attempts.code.run({
      visitor,
      quotas: quotasOf('code', visitor, config.CODE_TRIES),
      check: () => signIns.findByCode(typed),
      counts: (found) => found === null,
    });
    if (signIn !== null) return signIn;
    const message =
      'This code is not valid. Check it for typing errors. If it has expired or was already used, start again on your device.';
    throw new DropError('not_found', message, { field: 'code' });
  }

  /** Sends the browser to the identity provider, or to the page that asks for the sign-in key. */
  async function sendToAuthentication(
    res: Response,
    { id: signInId, expiresAt }: SignIn,
    code: string,
  ): Promise<void> {
    const progress = { signInId, code, expiresAt };
    if (identityProvider === null) {
      await cookie.write(res, 'local', progress);
      redirect(res, signInPaths.local);
      return;
    }
    const { url, visit } = await identityProvider.begin(config.BASE_URL + signInPaths.callback);
    await cookie.write(res, 'visit', { ...progress, visit });
    show(res, providerView({ provider: identityProvider.name, url }));
  }

  return {
    showCode(req: Request, res: Response): void {
      const { code } = req.query;
      show(res, view(typeof code === 'string' ? (readCode(code) ?? '') : '', null));
    },

    async enterCode(req: Request, res: Response): Promise<void> {
      const typed = (await readForm(req)).get('code') ?? '';
      try {
        await sendToAuthentication(res, await findSignIn(req, typed), readCode(typed) ?? typed);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        refuse(req, res, error, view(typed.slice(0, shownCodeLength), errorText(error)));
      }
    },
  };
}
