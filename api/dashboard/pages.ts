import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import type { Limit } from '../../shared/limits/limit-table.ts';
import { formError } from '../html/forms.ts';
import { type Fragment, type Html, html, visible } from '../html/html.ts';
import type { HeaderSession, HtmlPage, NavItem, PageParts } from '../html/layout.ts';
import { isFromOtherSite } from '../http/form.ts';
import { statusOf } from '../http/http-error.ts';
import { dashboardPaths } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { BrowserSession, FormRules, SessionAccess } from '../http/session.ts';
import { type Form, orAgain, type Shown, show } from '../http/show.ts';

/** A page for a session. */
export interface SessionPage extends PageParts {
  /** The current one of the tabs, where pages have tabs. */
  readonly tab?: string;
}

type Answered = Promise<Shown<SessionPage>> | Shown<SessionPage>;

/** What the page of an act asks, about its target as it is now. */
export interface Question {
  /** The way back. */
  readonly crumbs: Html;
  readonly title: string;
  /** What will happen, and to what. */
  readonly body: Html;
  /** Why it cannot be done. null or absent: it can. */
  readonly refusal?: Html | string | null;
  /** Fields of the form beside the session's. */
  readonly fields?: Fragment;
  readonly button: string;
  readonly isDangerous?: boolean;
  /** The path of the page that Cancel leads to. */
  readonly back: string;
  /** The error of the last attempt in the page's own words; absent: in the error's. */
  readonly fault?: string | undefined;
  readonly styles?: readonly string[];
}

/** A form that was refused. */
export interface RefusedForm {
  readonly form: Form;
  readonly error: DropError;
}

/** What a person does with a page that has a form. */
export interface FormAct {
  /** Changes nothing. @param attempt the last one, if it failed @returns the page, or the path to go to if there is nothing to ask */
  ask(req: Request, session: BrowserSession, attempt?: RefusedForm): Promise<Question | SessionPage | string>;
  /** Does it. @returns where it leads */
  perform(req: Request, res: Response, session: BrowserSession, form: Form): Promise<Shown<SessionPage>>;
}

type ReadPage = (req: Request, res: Response, session: BrowserSession) => Answered;
type Again = (req: Request, session: BrowserSession, attempt: RefusedForm) => Answered;

/** The pages of the dashboard. @param nav the item of its navigation */
export function dashboardPages({ sessions, layout }: RouteParts, nav: NavItem): SessionPages {
  return new SessionPages(sessions, (session, page) => layout.dashboard(session, nav, page), mayBeGone);
}

/** Puts a page into its frame. */
type Frame = (session: HeaderSession, page: SessionPage) => HtmlPage;

/** Makes the routes of pages, forms and files that only a session gets. An error of a person's request is a page, too. */
export class SessionPages {
  readonly #access: Pick<SessionAccess, 'withSession' | 'sessionForm'>;
  readonly #frame: Frame;
  readonly #whyGone: (session: BrowserSession) => Html;

  /** @param access what a request must pass before its handler runs @param whyGone below a 404 */
  constructor(
    access: Pick<SessionAccess, 'withSession' | 'sessionForm'>,
    frame: Frame,
    whyGone: (session: BrowserSession) => Html,
  ) {
    this.#access = access;
    this.#frame = frame;
    this.#whyGone = whyGone;
  }

