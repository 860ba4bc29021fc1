import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Caller } from '../../shared/accounts/account.ts';
import type { WaitingCounts } from '../../shared/comments/inbox.ts';
import { isHttps } from '../../shared/config/config.ts';
import { invalidSession } from '../../shared/credentials/sessions.ts';
import { DropError, isUnavailable, suspended, unavailable } from '../../shared/domain/errors.ts';
import type { Services } from '../../shared/engines/open-services.ts';
import type { Limit } from '../../shared/limits/limit-table.ts';
import { withTimeout } from '../../shared/util/promises.ts';
import { type Html, html } from '../html/html.ts';
import { isNavigation } from './answer-error.ts';
import { checkOrigin, type ReadForm } from './form.ts';
import { isSentByScript } from './form-script.ts';
import { formTokensOf, isFormToken, maskFormToken, outdatedForm } from './form-tokens.ts';
import { KeptForms, keptField, keptFormBytes, tokenField } from './kept-forms.ts';
import { browserSignInPath } from './paths.ts';
import type { Handler } from './route.ts';
import { SessionCookie } from './session-cookie.ts';
import type { Form } from './show.ts';

/** The signed-in browser that a page of the dashboard is for. */
export interface BrowserSession {
  readonly id: string;
  readonly caller: Caller;
  readonly accountName: string;
  /** Whether it is the account of an operator, and not suspended. */
  readonly isOperator: boolean;
  /** Whether the sign-in, or what makes the account one of an operator, is too long ago for their pages. */
  readonly isTooOldToOperate: boolean;
  /** Whether it has just begun: the person has signed in a moment ago. */
  readonly isFresh: boolean;
  /** A hidden field for every form that changes something: it shows that a page of this session sent the form. */
  readonly formField: Html;
  /** See `Account`. */
  readonly commentsSeen: number;
  /** What waits for the owner: one read, however often it is called. null: the store is away, or slow. */
  readInbox(): Promise<WaitingCounts | null>;
}

type PageHandler = (req: Request, res: Response, session: BrowserSession) => Promise<void> | void;

/** @param admit must be called before anything is changed (`Admit`) */
type FormHandler = (
  req: Request,
  res: Response,
  session: BrowserSession,
  form: Form,
  admit: () => Promise<BrowserSession>,
) => Promise<void> | void;

/**
 * Checks the form's token, suspension, then the limit. @returns the session as it is after the body arrived
 * @throws DropError `forbidden`, `rate_limited`; `unauthorized` if the session was revoked or has expired
 */
export type Admit = (formToken: string | undefined) => Promise<BrowserSession>;
type BodyHandler = (
  req: Request,
  res: Response,
  session: BrowserSession,
  admit: Admit,
) => Promise<void> | void;

interface BodyRules {
  /** Reads what a person has typed, for the page that asks for a sign-in; null: too long. Absent: there is nothing to keep. */
  readonly readTyped?: (req: Request) => Promise<Form | null>;
  /** Whether a suspended account may send it: it can sign out and revoke its tokens. */
  readonly allowsSuspended?: true;
  readonly isAdmitted?: IsAdmitted;
}

/** Whether the session is enough for a page; if not, the person signs in again. @throws DropError if the page is not for them */
type IsAdmitted = (session: BrowserSession) => boolean;

export interface FormRules extends Omit<BodyRules, 'readTyped'> {
  /** Default: 8 KiB. */
  readonly maxBytes?: number;
  /** Whether the form has text that a person types. */
  readonly isTyped?: boolean;
}

/** Asks a person to sign in. @param path of the form @param kept its sealed text; null: it is too long to be kept */
export type ShowSignedOut = (res: Response, path: string, kept: string | null) => void;

/** A page of the dashboard waits so long for the number in its header. */
const inboxMs = 1_000;

/** A stolen cookie, or a browser that others can use, must not keep an operator's rights for the life of a session. */
const operatingMs = 12 * 60 * 60_000;

const freshMs = 10 * 60_000;

/** What a request to the dashboard must pass before its handler runs. */
export class SessionAccess {
  readonly cookie: SessionCookie;
  readonly keptForms: KeptForms;
  readonly #services: Services;
  readonly #readForm: ReadForm;
  readonly #showSignedOut: ShowSignedOut;
  /** Of our own pages. */
  readonly #origin: string;

  constructor(services: Services, readForm: ReadForm, showSignedOut: ShowSignedOut) {
    const { config } = services;
    this.cookie = new SessionCookie(isHttps(config));
    this.keptForms = new KeptForms(services);
    this.#services = services;
    this.#readForm = readForm;
    this.#showSignedOut = showSignedOut;
    this.#origin = new URL(config.BASE_URL).origin;
  }

