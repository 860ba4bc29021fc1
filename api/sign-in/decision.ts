import type { Request, Response } from 'express';
import type { Identity } from '../../shared/domain/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { codePathWith, signInPaths } from '../http/paths.ts';
import { doneView, type Outcome } from './end-pages.ts';
import { requestView } from './request-page.ts';
import { faultOf, nothingUnderWay, overMeanwhile, type SignInSite } from './site.ts';

const formTokenLength = 43; // 256 bits

/** Takes somebody who has just signed in to the page where they decide. */
export async function beginDecision(
  { services, cookie, answers, stop }: SignInSite,
  req: Request,
  res: Response,
  { signInId, code, expiresAt }: { signInId: string; code: string; expiresAt: number },
  identity: Identity,
): Promise<void> {
  const { id: accountId } = await services.signIns.signInWith(identity);
  try {
    await services.limits.takeDecision(accountId);
  } catch (error) {
    if (!(error instanceof DropError)) throw error;
    const shown = new DropError(error.code, faultOf(error), error.details);
    return stop(req, res, { error: shown, title: 'Too many sign-ins', code });
  }
  const formToken = randomBase62(formTokenLength);
  await cookie.write(res, 'decide', { signInId, code, expiresAt, accountId, name: identity.name, formToken });
  answers.redirect(res, signInPaths.approve);
}

/** GET and POST /sign-in/approve, GET /sign-in/done: what is asked, and what was decided. */
export function decisionHandlers({ services, cookie, answers, stop, readForm, acceptsForm }: SignInSite) {
  const { signIns, clock, signInKey } = services;

  function refuseForm(req: Request, res: Response, message: string): void {
    stop(req, res, { error: new DropError('forbidden', message), title: 'Not approved' });
  }

  return {
    async showRequest(req: Request, res: Response): Promise<void> {
      const work = await cookie.read(req, 'decide');
      if (work === null) return stop(req, res, nothingUnderWay());
      const signIn = await signIns.findPending(work.signInId);
      if (signIn === null) return stop(req, res, overMeanwhile());
      const { code, formToken, name } = work;
      const switchPath = signInKey === null ? null : codePathWith(code);
      const now = clock.now();
      const action = signInPaths.approve;
      answers.show(res, requestView({ action, code, signIn, signedInAs: name, switchPath, formToken, now }));
    },

    async decide(req: Request, res: Response): Promise<void> {
      if (!acceptsForm(req, res)) return;
      const work = await cookie.read(req, 'decide');
      if (work === null) return refuseForm(req, res, nothingUnderWay().error.message);
      const form = await readForm(req, res);
      if (!constantTimeEqual(form.get('token') ?? '', work.formToken)) {
        return refuseForm(req, res, 'This page is not the newest one. Enter the code again.');
      }
      const { signInId, accountId, expiresAt } = work;
      const outcome = readOutcome(form.get('decision'));
      const done =
        outcome === 'approved' ? await signIns.approve(signInId, accountId) : await signIns.deny(signInId);
      if (!done) {
        cookie.clear(res);
        return stop(req, res, overMeanwhile());
      }
      await cookie.write(res, 'done', { outcome, expiresAt });
      answers.redirect(res, signInPaths.done);
    },

    async showDone(req: Request, res: Response): Promise<void> {
      const work = await cookie.read(req, 'done');
      if (work === null) return stop(req, res, nothingUnderWay());
      answers.show(res, doneView(work.outcome));
    },
  };
}

/** @throws DropError `invalid_arg` for what no button of ours sends */
function readOutcome(decision: string | undefined): Outcome {
  if (decision === 'approve') return 'approved';
  if (decision === 'deny') return 'denied';
  throw new DropError('invalid_arg', 'decision must be approve or deny.', { field: 'decision' });
}
