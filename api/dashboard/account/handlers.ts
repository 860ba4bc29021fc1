import type { Request, Response } from 'express';
import { DropError, notFound } from '../../../shared/domain/errors.ts';
import type { Token } from '../../../shared/domain/token.ts';
import { dayMs } from '../../../shared/domain/windows.ts';
import type { Services } from '../../../shared/open-services.ts';
import { createLabelReader } from '../../account/token-label.ts';
import { envelopeData, errorText } from '../../html/error-page.ts';
import type { Layout, PageParts } from '../../html/layout.ts';
import { setStatusAndHeaders } from '../../http/answer-error.ts';
import { presentError } from '../../http/http-error.ts';
import { queryOf, readTokenId } from '../../http/parameters.ts';
import { sendPage } from '../../http/send.ts';
import type { Session, SessionAccess } from '../../http/session.ts';
import { type AccountData, accountPage } from './page.ts';
import { accountPaths } from './paths.ts';
import { removalPage, removedPage } from './removal-page.ts';
import { createdTokenPage, tokenDays, tokenPage } from './token-pages.ts';

type Form = ReadonlyMap<string, string>;

/** The account page, its tokens, and the deletion of the account. */
export function accountPageHandlers(services: Services, access: SessionAccess, layout: Layout) {
  const { accounts, tokens, sessions, clock, config } = services;
  const { withSession, sessionForm, cookie } = access;
  const readLabel = createLabelReader(config);

  function send(res: Response, status: number, session: Session, parts: PageParts): void {
    sendPage(res, status, layout.dashboard(session, 'account', parts));
  }

  /** Shows the page with the form again. Like every page of an error, it contains the envelope. */
  function sendRefused(res: Response, error: DropError, session: Session, parts: PageParts): void {
    const status = setStatusAndHeaders(res, error);
    send(res, status, session, { ...parts, head: envelopeData(presentError(error)) });
  }

  async function readAccount(
    session: Session,
    more: Pick<AccountData, 'notice' | 'refused'>,
  ): Promise<PageParts> {
    const { caller } = session;
    const [usage, listed, browsers] = await Promise.all([
      accounts.readUsage(caller),
      tokens.list(caller),
      sessions.list(caller),
    ]);
    const data = { usage, tokens: listed, sessions: browsers, ...more };
    return accountPage(data, session, config);
  }

  /** @throws DropError `not_found` */
  async function findToken(req: Request, { caller }: Session): Promise<Token> {
    const id = readTokenId(req);
    const token = (await tokens.list(caller)).find((each) => each.id === id);
    if (token === undefined) throw notFound('token');
    return token;
  }

  /** An empty field means no label. @throws DropError `invalid_arg` */
  function labelOf(form: Form): string | null {
    return readLabel({ label: form.get('label')?.trim() || null });
  }

  async function dropCountOf({ caller }: Session): Promise<number> {
    return (await accounts.describe(caller)).dropCount;
  }

  return {
    show: withSession(async (req, res, session) => {
      const { notice } = queryOf(req);
      send(res, 200, session, await readAccount(session, { notice }));
    }),

    /** Answers with the token itself, not with a redirect: the token must never be in an address. */
    createToken: sessionForm('changes_per_minute', async (_, res, session, form) => {
      const { accountId } = session.caller;
      try {
        const label = labelOf(form);
        const days = readDays(form.get('days'));
        const expiresAt = days === null ? null : clock.now() + days * dayMs;
        send(
          res,
          201,
          session,
          createdTokenPage(await tokens.mint(accountId, label, expiresAt), label, expiresAt),
        );
      } catch (error) {
        if (!isInvalid(error)) throw error;
        const [label = '', days = ''] = [form.get('label'), form.get('days')];
        const refused = { label, days, message: errorText(error), field: error.details?.field };
        sendRefused(res, error, session, await readAccount(session, { refused }));
      }
    }),

    showToken: withSession(async (req, res, session) => {
      const token = await findToken(req, session);
      send(res, 200, session, tokenPage(token, session.formField, session.caller.isSuspended));
    }),

    renameToken: sessionForm('changes_per_minute', async (req, res, session, form) => {
      try {
        await tokens.rename(session.caller, readTokenId(req), labelOf(form));
        res.redirect(303, `${accountPaths.account}?notice=token-renamed`);
      } catch (error) {
        if (!isInvalid(error)) throw error;
        const refused = { label: form.get('label') ?? '', message: errorText(error) };
        const token = await findToken(req, session);
        sendRefused(res, error, session, tokenPage(token, session.formField, false, refused));
      }
    }),

    revokeToken: sessionForm(
      'changes_per_minute',
      async (req, res, { caller }) => {
        await tokens.revoke(caller, readTokenId(req));
        res.redirect(303, `${accountPaths.account}?notice=token-revoked`);
      },
      { allowsSuspended: true },
    ),

    askRemoval: withSession(async (_, res, session) => {
      send(res, 200, session, removalPage({ ...session, dropCount: await dropCountOf(session) }));
    }),

    remove: sessionForm('changes_per_minute', async (_, res, session, form) => {
      const { accountName, caller } = session;
      if (form.get('confirm')?.trim() !== accountName) {
        const message = `Type ${accountName}, exactly as it is written here. Nothing was deleted.`;
        const error = new DropError('invalid_arg', message, { field: 'confirm' });
        const dropCount = await dropCountOf(session);
        sendRefused(res, error, session, removalPage({ ...session, dropCount }, message));
        return;
      }
      await accounts.remove(caller);
      cookie.clear(res);
      sendPage(res, 200, layout.page(removedPage));
    }),
  };
}

/** @throws DropError `invalid_arg` for a number of days that the form does not offer */
function readDays(text = ''): number | null {
  const days = tokenDays.find((each) => String(each ?? '') === text);
  if (days !== undefined) return days;
  throw new DropError('invalid_arg', 'Choose how long the token is valid', { field: 'days' });
}

function isInvalid(error: unknown): error is DropError {
  return error instanceof DropError && error.code === 'invalid_arg';
}
