import type { Response } from 'express';
import type { Identity } from '../../shared/accounts/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { codePathWith, signInPaths } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import type { Progress } from './cookie.ts';
import { noSignInInProgress, problem, type SignInPages, signInEnded } from './pages.ts';
import { approvalPage, donePage, type Outcome } from './views.ts';

const formTokenLength = 43; // 256 bits

/** @returns the path of the approval page, for a user who has just signed in @throws DropError `rate_limited` */
export async function beginDecision(
  { signIns, limits }: Services,
  { cookie }: SignInPages,
  res: Response,
  { signInId, code, expiresAt }: Progress,
  identity: Identity,
): Promise<string> {
  const { id: accountId } = await signIns.signInWith(identity);
  await limits.take('sign-in-of', accountId);
  const formToken = randomBase62(formTokenLength);
  await cookie.write(res, 'decide', { signInId, code, expiresAt, accountId, name: identity.name, formToken });
  return signInPaths.approve;
}

/** GET and POST /sign-in/approve, GET /sign-in/done. */
export function decisionRoutes(
  { signIns, clock, signInKey }: Services,
  { cookie, page, form }: SignInPages,
): readonly Route[] {
  return [
    page(signInPaths.approve, async (req) => {
      const progress = await cookie.read(req, 'decide');
      if (progress === null) return problem(req, noSignInInProgress());
      const signIn = await signIns.findPending(progress.signInId);
      if (signIn === null) return problem(req, signInEnded());
      const { code, formToken, name: signedInAs } = progress;
      // No sign-in key: an identity provider is used, and would sign in the same user again, without asking.
      const switchPath = signInKey === null ? null : codePathWith(code);
      return approvalPage({ code, signIn, signedInAs, switchPath, formToken, now: clock.now() });
    }),

    form(signInPaths.approve, async (req, res, sent) => {
      const progress = await cookie.read(req, 'decide');
      const isOurs = progress !== null && constantTimeEqual(sent.get('token') ?? '', progress.formToken);
      if (!isOurs) {
        const message =
          progress === null
            ? noSignInInProgress().error.message
            : 'This page is out of date. Enter the code again.';
        return problem(req, { error: new DropError('forbidden', message), title: 'Not approved' });
      }
      const { signInId, accountId, expiresAt } = progress;
      const outcome = readOutcome(sent.get('decision'));
      const isDone =
        outcome === 'approved' ? await signIns.approve(signInId, accountId) : await signIns.deny(signInId);
      if (!isDone) {
        cookie.clear(res);
        return problem(req, signInEnded());
      }
      await cookie.write(res, 'done', { outcome, expiresAt });
      return signInPaths.done;
    }),

    page(signInPaths.done, async (req) => {
      const progress = await cookie.read(req, 'done');
      return progress === null ? problem(req, noSignInInProgress()) : donePage(progress.outcome);
    }),
  ];
}

/** @throws DropError `invalid_arg` */
function readOutcome(decision: string | undefined): Outcome {
  if (decision === 'approve') return 'approved';
  if (decision === 'deny') return 'denied';
  throw new DropError('invalid_arg', 'decision must be approve or deny.', { field: 'decision' });
}
