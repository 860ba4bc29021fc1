import type { Request, Response } from 'express';
import { isScope, type Scope, tokenIdPattern } from '../../shared/credentials/token.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import type { PageParts } from '../html/layout.ts';
import { unmaskToken } from '../http/masked-token.ts';
import { codePathWith, signInPaths, withOther } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { BrowserSession, SessionAccess } from '../http/session.ts';
import { type Form, orAgain, type Shown } from '../http/show.ts';
import type { Steps } from './cookie.ts';
import { noSignInInProgress, problem, type SignInPages, signInEnded } from './pages.ts';
import { approvalPage, donePage } from './views.ts';

/** Tokens of which a person may revoke one to make room. */
const offeredTokens = 10;

/** A session that can stand for its person. A suspended account creates no token with one, so it approves nothing. */
export async function findUsableSession(
  sessions: SessionAccess,
  req: Request,
): Promise<BrowserSession | null> {
  const session = await sessions.find(req);
  return session?.caller.isSuspended ? null : session;
}

/** GET and POST /sign-in/approve, GET /sign-in/done. */
export function decisionRoutes(parts: RouteParts, pages: SignInPages): readonly Route[] {
  const { services } = parts;
  const { cookie, page, form } = pages;
  return [
    page(signInPaths.approve, async (req) => {
      const progress = await readDecision(parts, pages, req);
      if (progress === null) return problem(req, noSignInInProgress());
      return ask(services, req, progress, narrowedBy(req.query.scope));
    }),

    form(signInPaths.approve, async (req, res, sent) => {
      const progress = await readDecision(parts, pages, req);
      if (progress === null) return notApproved(req, noSignInInProgress().error.message);
      if (!constantTimeEqual(unmaskToken(sent.get('token') ?? ''), progress.formToken))
        return notApproved(req, 'This page is out of date. Enter the code again.');
      const decision = sent.get('decision');
      const act = (): Promise<Shown> =>
        decision === 'revoke'
          ? revoke(services, progress, sent)
          : decide(services, pages, req, res, progress, sent);
      return orAgain(req, act, (error) => ask(services, req, progress, narrowedBy(sent.get('scope')), error));
    }),

    page(signInPaths.done, async (req) => {
      const progress = await cookie.read(req, 'done');
      return progress === null ? problem(req, noSignInInProgress()) : donePage(progress.outcome);
    }),
  ];
}

function notApproved(req: Request, message: string): PageParts {
  return problem(req, { error: new DropError('forbidden', message), title: 'Not approved' });
}

/** null: the cookie of this sign-in names a session that has ended, or an identity that does not stand for the account any more. */
async function readDecision(
  { services, sessions }: RouteParts,
  { cookie }: SignInPages,
  req: Request,
): Promise<Steps['decide'] | null> {
  const progress = await cookie.read(req, 'decide');
  if (progress === null) return null;
  const { accountId, sessionId, identity } = progress;
  if (sessionId !== undefined) {
    const session = await findUsableSession(sessions, req);
    return session?.id === sessionId ? progress : null;
  }
  if (identity === undefined) return progress;
  return (await services.identities.standsFor(accountId, identity)) ? progress : null;
}

/** What the person has chosen before: never more than the program has asked for. */
function narrowedBy(chosen: unknown): Scope | undefined {
  return chosen === 'publish' ? chosen : undefined;
}

/** If the account has no room for another token, the page lets the person revoke one. */
async function ask(
  { signIns, tokens, clock }: Services,
  req: Request,
  progress: Steps['decide'],
  chosen: Scope | undefined,
  error?: DropError,
): Promise<PageParts> {
  const signIn = await signIns.findPending(progress.signInId);
  if (signIn === null) return problem(req, signInEnded());
  const isFull = !(await tokens.hasRoom(progress.accountId));
  const revocable = isFull ? await tokens.listLeastUsed(progress, offeredTokens) : null;
  const hasRevoked = req.query.notice === 'revoked';
  const scope = chosen ?? signIn.scope;
  const shown = { other: otherAccount(progress), revocable, hasRevoked, scope, error };
  return approvalPage(progress, signIn, shown, clock.now());
}

/** A provider would sign the person in again without being asked, so it is told to ask. */
function otherAccount({ code, sessionId }: Steps['decide']) {
  const href = withOther(codePathWith(code));
  return { href, text: sessionId === undefined ? 'Use another account' : 'Not you?' };
}

/** The sign-in stays as it is. @throws DropError `not_found` if the account has no such token, `rate_limited` */
async function revoke(
  { limits, tokens }: Services,
  { accountId }: Steps['decide'],
  sent: Form,
): Promise<string> {
  await limits.take(limitTable.change, accountId);
  const tokenId = sent.get('revoke') ?? '';
  if (!tokenIdPattern.test(tokenId))
    throw new DropError('invalid_arg', 'Choose the token to revoke.', { field: 'revoke' });
  await tokens.revoke({ accountId }, tokenId);
  const scope = narrowedBy(sent.get('scope'));
  return `${signInPaths.approve}?notice=revoked${scope === undefined ? '' : `&scope=${scope}`}`;
}

async function decide(
  { signIns }: Services,
  { cookie }: SignInPages,
  req: Request,
  res: Response,
  { signInId, accountId, expiresAt }: Steps['decide'],
  sent: Form,
): Promise<Shown> {
  const outcome = readOutcome(sent.get('decision'));
  const isDone =
    outcome === 'approved'
      ? await signIns.approve(signInId, accountId, readScope(sent.get('scope')))
      : await signIns.deny(signInId);
  if (!isDone) {
    cookie.clear(res);
    return problem(req, signInEnded());
  }
  await cookie.write(res, 'done', { outcome, expiresAt });
  return signInPaths.done;
}

/** @throws DropError `invalid_arg` */
function readOutcome(decision: string | undefined): Steps['done']['outcome'] {
  if (decision === 'approve') return 'approved';
  if (decision === 'deny') return 'denied';
  throw new DropError('invalid_arg', 'decision must be approve or deny.', { field: 'decision' });
}

/** Absent: what the program has asked for, as a page of an earlier release sends it. @throws DropError `invalid_arg` */
function readScope(scope: string | undefined): Scope | undefined {
  if (scope === undefined || isScope(scope)) return scope;
  throw new DropError('invalid_arg', 'Choose what the device may do.', { field: 'scope' });
}
