import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { readCode, type SignIn } from '../../shared/domain/sign-in.ts';
import { triesFrom } from '../../shared/domain/visitor.ts';
import { tryWindowMs } from '../../shared/domain/windows.ts';
import { visitorOf } from '../http/client-address.ts';
import { signInPaths } from '../http/paths.ts';
import { codeView } from './code-page.ts';
import { leavingView } from './leaving-page.ts';
import { faultOf, type SignInSite } from './site.ts';

const shownCodeLength = 24;

/** GET and POST /sign-in: the code. */
export function codeHandlers({ services, cookie, answers, readForm, acceptsForm }: SignInSite) {
  const { signIns, limits, identityProvider, config } = services;

  function view(code: string, fault: string | null) {
    return codeView({ action: signInPaths.code, code, fault, provider: identityProvider?.name ?? null });
  }

  /** The sign-in that the code names. @throws DropError, with a message for the person */
  async function findSignIn(req: Request, typed: string): Promise<SignIn> {
    if (readCode(typed) === null) {
      throw new DropError('invalid_arg', 'A code has eight letters, such as BCDF-GHJK.', { field: 'code' });
    }
    // Reserved before the look-up, so that parallel guesses cannot pass the limit.
    const tries = triesFrom('code', visitorOf(req.ip), config.CODE_TRIES);
    const giveBack = await limits.takeTry(tries, tryWindowMs);
    let isWrong = false;
    try {
      const signIn = await signIns.findByCode(typed);
      if (signIn !== null) return signIn;
      isWrong = true;
    } finally {
      if (!isWrong) await giveBack(); // right, or never looked up
    }
    const message = 'No sign-in waits for this code. It may be mistyped, used already or expired.';
    throw new DropError('not_found', message, { field: 'code' });
  }

  /** Sends the browser on to say who it is. */
  async function goOn(res: Response, { id: signInId, expiresAt }: SignIn, code: string): Promise<void> {
    const work = { signInId, code, expiresAt };
    if (identityProvider === null) {
      await cookie.write(res, 'local', work);
      answers.redirect(res, signInPaths.local);
      return;
    }
    const { url, visit } = await identityProvider.begin(config.BASE_URL + signInPaths.callback);
    await cookie.write(res, 'visit', { ...work, visit });
    answers.show(res, leavingView({ provider: identityProvider.name, url }));
  }

  return {
    showCode(req: Request, res: Response): void {
      const { code } = req.query;
      answers.show(res, view(typeof code === 'string' ? (readCode(code) ?? '') : '', null));
    },

    async enterCode(req: Request, res: Response): Promise<void> {
      if (!acceptsForm(req, res)) return;
      const typed = (await readForm(req, res)).get('code') ?? '';
      try {
        await goOn(res, await findSignIn(req, typed), readCode(typed) ?? typed);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        answers.refuse(req, res, error, view(typed.slice(0, shownCodeLength), faultOf(error)));
      }
    },
  };
}
