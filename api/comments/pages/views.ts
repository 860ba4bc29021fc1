import { isSame } from '../../../shared/comments/authors.ts';
import { type Comment, commentLimits } from '../../../shared/comments/comment.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import type { PageWithVersion } from '../../../shared/drops/drop.ts';
import { faultsOf, fieldState, formError } from '../../html/forms.ts';
import { type Fragment, type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { browserSignInPath, pagePath } from '../../http/paths.ts';
import { quoted, type ThreadsView, threadList } from './threads.ts';

/** @param isFramed the viewer shows it beside the page */
export function commentsPage(parts: {
  readonly page: PageWithVersion;
  readonly threads: readonly Comment[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
  readonly view: ThreadsView;
  readonly isFramed: boolean;
}): PageParts {
  const { page, threads, hasMore, view, isFramed } = parts;
  const { error } = view.attempt ?? {};
  const resolved = threads.filter(({ state }) => state === 'resolved').toReversed();
  const open = inOrder(
    threads.filter(({ state }) => state !== 'resolved'),
    page.version.id,
  );
  return lay(page, isFramed, {
    error,
    body: html`${formError(error && faultsOf(error).message)}
${view.fields === null ? suspension : newForm(threads, view)}
<h2 id="open" tabindex="-1">Open (${open.length})</h2>
${open.length === 0 ? html`<p class="soft">There are no open comments.</p>` : threadList(open, view)}
${resolved.length > 0 && html`<details class="more"><summary><h2>Resolved (${resolved.length})</h2></summary>${threadList(resolved, view)}</details>`}${hasMore && html`\n<p class="soft">Older comments are not shown here.</p>`}`,
  });
}

/** For a person who may neither read nor write comments. */
export function refusalPage(parts: {
  readonly page: PageWithVersion;
  readonly action: string;
  readonly isSignedIn: boolean;
  readonly isFramed: boolean;
}): PageParts {
  const { page, action, isSignedIn, isFramed } = parts;
  const who = page.comments === 'owner' ? 'Only the owner of this page' : 'Only people who are signed in';
  const error = new DropError('forbidden', `${who} can read and write comments on it.`);
  const body = html`<p>${error.message}</p>\n${!isSignedIn && html`<p>${signInLink(action)}</p>`}`;
  return lay(page, isFramed, { error, body });
}

function lay(
  { slug, title, version }: PageWithVersion,
  isFramed: boolean,
  { body, error }: Pick<PageParts, 'body' | 'error'>,
): PageParts {
  const back = html`<p class="small"><a href="${pagePath(slug)}?v=${version.number}">Back to the page</a></p>\n`;
  return {
    title: `Comments on ${title}`,
    error,
    styles: ['comments'],
    scripts: ['shared', 'comments'],
    policy: { 'frame-ancestors': "'self'", 'connect-src': "'self'" },
    body: html`<main class="comments">
${!isFramed && html`${back}<p class="soft" dir="auto">${title}</p>\n`}<h1>Comments</h1>
${body}
</main>`,
  };
}

const suspension = html`<p class="notice bad">The operators suspended this account. You can read comments, but you cannot write any.</p>`;

function signInLink(path: string, text = 'Sign in'): Html {
  return html`<a href="${browserSignInPath(path)}" target="_top">${text}</a>`;
}

/** By their place in the version that is shown; those that have none there by time. */
function inOrder(threads: readonly Comment[], versionId: string): Comment[] {
  const placeOf = (comment: Comment) =>
    comment.versionId === versionId ? (comment.anchor?.position ?? Number.MAX_VALUE) : Number.MAX_VALUE;
  return threads.toSorted((a, b) => placeOf(a) - placeOf(b) || a.createdAt - b.createdAt);
}

function newForm(threads: readonly Comment[], { action, fields, reader, attempt }: ThreadsView): Html {
  const { form: tried, error } = attempt ?? {};
  // A reply to a comment that was deleted meanwhile can become a comment.
  const isHere = tried?.get('act') === 'add' || (tried?.has('text') && error?.code === 'not_found');
  const form = isHere ? tried : undefined;
  const field = error?.details?.field;
  const sent = (name: string) => form?.get(name) ?? '';
  const hidden = ['quote', 'prefix', 'suffix', 'position'].map(
    (name) => html`<input type="hidden" name="${name}" value="${sent(name)}">`,
  );
  const quote = sent('quote');
  const isWrong = (name: string) => form !== undefined && (field === 'name') === (name === 'name');
  const name: Fragment =
    reader.role === 'guest' &&
    html`<label for="name">Your name</label>
<input id="name" name="name" required maxlength="${commentLimits.name}" autocomplete="nickname" dir="auto" value="${sent('name') || nameOf(threads, reader)}"${fieldState(isWrong('name'))}>
`;
  return html`<form class="new-comment" method="post" action="${action}" autocomplete="off">${fields}<input type="hidden" name="act" value="add">${hidden}
<blockquote class="quote"${quote === '' && html` hidden`}>${quoted(quote)}</blockquote>
${name}<label for="text">New comment</label>
<textarea id="text" name="text" rows="3" required maxlength="${commentLimits.text}" dir="auto"${fieldState(isWrong('text'), 'text-hint')}>
${sent('text')}</textarea>
<p class="hint" id="text-hint">${hintFor(reader, action)}</p>
<button>Send</button>
</form>`;
}

/** What the guest typed last. */
function nameOf(threads: readonly Comment[], reader: ThreadsView['reader']): string {
  return threads.findLast(({ author }) => isSame(author, reader))?.author.name ?? '';
}

function hintFor({ role, name }: ThreadsView['reader'], action: string): Html {
  return role === 'guest'
    ? html`Others see it after the owner has approved it. ${signInLink(action, 'Sign in')} to reply to comments.`
    : html`You write as <b>${visible(name)}</b>.`;
}
