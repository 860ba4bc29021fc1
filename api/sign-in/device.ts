import type { Request, Response } from 'express';
import type { Identity } from '../../shared/accounts/account.ts';
import { DropError } from '../../shared/domain/errors.ts';
import { randomBase62 } from '../../shared/domain/ids.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { quotasOf } from '../../shared/limits/visitor.ts';
import { readCode, type SignIn } from '../../shared/sign-ins/sign-in.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { visitorOf } from '../http/client-address.ts';
import { codePathWith, signInPaths } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import { orAgain, type Shown } from '../http/show.ts';
import type { Progress } from './cookie.ts';
import { noSignInInProgress, problem, type SignInPages, signInEnded } from './pages.ts';
import { approvalPage, codePage, donePage, type Outcome, providerPage } from './views.ts';

/** Enough to show a mistyped code again. */
const shownCodeLength = 24;
const formTokenLength = 43; // 256 bits

/** GET and POST /sign-in: the user enters the code. */
export function codeRoutes(
  { signIns, limits, identityProvider, config }: Services,
  { cookie, page, form }: SignInPages,
): readonly Route[] {
  const codeForm = (code: string, error?: DropError) => codePage(code, identityProvider?.name ?? null, error);

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

  /** Leads to the identity provider, or to the page that asks for the sign-in key. */
  async function authenticate(res: Response, { id, expiresAt }: SignIn, code: string): Promise<Shown> {
    const progress = { signInId: id, code, expiresAt };
    if (identityProvider === null) {
      await cookie.write(res, 'local', progress);
      return signInPaths.local;
    }
    const { url, visit } = await identityProvider.begin(config.BASE_URL + signInPaths.callback);
    await cookie.write(res, 'visit', { ...progress, visit });
    return providerPage(identityProvider.name, url, 'You then return here to approve or deny the request.');
  }

  return [
    page(signInPaths.code, (req) => {
      const { code } = req.query;
      return codeForm(typeof code === 'string' ? (readCode(code) ?? '') : '');
    }),

    form(signInPaths.code, (req, res, sent) => {
      const typed = sent.get('code') ?? '';
      const find = async () => authenticate(res, await findSignIn(req, typed), readCode(typed) ?? typed);
      return orAgain(req, find, (error) => codeForm(typed.slice(0, shownCodeLength), error));
    }),
  ];
}

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
      // No sign-in key: an identity provider is used, and would sign in the same user again, without asking.
      const switchPath = signInKey === null ? null : codePathWith(progress.code);
      return approvalPage(progress, signIn, switchPath, clock.now());
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
