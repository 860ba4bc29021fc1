import type { Request } from 'express';
import { type CommentState, commentIdPattern } from '../../../shared/comments/comment.ts';
import type { ListedComment, StateCounts } from '../../../shared/comments/comment-store.ts';
import { inboxAtMost } from '../../../shared/comments/inbox.ts';
import type { ThreadPage } from '../../../shared/comments/thread-pages.ts';
import { nullIfNotFound } from '../../../shared/domain/errors.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { askingSection } from '../../access-requests/asking.ts';
import { changeByForm, formIdInput } from '../../comments/pages/form-acts.ts';
import { type ThreadsView, threadList } from '../../comments/pages/threads.ts';
import { noticeFor, numberText } from '../../html/elements.ts';
import { formError, formFaultsOf } from '../../html/forms.ts';
import { type Html, html, visible } from '../../html/html.ts';
import { cutNumber } from '../../html/inbox.ts';
import { queryOf, toPositiveInteger } from '../../http/parameters.ts';
import { dashboardPaths, ownerPath, requestsPath } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { BrowserSession } from '../../http/session.ts';
import { keyOrDefault } from '../list/address.ts';
import { dashboardPages, type RefusedForm, type SessionPage, type SessionPages } from '../pages.ts';
import { inboxText } from './comment-labels.ts';

/** What `?state=` lists. What waits for the owner is open, too, as on the page of comments. */
const filters = {
  open: { name: 'Open', states: ['open', 'held'] },
  held: { name: 'Waiting', states: ['held'] },
  resolved: { name: 'Resolved', states: ['resolved'] },
  all: { name: 'All', states: ['open', 'held', 'resolved'] },
} as const;

/** What `?notice=` says of an act after which the list may not have the comment. */
const notices = {
  approve: 'The comment is approved. Everybody who reads the comments of the page sees it now.',
  resolve: 'The comment is resolved.',
  open: 'The comment is open again.',
  delete: 'The comment is deleted.',
  allow: 'Their address is on the list of the page now. Dropleaf sends no message: tell them.',
  decline: 'The request is declined. Its sender cannot ask for that page again.',
};

interface ThreadsOfDrop {
  readonly slug: string;
  readonly title: string;
  readonly threads: ListedComment[];
}

/** /comments: the comments on all drops of an account. */
export function dashboardCommentRoutes(parts: RouteParts): readonly Route[] {
  const { accessRequests, comments, drops, inbox, clock } = parts.services;
  const pages = dashboardPages(parts, 'comments');
  const { comments: path } = dashboardPaths;

  async function readThreads(
    { caller, commentsSeen }: BrowserSession,
    { state, before, thread }: Address,
  ): Promise<ThreadPage> {
    const listNewest = () => comments.listNewest(caller, filters[state].states, before);
    if (thread === null && before === newest && showsNews(state))
      return inbox.look(caller, commentsSeen, listNewest);
    if (thread === null) return listNewest();
    const found = await comments.find(caller, thread);
    return { threads: [{ ...found, replyCount: found.replies.length }], next: null };
  }

  async function shownPage(
    req: Request,
    session: BrowserSession,
    attempt?: RefusedForm,
  ): Promise<SessionPage> {
    const { caller, formField } = session;
    // Before anything is counted: requests without an answer are removed.
    const asking = await accessRequests.list(caller);
    const waits = await session.readInbox();
    const first = waits !== null && waits.held > 0 ? 'held' : 'open';
    const { state, before, thread } = readAddress(req, first);
    const counts = await inbox.countStates(caller);
    const { threads: found, next } = await readThreads(session, { state, before, thread });
    const groups = new Map<string, ListedComment[]>();
    for (const thread of found) groups.set(thread.slug, [...(groups.get(thread.slug) ?? []), thread]);
    const ofDrops = [...groups].map(async ([slug, threads]): Promise<ThreadsOfDrop> => {
      const drop = await drops.get(caller, slug).catch(nullIfNotFound);
      return { slug, title: drop?.title ?? slug, threads };
    });
    const view = {
      reader: await comments.authorOf(caller),
      versionId: null,
      action: addressOf({ state, before, thread }),
      attempt,
      waits: inboxText(waits),
      asking: askingSection(asking, caller.isSuspended ? null : formField),
      counts,
      wholePath: (id: string) => addressOf({ state, before, thread: id }),
      fields: caller.isSuspended ? null : html`${formField}${formIdInput(clock.now())}`,
    };
    const page = ownCommentsPage(state, await Promise.all(ofDrops), next, view);
    return attempt ? page : { ...page, body: html`${noticeFor(req.query.notice, notices)}${page.body}` };
  }

  return [
    pages.page(path, (req, _, session) => shownPage(req, session)),
    pages.form(
      path,
      limitTable.change,
      async (req, _, { caller }, sent) => {
        const done = await changeByForm(comments, caller, await comments.authorOf(caller), sent, clock.now());
        const address = readAddress(req, 'open');
        const isGone = done === null && sent.get('id') === address.thread;
        const next = addressOf(isGone ? { ...address, thread: null } : address);
        return `${next}&notice=${sent.get('act')}${done === null ? '' : `#t-${done}`}`;
      },
      { again: shownPage },
    ),
    requestForm(parts, pages, shownPage),
  ];
}

