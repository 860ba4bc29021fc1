import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Caller } from '../../shared/accounts/account.ts';
import { isHttps, splitList } from '../../shared/config/config.ts';
import { invalidSession } from '../../shared/credentials/sessions.ts';
import { DropError, suspended } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { Limit } from '../../shared/limits/limit-table.ts';
import type { Sealer } from '../../shared/secrets/sealer.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { type Html, html } from '../html/html.ts';
import { isNavigation } from './answer-error.ts';
import { cookieName, readCookies, setCookie } from './cookies.ts';
import { checkOrigin, type ReadForm } from './form.ts';
import { createKeptForms, keptField, keptFormBytes, tokenField } from './kept-forms.ts';
import { maskToken, unmaskToken } from './masked-token.ts';
import { browserSignInPath } from './paths.ts';
import type { Handler } from './route.ts';
import type { Form } from './show.ts';

/** The signed-in browser that a page of the dashboard is for. */
export interface Session {
  readonly id: string;
  readonly caller: Caller;
  readonly accountName: string;
  /** Whether OPERATORS lists the account, and it is not suspended. */
  readonly isOperator: boolean;
  /** Whether it began too long ago for the pages of operators. */
  readonly isTooOldToOperate: boolean;
  /** A hidden field for every form that changes something: it shows that a page of this session sent the form. */
  readonly formField: Html;
}

type PageHandler = (req: Request, res: Response, session: Session) => Promise<void> | void;

/** @param admit must be called before anything is changed (`Admit`) */
type FormHandler = (
  req: Request,
  res: Response,
  session: Session,
  form: Form,
  admit: () => Promise<Session>,
) => Promise<void> | void;

/**
 * Checks the form's token, suspension, then the limit. @returns the session as it is after the body arrived
 * @throws DropError `forbidden`, `rate_limited`; `unauthorized` if the session was revoked or has expired
 */
export type Admit = (formToken: string | undefined) => Promise<Session>;
type BodyHandler = (req: Request, res: Response, session: Session, admit: Admit) => Promise<void> | void;

interface BodyRules {
  /** Reads what a person has typed, for the page that asks for a sign-in; null: too long. Absent: there is nothing to keep. */
  readonly readTyped?: (req: Request) => Promise<Form | null>;
  /** Whether a suspended account may send it: it can sign out and revoke its tokens. */
  readonly allowsSuspended?: true;
  readonly isAdmitted?: IsAdmitted;
}

/** Whether the session is enough for a page; if not, the person signs in again. @throws DropError if the page is not for them */
type IsAdmitted = (session: Session) => boolean;

export interface FormRules extends Omit<BodyRules, 'readTyped'> {
  /** Default: 8 KiB. */
  readonly maxBytes?: number;
  /** Whether the form has text that a person types. */
  readonly isTyped?: boolean;
}

/** Asks a person to sign in. @param path of the form @param kept its sealed text; null: it is too long to be kept */
export type ShowSignedOut = (res: Response, path: string, kept: string | null) => void;

/** A stolen cookie, or a browser that others can use, must not keep an operator's rights for the life of a session. */
const operatingMs = 12 * 60 * 60_000;

export type SessionAccess = ReturnType<typeof createSessionAccess>;