  page(path: string, read: ReadPage): Route {
    const handler = this.#access.withSession((req, res, session) =>
      this.#answer(req, res, session, async () => read(req, res, session)),
    );
    return open('GET', path, handler);
  }

  /** @param again the form as it was filled in, with the error. Absent: a person types nothing into it */
  form(
    path: string,
    limit: Limit,
    save: FormAct['perform'],
    { again, ...rules }: FormRules & { readonly again?: Again } = {},
  ): Route {
    const handler: Parameters<SessionAccess['sessionForm']>[1] = (req, res, session, sent, admit) => {
      const admitAndSave = async () => save(req, res, await admit(), sent);
      const showAgain = async (error: DropError) => {
        const shown = await again?.(req, session, { form: sent, error });
        // A path: after a conflict, the target has what the form says already. A page without this error would hide it.
        const isOfError =
          typeof shown === 'string' ? error.code === 'version_conflict' : shown?.error === error;
        if (shown === undefined || !isOfError) throw error;
        return shown;
      };
      return this.#answer(req, res, session, () => orAgain(req, admitAndSave, showAgain));
    };
    const isTyped = again !== undefined;
    return open('POST', path, this.#access.sessionForm(limit, handler, { ...rules, isTyped }));
  }

  /** A GET that is answered with something else than a page. */
  file(path: string, send: Parameters<SessionAccess['withSession']>[0]): Route {
    const sendHere: typeof send = (req, res, session) => {
      if (isFromOtherSite(req)) throw new DropError('forbidden', 'Download it from a page of the dashboard');
      return send(req, res, session);
    };
    return open('GET', path, this.#access.withSession(sendHere));
  }

  /** The page (GET) and its form (POST). An error is shown on the page, which is about the target as it is now. */
  confirmed(path: string, limit: Limit, act: FormAct, rules?: FormRules): readonly Route[] {
    const ask = (req: Request, session: BrowserSession, attempt?: RefusedForm) =>
      askPage(act, req, session, attempt);
    return [
      this.page(path, (req, _, session) => ask(req, session)),
      this.form(path, limit, act.perform, { ...rules, again: ask }),
    ];
  }

  async #answer(
    req: Request,
    res: Response,
    session: BrowserSession,
    read: () => Promise<Shown<SessionPage>>,
  ): Promise<void> {
    const shown = await orAgain(req, read, (error) => gonePage(error, this.#whyGone(session)));
    const header = await headerOf(session, shown);
    show(res, shown, (page) => this.#frame(header, page));
  }
}

/** @param shown only a page has a header, with what waits for the owner */
export async function headerOf(session: BrowserSession, shown: Shown): Promise<HeaderSession> {
  const isPage = shown !== null && typeof shown !== 'string';
  return { ...session, inbox: isPage ? await session.readInbox() : null };
}

/** The page of an act, or the path to go to if there is nothing to ask. @param attempt the last one, if it failed */
async function askPage(
  act: FormAct,
  req: Request,
  session: BrowserSession,
  attempt?: RefusedForm,
): Promise<SessionPage | string> {
  const asked = await act.ask(req, session, attempt);
  if (typeof asked === 'string' || !('button' in asked)) return asked;
  return questionPage(asked, session.formField, attempt?.error);
}

const mayBeGone = ({
  accountName,
}: BrowserSession) => html`<p>It may have expired, or you or a program with a token of yours may have deleted it: then it is gone for good. Or it belongs to
another account: you are signed in as <b>${visible(accountName)}</b>.</p>
<p><a class="button quiet" href="${dashboardPaths.drops}">Your drops</a></p>`;

/** What the address names does not exist for this account. @throws any other error */
function gonePage(error: DropError, why: Html): SessionPage {
  if (statusOf(error) !== 404) throw error;
  const { message: title } = error;
  return { title, error, body: html`<section class="empty"><h1>${title}</h1>\n${why}</section>` };
}

/** @param error of the last attempt */
export function questionPage(question: Question, formField: Html, error?: DropError): PageParts {
  const {
    crumbs,
    title,
    body,
    refusal = null,
    fields,
    button,
    isDangerous,
    back,
    fault,
    styles = [],
  } = question;
  const buttons = html`<div class="actions"><button${isDangerous && html` class="danger"`}>${button}</button><a class="button quiet" href="${back}">Cancel</a></div>`;
  const canDo = html`<form method="post">${formField}${fields}\n${buttons}</form>`;
  const cannot = html`<p>${refusal}</p>\n<p><a class="button quiet" href="${back}">Back</a></p>`;
  return {
    title,
    error,
    styles,
    body: html`${crumbs}
<section class="panel reading"><h1>${title}</h1>
${formError(fault ?? error)}
${body}
${refusal === null ? canDo : cannot}</section>`,
  };
}
