import type { Request } from 'express';
import type { Comment, commenters } from '../../../shared/comments/comment.ts';
import type { CommentCounts } from '../../../shared/comments/comment-store.ts';
import { nullIfNotFound } from '../../../shared/domain/errors.ts';
import { change, formIdInput } from '../../comments/pages/acts.ts';
import { type ThreadsView, threadList } from '../../comments/pages/threads.ts';
import { readCommentQuery } from '../../comments/requests.ts';
import { faultsOf, formError } from '../../html/forms.ts';
import { html, visible } from '../../html/html.ts';
import { countOf } from '../../html/parts.ts';
import { queryOf } from '../../http/parameters.ts';
import { dashboardPaths, ownerPath } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { Session } from '../../http/session.ts';
import { oneOf } from '../list/address.ts';
import { type Attempt, dashboardPages, type SessionPage } from '../pages.ts';

/** By state. */
const filters = { open: 'Open', held: 'Waiting', resolved: 'Resolved', all: 'All' };

interface ThreadsOfDrop {
  readonly slug: string;
  readonly title: string;
  readonly threads: Comment[];
}

/** /comments: the comments on all drops of an account. */
export function commentRoutes(parts: RouteParts): readonly Route[] {
  const { comments, drops, clock } = parts.services;
  const { page, form } = dashboardPages(parts, 'comments');
  const { comments: path } = dashboardPaths;

  async function shownPage(
    req: Request,
    { caller, formField }: Session,
    attempt?: Attempt,
  ): Promise<SessionPage> {
    const { filter } = readCommentQuery(queryOf(req));
    const { comments: found, next } = await comments.list(caller, filter);
    const groups = new Map<string, Comment[]>();
    for (const thread of found) groups.set(thread.slug, [...(groups.get(thread.slug) ?? []), thread]);
    const ofDrops = [...groups].map(async ([slug, threads]): Promise<ThreadsOfDrop> => {
      const drop = await drops.get(caller, slug).catch(nullIfNotFound);
      return { slug, title: drop?.title ?? slug, threads };
    });
    const view = {
      reader: await comments.authorOf(caller),
      ...{ versionId: null, action: req.originalUrl, attempt },
      fields: caller.isSuspended ? null : html`${formField}${formIdInput(clock.now())}`,
    };
    const state = oneOf(filters, req.query.state, 'open');
    return ownCommentsPage(
      state,
      await Promise.all(ofDrops),
      found.length === filter.limit ? next : null,
      view,
    );
  }

  return [
    page(path, (req, _, session) => shownPage(req, session)),
    form(
      path,
      'changes_per_minute',
      async (req, _, { caller }, sent) => {
        const done = await change(comments, caller, await comments.authorOf(caller), sent, clock.now());
        return done === null ? req.originalUrl : `${req.originalUrl}#t-${done}`;
      },
      { again: shownPage },
    ),
  ];
}

/** @param next the cursor of the next page; null: there is none */
export function ownCommentsPage(
  state: string,
  drops: readonly ThreadsOfDrop[],
  next: number | null,
  view: ThreadsView,
): SessionPage {
  const error = view.attempt?.error;
  const href = (key: string) => `${dashboardPaths.comments}?state=${key}`;
  const links = Object.entries(filters).map(
    ([key, name]) => html`<a href="${href(key)}"${key === state && html` aria-current="page"`}>${name}</a>`,
  );
  const more = html`<p><a class="button quiet small" href="${href(state)}&after=${next}">More comments</a></p>`;
  return {
    title: 'Comments',
    error,
    styles: ['comments'],
    body: html`<h1>Comments</h1>
<nav class="segments" aria-label="Which comments">${links}</nav>
${formError(error && faultsOf(error).message)}
${drops.length === 0 && html`<p class="soft">There are no such comments.</p>`}
${drops.map(
  ({ slug, title, threads }) =>
    html`<section class="reading"><h2><a href="${ownerPath(slug)}">${visible(title)}</a></h2>\n${threadList(threads, view)}</section>\n`,
)}${next !== null && more}`,
  };
}

/** `2 open comments, 1 waits for you`; null: there are none. */
export function countText(counts: CommentCounts | undefined): string | null {
  const { open = 0, held = 0 } = counts ?? {};
  const parts = [
    open > 0 && countOf(open, 'open comment'),
    held > 0 && `${held} ${held === 1 ? 'waits' : 'wait'} for you`,
  ];
  return parts.filter(Boolean).join(', ') || null;
}

export const commenterNames: Readonly<Record<(typeof commenters)[number], string>> = {
  owner: 'Only you',
  members: 'Everybody who is signed in',
  anyone: 'Everybody who can open the page',
};
