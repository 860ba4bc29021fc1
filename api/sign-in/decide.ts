import type { Request, Response } from 'express';
import type { Identity } from '../../shared/domain/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { codePathWith, signInPaths } from '../http/paths.ts';
import { noSignInInProgress, type SignInContext, signInEnded } from './context.ts';
import type { Progress } from './cookie.ts';
import { approvalView, doneView, type Outcome } from './views.ts';

const formTokenLength = 43; // 256 bits

/** Sends a user who has just signed in to the approval page. @throws DropError `rate_limited` */
export async function beginDecision(
  { services, cookie, redirect }: SignInContext,
  res: Response,
  { signInId, code, expiresAt }: Progress,
  identity: Identity,
): Promise<void> {
  const { id: accountId } = await services.signIns.signInWith(identity);
  await services.limits.takeSignIn(accountId);
  const formToken = randomBase62(formTokenLength);
  await cookie.write(res, 'decide', { signInId, code, expiresAt, accountId, name: identity.name, formToken });
  redirect(res, signInPaths.approve);
}

/** GET and POST /sign-in/approve, GET /sign-in/done. */
export function decisionHandlers(context: SignInContext) {
  const { services, cookie, readForm, show, redirect, showProblem } = context;
  const { signIns, clock, signInKey } = services;

  function refuseForm(req: Request, res: Response, message: string): void {
    showProblem(req, res, { error: new DropError('forbidden', message), title: 'Not approved' });
  }

  return {
    async showApproval(req: Request, res: Response): Promise<void> {
      const progress = await cookie.read(req, 'decide');
      if (progress === null) return showProblem(req, res, noSignInInProgress());
      const signIn = await signIns.findPending(progress.signInId);
      if (signIn === null) return showProblem(req, res, signInEnded());
      const { code, formToken, name } = progress;
      // No sign-in key: an identity provider is used, and would sign in the same user again, without asking.
      const switchPath = signInKey === null ? null : codePathWith(code);
      const now = clock.now();
      const action = signInPaths.approve;
      show(res, approvalView({ action, code, signIn, signedInAs: name, switchPath, formToken, now }));
    },

    async decide(req: Request, res: Response): Promise<void> {
      const form = await readForm(req);
      const progress = await cookie.read(req, 'decide');
      if (progress === null) return refuseForm(req, res, noSignInInProgress().error.message);
      if (!constantTimeEqual(form.get('token') ?? '', progress.formToken)) {
        return refuseForm(req, res, 'This page is out of date. Enter the code again.');
      }
      const { signInId, accountId, expiresAt } = progress;
      const outcome = readOutcome(form.get('decision'));
      const isDone =
        outcome === 'approved' ? await signIns.approve(signInId, accountId) : await signIns.deny(signInId);
      if (!isDone) {
        cookie.clear(res);
        return showProblem(req, res, signInEnded());
      }
      await cookie.write(res, 'done', { outcome, expiresAt });
      redirect(res, signInPaths.done);
    },

    async showDone(req: Request, res: Response): Promise<void> {
      const progress = await cookie.read(req, 'done');
      if (progress === null) return showProblem(req, res, noSignInInProgress());
      show(res, doneView(progress.outcome));
    },
  };
}

/** @throws DropError `invalid_arg` */
function readOutcome(decision: string | undefined): Outcome {
  if (decision === 'approve') return 'approved';
  if (decision === 'deny') return 'denied';
  throw new DropError('invalid_arg', 'decision must be approve or deny.', { field: 'decision' });
}
