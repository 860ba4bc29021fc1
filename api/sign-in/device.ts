import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { quotasOf } from '../../shared/limits/visitor.ts';
import { readCode, type SignIn } from '../../shared/sign-ins/sign-in.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { html } from '../html/html.ts';
import { visitorOf } from '../http/client-address.ts';
import { codePathWith, signInPaths } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { Session, SessionAccess } from '../http/session.ts';
import { orAgain, type Shown } from '../http/show.ts';
import type { Progress, Steps } from './cookie.ts';
import { noSignInInProgress, problem, type SignInPages, signInEnded } from './pages.ts';
import { approvalPage, codePage, donePage, type Outcome } from './views.ts';

/** Enough to show a mistyped code again. */
const shownCodeLength = 24;

/** GET and POST /sign-in: the user enters the code. */
export function codeRoutes(
  { services, sessions }: RouteParts,
  { cookie, visit, askApprover, page, form }: SignInPages,
): readonly Route[] {
  const { signIns, limits, identityProvider, config } = services;

  /** The session that can approve. null: the person signs in, perhaps because they want to use another account. */
  const findApprover = async (req: Request, wantsOther: boolean) =>
    wantsOther ? null : findSession(sessions, req);

  async function codeForm(req: Request, code: string, wantsOther: boolean, error?: DropError) {
    const isSignedIn = (await findApprover(req, wantsOther)) !== null;
    const provider = isSignedIn ? null : (identityProvider?.name ?? null);
    return codePage(code, provider, { error, fields: wantsOther && otherInput });
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

  /** Leads to the approval for a person who is signed in; else to the identity provider, or to the page that asks for the key. */
  async function authenticate(res: Response, progress: Progress, session: Session | null): Promise<Shown> {
    if (session !== null) {
      const { caller, accountName: name, id: sessionId } = session;
      return askApprover(res, progress, { accountId: caller.accountId, name, sessionId });
    }
    if (identityProvider === null) {
      await cookie.write(res, 'local', progress);
      return signInPaths.local;
    }
    const target = { device: progress, next: signInPaths.approve, expiresAt: progress.expiresAt };
    return visit(res, identityProvider, target, 'You then return here to approve or deny the request.');
  }

  return [
    page(signInPaths.code, (req) => {
      const { code } = req.query;
      const shown = typeof code === 'string' ? (readCode(code) ?? '') : '';
      return codeForm(req, shown, req.query[otherField] !== undefined);
    }),

    form(signInPaths.code, (req, res, sent) => {
      const typed = sent.get('code') ?? '';
      const wantsOther = sent.has(otherField);
      const find = async () => {
        const { id, expiresAt } = await findSignIn(req, typed);
        const progress = { signInId: id, code: readCode(typed) ?? typed, expiresAt };
        return authenticate(res, progress, await findApprover(req, wantsOther));
      };
      return orAgain(req, find, (error) => codeForm(req, typed.slice(0, shownCodeLength), wantsOther, error));
    }),
  ];
}

/** Of the page of the code: the person signs in, although they have a session. */
const otherField = 'other';
const otherInput = html`<input type="hidden" name="${otherField}" value="1">`;

/** A session that can stand for its person. A suspended account creates no token with one, so it approves nothing. */
async function findSession(sessions: SessionAccess, req: Request): Promise<Session | null> {
  const session = await sessions.find(req);
  return session?.caller.isSuspended ? null : session;
}

/** GET and POST /sign-in/approve, GET /sign-in/done. */
export function decisionRoutes(
  { services: { signIns, clock, signInKey }, sessions }: RouteParts,
  { cookie, page, form }: SignInPages,
): readonly Route[] {
  /** A session that has ended approves nothing, whatever the cookie of this sign-in says. */
  async function readDecision(req: Request): Promise<Steps['decide'] | null> {
    const progress = await cookie.read(req, 'decide');
    if (progress?.sessionId === undefined) return progress;
    const session = await findSession(sessions, req);
    return session?.id === progress.sessionId ? progress : null;
  }

  /** A person who has signed in at an identity provider would be signed in there again, without being asked. */
  function otherAccount({ code, sessionId }: Steps['decide']) {
    const href = codePathWith(code);
    if (sessionId !== undefined) return { href: `${href}&${otherField}=1`, text: 'Not you?' };
    return signInKey === null ? null : { href, text: 'Use another account' };
  }

  return [
    page(signInPaths.approve, async (req) => {
      const progress = await readDecision(req);
      if (progress === null) return problem(req, noSignInInProgress());
      const signIn = await signIns.findPending(progress.signInId);
      if (signIn === null) return problem(req, signInEnded());
      return approvalPage(progress, signIn, otherAccount(progress), clock.now());
    }),

    form(signInPaths.approve, async (req, res, sent) => {
      const progress = await readDecision(req);
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
