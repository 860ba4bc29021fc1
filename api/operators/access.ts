import type { Request, Response } from 'express';
import { notFound } from '../../shared/domain/errors.ts';
import { reasonMaxCharacters } from '../../shared/domain/moderation.ts';
import type { ReadForm } from '../http/form.ts';
import { browserSignInPath } from '../http/paths.ts';
import type { Handler } from '../http/route.ts';
import { type Session, type SessionAccess, tokenField } from '../http/session.ts';

/** A character of a reason has at most 4 bytes, each of them sent as `%XX`; the rest is for the other fields. */
const maxBytes = 12 * reasonMaxCharacters + 4_096;

export type Form = ReadonlyMap<string, string>;

/** What a request to a page for operators must pass. For everybody else there is no such page. */
export function createOperatorAccess(
  { withSession, sessionBody }: Pick<SessionAccess, 'withSession' | 'sessionBody'>,
  readForm: ReadForm,
) {
  /**
   * @returns false: the operator is sent to sign in again, and then to the page of this path
   * @throws DropError `not_found` as for a path that does not exist
   */
  function admit(req: Request, res: Response, session: Session): boolean {
    if (!session.isOperator) throw notFound('path');
    if (!session.isTooOldToOperate) return true;
    res.redirect(303, browserSignInPath(req.originalUrl));
    return false;
  }

  return {
    /** For a GET, which changes nothing and is not in the audit log. */
    page(handler: (req: Request, res: Response, session: Session) => Promise<void>): Handler {
      return withSession(async (req, res, session) => {
        if (admit(req, res, session)) await handler(req, res, session);
      });
    },

    /** For a POST: same origin, session of an operator, form token, limit, in this order. */
    form(handler: (req: Request, res: Response, session: Session, form: Form) => Promise<void>): Handler {
      return sessionBody('changes_per_minute', async (req, res, session, confirm) => {
        if (!admit(req, res, session)) return;
        const form = await readForm(req, maxBytes);
        await handler(req, res, await confirm(form.get(tokenField)), form);
      });
    },
  };
}

/** The name of the operator in the audit log: `0198f… octocat`, as it names accounts. */
export function nameOf({ caller, accountName }: Pick<Session, 'caller' | 'accountName'>): string {
  return `${caller.accountId} ${accountName}`;
}
