import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import { readCode, type SignIn } from '../../shared/sign-ins/sign-in.ts';
import { visitorOf } from '../http/client-address.ts';
import { otherField, signInPaths } from '../http/paths.ts';
import type { Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { BrowserSession } from '../http/session.ts';
import { type Form, orAgain, type Shown } from '../http/show.ts';
import type { SignInProgress } from './cookie.ts';
import { findUsableSession } from './decision.ts';
import type { SignInPages } from './pages.ts';
import { codePage } from './views.ts';
import { beginVisit } from './visit.ts';
import { otherInput, readWay, shownWays } from './ways.ts';

/** Enough to show a mistyped code again. */
const shownCodeLength = 24;

const wrongCode =
  'This code is not valid. Check it for typing errors. If it has expired or was already used, start again on your device.';

/** GET and POST /sign-in: the user enters the code. */
export function codeRoutes({ services, sessions }: RouteParts, pages: SignInPages): readonly Route[] {
  const { cookie, askApprover, page, form } = pages;
  const { signIns, limits } = services;

  /** The session that can approve. null: the person signs in, perhaps because they want to use another account. */
  const findApprover = async (req: Request, wantsOther: boolean) =>
    wantsOther ? null : findUsableSession(sessions, req);

  async function codeForm(req: Request, code: string, wantsOther: boolean, error?: DropError) {
    const isSignedIn = (await findApprover(req, wantsOther)) !== null;
    return codePage(code, isSignedIn ? [] : shownWays(services), { error, fields: wantsOther && otherInput });
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
      quotas: limits.quotasOf(limitTable.signInCode, visitor),
      act: () => signIns.findByCode(typed),
      counts: (found) => found === null,
    });
    if (signIn === null) throw new DropError('not_found', wrongCode, { field: 'code' });
    return signIn;
  }

  /** Leads to the approval for a person who is signed in; else to the identity provider, or to the page that asks for the key. */
  async function authenticate(
    req: Request,
    res: Response,
    sent: Form,
    progress: SignInProgress,
    session: BrowserSession | null,
  ): Promise<Shown> {
    if (session !== null) {
      const { caller, accountName: name, id: sessionId } = session;
      const approver = { accountId: caller.accountId, name, sessionId };
      return askApprover(res, progress, approver, caller.countsAs);
    }
    const way = readWay(services, sent);
    if (way === 'local') {
      await cookie.write(res, 'local', progress);
      return signInPaths.local;
    }
    const target = { device: progress, next: signInPaths.approve, expiresAt: progress.expiresAt };
    return beginVisit(services, pages, { req, res }, way, target, sent.has(otherField));
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
        return authenticate(req, res, sent, progress, await findApprover(req, wantsOther));
      };
      return orAgain(req, find, (error) => codeForm(req, typed.slice(0, shownCodeLength), wantsOther, error));
    }),
  ];
}