type ShowAgain = (req: Request, session: BrowserSession, attempt: RefusedForm) => Promise<SessionPage>;

/** The answer to somebody who asks for access. @param again the page with the error of an answer that failed */
function requestForm({ services }: RouteParts, pages: SessionPages, again: ShowAgain): Route {
  const { accessRequests } = services;
  const { comments: path } = dashboardPaths;
  return pages.form(
    requestsPath,
    limitTable.change,
    async (_req, _res, { caller }, sent) => {
      const slug = sent.get('slug') ?? '';
      const accountId = sent.get('account') ?? '';
      const isAllowed = sent.get('act') === 'allow';
      if (isAllowed)
        await accessRequests.allow(caller, slug, { accountId, address: sent.get('address') ?? '' });
      else await accessRequests.decline(caller, slug, accountId);
      return `${path}?notice=${isAllowed ? 'allow' : 'decline'}`;
    },
    { again },
  );
}

type Filter = keyof typeof filters;

const newest = Number.MAX_SAFE_INTEGER;

/** Whether the list has all that is new. */
function showsNews(state: Filter): boolean {
  const states: readonly CommentState[] = filters[state].states;
  return states.includes('open');
}

interface Address {
  readonly state: Filter;
  readonly before: number;
  /** The id of the only one, with all its replies; null: a list. */
  readonly thread: string | null;
}

/** @param first the list that is shown unless the address names one */
function readAddress(req: Request, first: Filter): Address {
  const { state, before, thread } = queryOf(req);
  return {
    state: keyOrDefault(filters, state, first),
    before: toPositiveInteger(String(before)) ?? newest,
    thread: typeof thread === 'string' && commentIdPattern.test(thread) ? thread : null,
  };
}

function addressOf({ state, before, thread }: Address): string {
  const from = before === newest ? '' : `&before=${before}`;
  return `${dashboardPaths.comments}?state=${state}${thread === null ? from : `&thread=${thread}`}`;
}

/** How many threads a filter has. A state of which not all are counted has more than that. */
function numberOf(states: readonly CommentState[], counts: StateCounts): string {
  const ofStates = states.map((state) => counts[state]);
  const isCut = ofStates.some((count) => count >= inboxAtMost);
  return isCut ? cutNumber(inboxAtMost) : numberText(ofStates.reduce((sum, count) => sum + count, 0));
}

/** @param next where the next page begins; null: there is none */
export function ownCommentsPage(
  state: Filter,
  drops: readonly ThreadsOfDrop[],
  next: number | null,
  view: ThreadsView & {
    readonly waits: string | null;
    readonly asking: Html | null;
    readonly counts: StateCounts;
  },
): SessionPage {
  const error = view.attempt?.error;
  const links = Object.entries(filters).map(
    ([key, { name, states }]) =>
      html`<a href="${dashboardPaths.comments}?state=${key}"${key === state && html` aria-current="page"`}>${name} <span class="number">${numberOf(states, view.counts)}</span></a>`,
  );
  return {
    title: 'Comments',
    error,
    styles: ['comments'],
    body: html`<h1>Comments</h1>
${view.waits !== null && html`<p class="soft">${view.waits}</p>\n`}<nav class="segments" aria-label="Which comments">${links}</nav>
${formError(error && formFaultsOf(error).message)}
${view.asking}${drops.length === 0 && html`<p class="soft">There are no such comments.</p>`}
${drops.map(
  ({ slug, title, threads }) =>
    html`<section class="reading"><h2><a href="${ownerPath(slug)}">${visible(title)}</a></h2>\n${threadList(threads, view)}</section>\n`,
)}${next !== null && html`<p><a class="button quiet small" href="${addressOf({ state, before: next, thread: null })}">Older comments</a></p>`}`,
  };
}
