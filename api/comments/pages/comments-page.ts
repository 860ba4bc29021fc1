import type { Request, Response } from 'express';
import { isSame } from '../../../shared/comments/authors.ts';
import { type Author, type Comment, commentIdPattern } from '../../../shared/comments/comment.ts';
import { threadFilters } from '../../../shared/comments/lists.ts';
import type { ThreadPage } from '../../../shared/comments/thread-pages.ts';
import { DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import type { PageWithVersion } from '../../../shared/drops/drop.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import type { RefusedForm } from '../../dashboard/pages.ts';
import { html } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { isNavigation } from '../../http/answer-error.ts';
import { visitorOf } from '../../http/client-address.ts';
import { isFromOtherSite } from '../../http/form.ts';
import { isForFrame } from '../../http/form-script.ts';
import { keptField, keptFormBytes, tokenField } from '../../http/kept-forms.ts';
import { queryOf, readSlug, toPositiveInteger } from '../../http/parameters.ts';
import { pagePartPath } from '../../http/paths.ts';
import { open, type Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import { sendJson } from '../../http/send.ts';
import type { BrowserSession } from '../../http/session.ts';
import { type Form, orAgain, show } from '../../http/show.ts';
import { openPage, orToViewer, readPageVersion } from '../../pages/gate.ts';
import { countNewAnswers, noteAnswers } from './answers.ts';
import { add, changeByForm, formIdInput, formIdOf, readName } from './form-acts.ts';
import { keepSecret, readerOfRequest, secretOf } from './reader.ts';
import { commentsPage, refusalPage, type ThreadsAddress, threadsPath } from './views.ts';

/** GET and POST /p/{slug}/comments: a page of ours beside a page, or alone. Scripts get JSON: what the reader may do. */
export function commentsPageRoutes(parts: RouteParts): readonly Route[] {
  const { sessions, readForm } = parts;
  const sendSigned = sessions.sessionForm(
    limitTable.change,
    (req, res, session, form, admit) => answerForm(parts, req, res, { form, session, admit }),
    { maxBytes: keptFormBytes, isTyped: true },
  );
  const path = pagePartPath(':slug', 'comments');
  return [
    open(
      'GET',
      path,
      orToViewer((req, res) => answerGet(parts, req, res)),
    ),

    open('POST', path, async (req, res) => {
      if ((await sessions.find(req)) !== null) return sendSigned(req, res);
      const form = await readForm(req, keptFormBytes);
      // The session of the page that had the form has ended.
      if (form.has(tokenField) || form.has(keptField))
        return sessions.sendToSignIn(req, res, async () => form);
      return answerForm(parts, req, res, { form, session: null, admit: async () => null });
    }),
  ];
}

async function answerGet(
  { services, sessions, layout }: RouteParts,
  req: Request,
  res: Response,
): Promise<void> {
  const { comments, pages } = services;
  // The script of every viewer page asks. What comes from memory must be sent before anything is awaited.
  const isNobody = !isNavigation(req) && sessions.cookie.read(req).length === 0;
  if (isNobody && pages.getCached(readSlug(req), readPageVersion(req))?.comments === 'owner')
    return sendMay(res, { may: null, open: 0 });
  const page = await openUncached(services, req, res);
  const session = isFromOtherSite(req) ? null : await sessions.find(req);
  if (isNavigation(req) || req.headers.accept === 'text/html')
    return show(res, await shownPage(services, req, res, { page, session }), layout.bare);
  const reader = readerOfRequest(page, session, secretOf(services, req, page));
  const open = reader === null ? 0 : await comments.countOpen(page, reader);
  const answers = await countNewAnswers(services, req, page, reader);
  sendMay(res, { may: reader?.role ?? null, open, ...(answers > 0 && { answers }) });
}

/** A form that was sent. */
interface SentForm {
  readonly form: Form;
  /** null: of a guest. */
  readonly session: BrowserSession | null;
  /** Must be called before anything is changed. */
  readonly admit: () => Promise<BrowserSession | null>;
}

async function answerForm(
  { services, layout }: RouteParts,
  req: Request,
  res: Response,
  { form, session, admit }: SentForm,
): Promise<void> {
  const page = await openUncached(services, req, res);
  const shown = await orAgain(
    req,
    async () => save(services, req, res, page, await admit(), form),
    (error) => shownPage(services, req, res, { page, session, attempt: { form, error } }),
  );
  show(res, shown, layout.bare);
}

async function openUncached(services: Services, req: Request, res: Response): Promise<PageWithVersion> {
  const page = await openPage(services, req, res);
  res.setHeader('Cache-Control', 'private, no-store');
  return page;
}

/** Who asks for a page's comments. */
interface Asking {
  readonly page: PageWithVersion;
  readonly session: BrowserSession | null;
  /** The form that was refused. */
  readonly attempt?: RefusedForm;
}

async function shownPage(
  services: Services,
  req: Request,
  res: Response,
  { page, session, attempt }: Asking,
): Promise<PageParts> {
  const { comments, clock } = services;
  const asked = readAddress(req, page);
  const reader = readerOfRequest(page, session, secretOf(services, req, page));
  const isFramed = isForFrame(req);
  const isSignedIn = session !== null;
  if (reader === null) return refusalPage({ page, action: threadsPath(asked), isSignedIn, isFramed });
  const { thread } = asked;
  const found =
    thread === null ? null : await comments.findVisible(page, thread, reader).catch(nullIfNotFound);
  const address = { ...asked, thread: found === null ? null : found.id };
  const list = () => comments.listOfPage(page, reader, address, visitorOf(req.ip));
  const shown = found ?? (await listForOwner(services, address, { page, session }, list));
  await noteAnswers(services, req, res, page, reader, hasWritten(shown, reader));
  const counts = await comments.countOfPage(page, reader);
  const fields = html`${session?.formField}${formIdInput(clock.now())}`;
  const mayWrite = session?.caller.isSuspended !== true;
  const view = {
    reader,
    versionId: page.version.id,
    action: threadsPath(address),
    attempt,
    fields: mayWrite ? fields : null,
    wholePath: (thread: string) => threadsPath({ ...address, thread }),
  };
  return commentsPage({ page, address, shown, counts, view, isFramed });
}

/** What the owner sees here is no news any more, if there is none on other pages. */
async function listForOwner(
  { inbox }: Services,
  { filter, before }: ThreadsAddress,
  { page, session }: Asking,
  list: () => Promise<ThreadPage>,
): Promise<ThreadPage> {
  const isWhole = before === null && filter === 'open';
  if (session?.caller.accountId !== page.ownerId || !isWhole) return list();
  const news = (await session.readInbox())?.news;
  const isAllHere = news?.size === 1 && news.has(page.dropId);
  return isAllHere ? inbox.look(session.caller, session.commentsSeen, list) : list();
}

function hasWritten(shown: Comment | ThreadPage, reader: Author): boolean {
  const threads = 'id' in shown ? [shown] : shown.threads;
  return threads.some(({ author }) => isSame(author, reader));
}

/** Does what the form asks for. @returns where it leads */
async function save(
  services: Services,
  req: Request,
  res: Response,
  page: PageWithVersion,
  session: BrowserSession | null,
  form: Form,
): Promise<string> {
  const { comments, sealer, clock } = services;
  const isNew = form.get('act') === 'add';
  const isGuest = isNew && session === null;
  const name = isGuest ? readName(form) : '';
  // Of the form, so that a form that is sent twice at once is that of one guest.
  const secret = secretOf(services, req, page) ?? sealer.hashes('guest', formIdOf(form, clock.now()))[0];
  const author = readerOfRequest(page, session, secret, name);
  if (author === null) throw new DropError('forbidden', 'You may not write comments on this page');
  const act = isNew ? add : changeByForm;
  const done = await comments.runLimited(page, author, visitorOf(req.ip), () =>
    act(comments, page, author, form, clock.now()),
  );
  if (isGuest) keepSecret(services, res, page, secret);
  const address = readAddress(req, page);
  const isGone = done === null && form.get('id') === address.thread;
  const next: ThreadsAddress =
    isNew || isGone ? { ...address, thread: null, filter: 'open', before: null } : address;
  const isListed = done !== null && !leavesList(form.get('act'), next);
  return `${threadsPath(next)}#${isListed ? `t-${done}` : 'list'}`;
}

/** Whether the thread is in that list no more. */
function leavesList(act: string | undefined, { thread, filter }: ThreadsAddress): boolean {
  if (thread !== null) return false;
  return (act === 'resolve' && filter === 'open') || (act === 'open' && filter === 'resolved');
}

function readAddress(req: Request, { slug, version }: PageWithVersion): ThreadsAddress {
  const { filter, before, thread } = queryOf(req);
  return {
    slug,
    version: version.number,
    filter: threadFilters.find((one) => one === filter) ?? 'open',
    before: toPositiveInteger(String(before)),
    thread: typeof thread === 'string' && commentIdPattern.test(thread) ? thread : null,
  };
}

/** What browser/viewer reads. */
function sendMay(
  res: Response,
  found: { readonly may: Author['role'] | null; readonly open: number; readonly answers?: number },
): void {
  res.setHeader('Cache-Control', 'private, no-store');
  sendJson(res, found);
}
