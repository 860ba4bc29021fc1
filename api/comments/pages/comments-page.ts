import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Author } from '../../../shared/comments/comment.ts';
import { commentIdPattern } from '../../../shared/comments/comment.ts';
import { threadFilters } from '../../../shared/comments/lists.ts';
import { isHttps } from '../../../shared/config/config.ts';
import { DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import type { Page, PageWithVersion } from '../../../shared/drops/drop.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import type { Attempt } from '../../dashboard/pages.ts';
import { html } from '../../html/html.ts';
import { isNavigation } from '../../http/answer-error.ts';
import { visitorOf } from '../../http/client-address.ts';
import { cookieName, readCookies, setCookie } from '../../http/cookies.ts';
import { isFromOtherSite } from '../../http/form.ts';
import { keptField, keptFormBytes, tokenField } from '../../http/kept-forms.ts';
import { queryOf, readSlug, toPositiveInteger } from '../../http/parameters.ts';
import { pagePartPath } from '../../http/paths.ts';
import { open, type Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { sendJson } from '../../http/send.ts';
import type { Session } from '../../http/session.ts';
import { type Form, orAgain, show } from '../../http/show.ts';
import { createGate, versionOf } from '../../pages/gate.ts';
import { add, change, formIdInput, formIdOf, readName } from './acts.ts';
import { commentsPage, refusalPage, type ThreadsAddress, threadsPath } from './views.ts';

/** The cookie with the secret of a guest who has written comments on the page. Stored is its SHA-256. */
const guestCookie = 'dropleaf_guest';
const secretPattern = /^[0-9a-f]{64}$/;
const guestSeconds = 400 * 24 * 60 * 60;

/** GET and POST /p/{slug}/comments: a page of ours beside a page, or alone. Scripts get JSON: what the reader may do. */
export function commentsPageRoutes({ services, sessions, readForm, layout }: RouteParts): readonly Route[] {
  const { comments, pages, sealer, clock, config } = services;
  const gate = createGate(services);
  const cookieOf = ({ slug }: Page) => ({
    path: pagePartPath(slug, 'comments'),
    seconds: guestSeconds,
    isSecure: isHttps(config),
  });

  async function openPage(req: Request, res: Response): Promise<PageWithVersion> {
    const page = await gate(req, res);
    res.setHeader('Cache-Control', 'private, no-store');
    return page;
  }

  /** null: the browser has none for this page. */
  function secretOf(req: IncomingMessage, page: Page): string | null {
    const secrets = readCookies(req.headers.cookie, cookieName(guestCookie, cookieOf(page)));
    return secrets.find((secret) => secretPattern.test(secret)) ?? null;
  }

  /** @param secret of a guest, who has typed the name */
  function readerOf(page: Page, session: Session | null, secret: string | null, name = ''): Author | null {
    const guest = secret && createHash('sha256').update(secret).digest('hex');
    const { caller, accountName } = session ?? { caller: null, accountName: name };
    return comments.readerOf(page, { caller, name: accountName, guest });
  }

  async function shownPage(req: Request, page: PageWithVersion, session: Session | null, attempt?: Attempt) {
    const { version } = page;
    const asked = readAddress(req, page);
    const reader = readerOf(page, session, secretOf(req, page));
    const isFramed = req.headers['sec-fetch-dest'] === 'iframe';
    const isSignedIn = session !== null;
    if (reader === null) return refusalPage({ page, action: threadsPath(asked), isSignedIn, isFramed });
    const { thread } = asked;
    const found =
      thread === null ? null : await comments.findVisible(page, thread, reader).catch(nullIfNotFound);
    const address = { ...asked, thread: found === null ? null : found.id };
    const shown = found ?? (await comments.listOfPage(page, reader, address, visitorOf(req.ip)));
    const action = threadsPath(address);
    const counts = (await comments.count([page.dropId])).get(page.dropId);
    const fields = html`${session?.formField}${formIdInput(clock.now())}`;
    const mayWrite = session?.caller.isSuspended !== true;
    const view = {
      reader,
      versionId: version.id,
      action,
      attempt,
      fields: mayWrite ? fields : null,
      wholePath: (thread: string) => threadsPath({ ...address, thread }),
    };
    return commentsPage({ page, address, shown, counts, view, isFramed });
  }

  /** Does what the form asks for. @returns where it leads */
  async function save(
    req: Request,
    res: Response,
    page: PageWithVersion,
    session: Session | null,
    form: Form,
  ) {
    const isNew = form.get('act') === 'add';
    const isGuest = isNew && session === null;
    const name = isGuest ? readName(form) : '';
    // Of the form, so that a form that is sent twice at once is that of one guest.
    const secret = secretOf(req, page) ?? sealer.hashes('guest', formIdOf(form, clock.now()))[0];
    const author = readerOf(page, session, secret, name);
    if (author === null) throw new DropError('forbidden', 'You may not write comments on this page');
    const done = await comments.countFor(page, author, visitorOf(req.ip), () =>
      (isNew ? add : change)(comments, page, author, form, clock.now()),
    );
    if (isGuest) setCookie(res, guestCookie, secret, cookieOf(page));
    const address = readAddress(req, page);
    const isGone = done === null && form.get('id') === address.thread;
    const next =
      isNew || isGone ? ({ ...address, thread: null, filter: 'all', before: null } as const) : address;
    return `${threadsPath(next)}#${done === null ? 'open' : `t-${done}`}`;
  }

  async function answer(
    req: Request,
    res: Response,
    form: Form,
    session: Session | null,
    admit: () => Promise<Session | null>,
  ): Promise<void> {
    const page = await openPage(req, res);
    const shown = await orAgain(
      req,
      async () => save(req, res, page, await admit(), form),
      (error) => shownPage(req, page, session, { form, error }),
    );
    show(res, shown, layout.bare);
  }

  const sendSigned = sessions.sessionForm(
    limitTable.change,
    (req, res, session, form, admit) => answer(req, res, form, session, admit),
    { maxBytes: keptFormBytes, isTyped: true },
  );

  const path = pagePartPath(':slug', 'comments');
  return [
    open('GET', path, async (req, res) => {
      // The script of every viewer page asks. What comes from memory must be sent before anything is awaited.
      const isNobody = !isNavigation(req) && sessions.cookie.read(req).length === 0;
      if (isNobody && pages.getCached(readSlug(req), versionOf(req))?.comments === 'owner')
        return sendMay(res, null, 0);
      const page = await openPage(req, res);
      const session = isFromOtherSite(req) ? null : await sessions.find(req);
      if (isNavigation(req) || req.headers.accept === 'text/html')
        return show(res, await shownPage(req, page, session), layout.bare);
      const may = readerOf(page, session, null)?.role ?? null;
      const counts = may === null ? undefined : (await comments.count([page.dropId])).get(page.dropId);
      sendMay(res, may, counts?.open ?? 0);
    }),

    open('POST', path, async (req, res) => {
      if ((await sessions.find(req)) !== null) return sendSigned(req, res);
      const form = await readForm(req, keptFormBytes);
      // The session of the page that had the form has ended.
      if (form.has(tokenField) || form.has(keptField))
        return sessions.sendToSignIn(req, res, async () => form);
      return answer(req, res, form, null, async () => null);
    }),
  ];
}

function readAddress(req: Request, { slug, version }: PageWithVersion): ThreadsAddress {
  const { filter, before, thread } = queryOf(req);
  return {
    slug,
    version: version.number,
    filter: threadFilters.find((one) => one === filter) ?? 'all',
    before: toPositiveInteger(String(before)),
    thread: typeof thread === 'string' && commentIdPattern.test(thread) ? thread : null,
  };
}

/** What browser/viewer reads. */
function sendMay(res: Response, may: Author['role'] | null, open: number): void {
  res.setHeader('Cache-Control', 'private, no-store');
  sendJson(res, { may, open });
}
