import type { commenters } from '../../../shared/comments/comment.ts';
import type { CommentCounts } from '../../../shared/comments/comment-store.ts';
import { newsOf, type WaitingCounts } from '../../../shared/comments/inbox.ts';
import { countOf } from '../../html/elements.ts';
import { type Html, html } from '../../html/html.ts';
import { cutNumber } from '../../html/inbox.ts';

/** `2 open comments, 1 new, 1 waits for you`, `1 comment waits for you`; null: there are none. @param news how many are new */
export function countText(counts: CommentCounts | undefined, news = 0): string | null {
  const { open = 0, held = 0 } = counts ?? {};
  const parts = [
    open > 0 && countOf(open, 'open comment'),
    news > 0 && `${cutNumber(news)} new`,
    held > 0 && `${open > 0 ? held : countOf(held, 'comment')} ${held === 1 ? 'waits' : 'wait'} for you`,
  ];
  return parts.filter(Boolean).join(', ') || null;
}

/** On the page of all comments. null: it could not be counted. */
export function inboxText(inbox: WaitingCounts | null): string | null {
  if (inbox === null) return null;
  const { asking, held } = inbox;
  const news = newsOf(inbox);
  const waiting =
    held === 0 ? 'No comment waits for you' : `${commentsOf(held)} ${held === 1 ? 'waits' : 'wait'} for you`;
  const ask =
    asking === 0 ? '' : `${asking === 1 ? '1 person asks' : `${cutNumber(asking)} people ask`} for access. `;
  return `${ask}${waiting}. ${news === 0 ? 'None' : cutNumber(news)} ${news > 1 ? 'are' : 'is'} new since you last looked here.`;
}

function commentsOf(count: number): string {
  return count === 1 ? '1 comment' : `${cutNumber(count)} comments`;
}

/** The options of a field. */
export function commenterOptions(chosen: string): Html[] {
  return Object.entries(commenterNames).map(
    ([key, name]) => html`<option value="${key}"${key === chosen && html` selected`}>${name}</option>`,
  );
}

export const commenterNames: Readonly<Record<(typeof commenters)[number], string>> = {
  owner: 'Only you',
  members: 'Everybody who is signed in',
  anyone: 'Everybody who can open the page',
};
