import type { commenters } from '../../../shared/comments/comment.ts';
import type { CommentCounts } from '../../../shared/comments/comment-store.ts';
import { countOf } from '../../html/elements.ts';
import { type Html, html } from '../../html/html.ts';

/** `2 open comments, 1 waits for you`, `1 comment waits for you`; null: there are none. */
export function countText(counts: CommentCounts | undefined): string | null {
  const { open = 0, held = 0 } = counts ?? {};
  const parts = [
    open > 0 && countOf(open, 'open comment'),
    held > 0 && `${open > 0 ? held : countOf(held, 'comment')} ${held === 1 ? 'waits' : 'wait'} for you`,
  ];
  return parts.filter(Boolean).join(', ') || null;
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