/** What a request to the dashboard must pass before its handler runs. */
export function createSessionAccess(services: Services, readForm: ReadForm, showSignedOut: ShowSignedOut) {
  const { sessions, sealer, limits, clock, config } = services;
  const operators = new Set(splitList(config.OPERATORS));
  const cookie = createSessionCookie(isHttps(config));
  const { origin } = new URL(config.BASE_URL);
  const keptForms = createKeptForms(services);
  const tokensOf = (id: string, { accountId }: Caller) => formTokensOf(sealer, id, accountId);

  /** One indexed read for a browser that has the cookie. null: it is not signed in. */
  async function find(req: IncomingMessage): Promise<Session | null> {
    for (const secret of cookie.read(req)) {
      const found = await sessions.identify(secret);
      if (found === null) continue;
      const { caller, accountName } = found;
      const { id, createdAt } = found.session;
      const formField = html`<input type="hidden" name="${tokenField}" value="${maskFormToken(tokensOf(id, caller)[0])}">`;
      const isOperator = operators.has(caller.accountId) && !caller.isSuspended;
      const isTooOldToOperate = createdAt + operatingMs <= clock.now();
      return { id, caller, accountName, isOperator, isTooOldToOperate, formField };
    }
    return null;
  }

  /** For a page that belongs to the session: no cache stores it, and the log names the session. null: the person must sign in */
  async function open(req: Request, res: Response, isAdmitted?: IsAdmitted): Promise<Session | null> {
    res.setHeader('Cache-Control', 'no-store');
    const session = await find(req);
    if (session === null) return null;
    res.locals.accountId = session.caller.accountId;
    res.locals.sessionId = session.id;
    return isAdmitted?.(session) === false ? null : session;
  }

  /** For a POST whose handler reads the body itself, and calls `admit` with the form's token before it changes anything. */
  function sessionBody(
    limit: Limit | null,
    handler: BodyHandler,
    { allowsSuspended, readTyped, isAdmitted }: BodyRules = {},
  ): Handler {
    return async (req, res) => {
      checkOrigin(req, origin);
      const hadArrived = req.complete;
      const session = await open(req, res, isAdmitted);
      if (session === null) return sendToSignIn(req, res, readTyped);
      const confirm = () => (hadArrived ? session : find(req));
      await handler(req, res, session, async (formToken = '') => {
        const tokens = tokensOf(session.id, session.caller);
        const given = unmaskFormToken(formToken);
        if (!tokens.some((token) => constantTimeEqual(token, given)))
          throw outdatedForm(readTyped !== undefined);
        // The session may have been revoked, or the account suspended, while the body arrived.
        const now = await confirm();
        if (now?.id !== session.id) throw invalidSession();
        if (now.caller.isSuspended && !allowsSuspended) throw suspended();
        if (limit !== null) await limits.take(limit, now.caller.countsAs);
        return now;
      });
    };
  }

  /** What was typed waits in the page that asks for the sign-in. */
  async function sendToSignIn(req: Request, res: Response, readTyped: BodyRules['readTyped']): Promise<void> {
    if (!isNavigation(req)) throw invalidSession();
    if (readTyped === undefined) return res.redirect(303, browserSignInPath(pathOfReferer(req, origin)));
    const form = await readTyped(req);
    const path = req.originalUrl;
    const sealed = form && (form.get(keptField) ?? (await keptForms.seal(form, path)));
    showSignedOut(res, path, sealed);
  }

  /** The text that has waited for this sign-in, or else the form as it was sent. @throws DropError `forbidden` */
  async function restore(req: Request, { caller }: Session, form: Form): Promise<Form> {
    const sealed = form.get(keptField);
    if (sealed === undefined) return form;
    const kept = await keptForms.open(sealed);
    if (kept?.path === req.originalUrl && kept.accountId === caller.accountId) return new Map(kept.fields);
    const message = 'What was typed is kept for an hour, and for the account that has typed it.';
    throw new DropError('forbidden', message);
  }

  return {
    find,
    cookie,
    keptForms,
    sessionBody,
    sendToSignIn,
    restore,

    /** For a GET, which changes nothing. A browser without a session is sent to the sign-in, and then back here. */
    withSession(handler: PageHandler, isAdmitted?: IsAdmitted): Handler {
      return async (req, res) => {
        const session = await open(req, res, isAdmitted);
        if (session === null) res.redirect(303, browserSignInPath(req.originalUrl));
        else await handler(req, res, session);
      };
    },

    /** For a POST of a form: same origin, session, and with `admit` form token, suspension and limit, in this order. */
    sessionForm(
      limit: Limit | null,
      handler: FormHandler,
      { maxBytes, isTyped = false, ...rules }: FormRules = {},
    ): Handler {
      const read = (req: Request) =>
        readForm(req, isTyped ? Math.max(maxBytes ?? 0, keptFormBytes) : maxBytes);
      return sessionBody(
        limit,
        async (req, res, session, admit) => {
          const form = await restore(req, session, await read(req));
          await handler(req, res, session, form, () => admit(form.get(tokenField)));
        },
        { ...rules, ...(isTyped && { readTyped: read }) },
      );
    },
  };
}

/** The longest that browsers keep a cookie: 400 days. A session expires earlier (sessionIdleMs). */
const keptSeconds = 400 * 24 * 60 * 60;

/** The cookie with the secret of a session. Pages of the dashboard read it, and locked pages (pages/gate.ts). */
const sessionCookie = 'dropleaf_session';

export function sessionCookieName(isSecure: boolean): string {
  return cookieName(sessionCookie, { path: '/', isSecure });
}

function createSessionCookie(isSecure: boolean) {
  const rules = { path: '/', isSecure };
  return {
    read(req: IncomingMessage): string[] {
      return readCookies(req.headers.cookie, sessionCookieName(isSecure));
    },

    write(res: ServerResponse, secret: string): void {
      setCookie(res, sessionCookie, secret, { ...rules, seconds: keptSeconds });
    },

    clear(res: ServerResponse): void {
      setCookie(res, sessionCookie, '', { ...rules, seconds: 0 });
    },
  };
}

/** The token in the forms of a session, and those of older signing secrets. Before the dot: whose form it is. */
export function formTokensOf(
  sealer: Pick<Sealer, 'hashes'>,
  sessionId: string,
  accountId: string,
): readonly [string, ...string[]] {
  const [token, ...others] = sealer.hashes('session form', sessionId);
  const ofAccount = (hash: string) => `${accountId}.${hash}`;
  return [ofAccount(token), ...others.map(ofAccount)];
}

/** Masks what follows the dot: whose form it is stays legible for a form that is kept (kept-forms.ts). */
function maskFormToken(token: string): string {
  const at = token.indexOf('.') + 1;
  return token.slice(0, at) + maskToken(token.slice(at));
}

/** Also of a page of an earlier release, whose token has no mask. */
function unmaskFormToken(token: string): string {
  const at = token.indexOf('.') + 1;
  return token.slice(0, at) + unmaskToken(token.slice(at));
}

/** The page that had the form; '' if the browser does not say. */
function pathOfReferer({ headers }: IncomingMessage, origin: string): string {
  const { referer = '' } = headers;
  return referer.startsWith(`${origin}/`) ? referer.slice(origin.length) : '';
}

/** @param isShownAgain with what was typed */
function outdatedForm(isShownAgain: boolean): DropError {
  const message = isShownAgain
    ? 'Nothing was saved yet, because you signed in after this page was opened. Check it, and send it again.'
    : 'This page is out of date. Open it again, and repeat what you did.';
  return new DropError('forbidden', message, { field: tokenField });
}

/** Whether the form was refused only because a page of another session had it. */
export function isOutdated({ details }: DropError): boolean {
  return details?.field === tokenField;
}