  /** One indexed read for a browser that has the cookie. null: it is not signed in. */
  async find(req: IncomingMessage): Promise<BrowserSession | null> {
    const { sessions, operators, sealer, clock } = this.#services;
    for (const secret of this.cookie.read(req)) {
      const found = await sessions.identify(secret);
      if (found === null) continue;
      const { caller, accountName, commentsSeen } = found;
      const { id, createdAt } = found.session;
      const [token] = formTokensOf(sealer, id, caller.accountId);
      const formField = html`<input type="hidden" name="${tokenField}" value="${maskFormToken(token)}">`;
      const knownAt = caller.isSuspended ? null : await operators.knownAt(caller.accountId);
      const isOperator = knownAt !== null;
      const isTooOldToOperate = Math.min(createdAt, knownAt ?? createdAt) + operatingMs <= clock.now();
      const readInbox = once(() => this.#readInbox(caller.accountId, commentsSeen));
      const ofAccount = { caller, accountName, commentsSeen, readInbox, isOperator };
      const isFresh = clock.now() < createdAt + freshMs;
      return { id, ...ofAccount, isTooOldToOperate, isFresh, formField };
    }
    return null;
  }

  /** For a GET, which changes nothing. A browser without a session is sent to the sign-in, and then back here. */
  withSession(handler: PageHandler, isAdmitted?: IsAdmitted): Handler {
    return async (req, res) => {
      const session = await this.#open(req, res, isAdmitted);
      if (session === null) res.redirect(303, browserSignInPath(req.originalUrl));
      else await handler(req, res, session);
    };
  }

  /** For a POST of a form: same origin, session, and with `admit` form token, suspension and limit, in this order. */
  sessionForm(
    limit: Limit | null,
    handler: FormHandler,
    { maxBytes, isTyped = false, ...rules }: FormRules = {},
  ): Handler {
    const formBytes = isTyped ? Math.max(maxBytes ?? 0, keptFormBytes) : maxBytes;
    const read = (req: Request) => this.#readForm(req, formBytes);
    return this.sessionBody(
      limit,
      async (req, res, session, admit) => {
        const form = await this.restore(req, session, await read(req));
        await handler(req, res, session, form, () => admit(form.get(tokenField)));
      },
      isTyped ? { ...rules, readTyped: read } : rules,
    );
  }

  /** For a POST whose handler reads the body itself, and calls `admit` with the form's token before it changes anything. */
  sessionBody(limit: Limit | null, handler: BodyHandler, rules: BodyRules = {}): Handler {
    return async (req, res) => {
      checkOrigin(req, this.#origin);
      const hadArrived = req.complete;
      const session = await this.#open(req, res, rules.isAdmitted);
      if (session === null) return this.sendToSignIn(req, res, rules.readTyped);
      await handler(req, res, session, async (formToken = '') => {
        const { sealer } = this.#services;
        if (!isFormToken(formToken, formTokensOf(sealer, session.id, session.caller.accountId)))
          throw outdatedForm(rules.readTyped !== undefined);
        // The session may have been revoked, or the account suspended, while the body arrived.
        const now = hadArrived ? session : await this.find(req);
        if (now?.id !== session.id) throw invalidSession();
        if (now.caller.isSuspended && !rules.allowsSuspended) throw suspended();
        if (limit !== null) await this.#services.limits.take(limit, now.caller.countsAs);
        return now;
      });
    };
  }

  /** What was typed waits in the page that asks for the sign-in. */
  async sendToSignIn(req: Request, res: Response, readTyped: BodyRules['readTyped']): Promise<void> {
    // The script keeps the page, and all that was typed.
    if (isSentByScript(req) || !isNavigation(req)) throw invalidSession();
    if (readTyped === undefined)
      return res.redirect(303, browserSignInPath(pathOfReferer(req, this.#origin)));
    const form = await readTyped(req);
    const path = req.originalUrl;
    const sealed = form && (form.get(keptField) ?? (await this.keptForms.seal(form, path)));
    this.#showSignedOut(res, path, sealed);
  }

  /** The text that has waited for this sign-in, or else the form as it was sent. @throws DropError `forbidden` */
  async restore(req: Request, { caller }: BrowserSession, form: Form): Promise<Form> {
    const sealed = form.get(keptField);
    if (sealed === undefined) return form;
    const kept = await this.keptForms.open(sealed);
    if (kept?.path === req.originalUrl && kept.accountId === caller.accountId) return new Map(kept.fields);
    const message = 'What was typed is kept for an hour, and for the account that has typed it.';
    throw new DropError('forbidden', message);
  }

  async #readInbox(id: string, commentsSeen: number): Promise<WaitingCounts | null> {
    const { inbox, log } = this.#services;
    try {
      return await withTimeout(inboxMs, inbox.count({ id, commentsSeen }), () =>
        unavailable('The comments that wait could not be counted in time.'),
      );
    } catch (err) {
      if (!isUnavailable(err)) log.error({ err }, 'the comments that wait for an owner cannot be counted');
      return null;
    }
  }

  /** For a page that belongs to the session: no cache stores it, and the log names the session. null: the person must sign in */
  async #open(req: Request, res: Response, isAdmitted?: IsAdmitted): Promise<BrowserSession | null> {
    res.setHeader('Cache-Control', 'no-store');
    const session = await this.find(req);
    if (session === null) return null;
    res.locals.accountId = session.caller.accountId;
    res.locals.sessionId = session.id;
    return isAdmitted?.(session) === false ? null : session;
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

/** The page that had the form; '' if the browser does not say. */
function pathOfReferer({ headers }: IncomingMessage, origin: string): string {
  const { referer = '' } = headers;
  return referer.startsWith(`${origin}/`) ? referer.slice(origin.length) : '';
}
