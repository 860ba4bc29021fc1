import { isSame } from '../../../shared/comments/authors.ts';
import { type Comment, commentLimits } from '../../../shared/comments/comment.ts';
import type { CommentCounts, ListedComment } from '../../../shared/comments/comment-store.ts';
import type { ThreadFilter, ThreadPages } from '../../../shared/comments/lists.ts';
import { DropError } from '../../../shared/domain/errors.ts';
import type { PageWithVersion } from '../../../shared/drops/drop.ts';
import { numberText } from '../../html/elements.ts';
import { fieldState, formError, formFaultsOf } from '../../html/forms.ts';
import { type Fragment, type Html, html, visible } from '../../html/html.ts';
import type { PageParts } from '../../html/layout.ts';
import { browserSignInPath, pagePartPath, pagePath } from '../../http/paths.ts';
import { quoted, type ThreadsView, threadList } from './threads.ts';

/** Which threads of a page are shown. */
export interface ThreadsAddress {
  readonly slug: string;
  /** The number of the version beside them. */
  readonly version: number;
  readonly filter: ThreadFilter;
  /** Only older changes than this `seq`; null: the newest. */
  readonly before: number | null;
  /** The id of the only one, with all its replies; null: a list. */
  readonly thread: string | null;
}

export function threadsPath({ slug, version, filter, before, thread }: ThreadsAddress): string {
  const path = pagePartPath(slug, 'comments', version);
  if (thread !== null) return `${path}&thread=${thread}`;
  return `${path}${filter === 'all' ? '' : `&filter=${filter}`}${before === null ? '' : `&before=${before}`}`;
}

const filterNames: Readonly<Record<ThreadFilter, string>> = {
  all: 'All',
  open: 'Open',
  mine: 'Mine',
  resolved: 'Resolved',
};

interface Parts {
  readonly page: PageWithVersion;
  readonly address: ThreadsAddress;
  /** The lists, or the only thread. */
  readonly shown: ThreadPages | Comment;
  /** Of the drop; undefined: there are none. */
  readonly counts: CommentCounts | undefined;
  readonly view: ThreadsView;
  /** The viewer shows it beside the page. */
  readonly isFramed: boolean;
}

export function commentsPage({ page, address, shown, counts, view, isFramed }: Parts): PageParts {
  const { error } = view.attempt ?? {};
  const isOne = 'id' in shown;
  const threads = isOne
    ? []
    : Object.values(shown).flatMap((part: ThreadPages['open']) => part?.threads ?? []);
  return lay(page, isFramed, {
    error,
    body: html`${formError(error && formFaultsOf(error).message)}
${view.fields === null ? suspension : newForm(threads, view)}
${filterLinks(address)}
${isOne ? oneThread(shown, view) : listsOf(shown, { address, counts, view })}`,
  });
}

function filterLinks(address: ThreadsAddress): Html {
  const links = Object.entries(filterNames).map(([key, name]) => {
    const filter = key as ThreadFilter; // proof: its keys
    const isShown = address.thread === null && filter === address.filter;
    const path = threadsPath({ ...address, filter, before: null, thread: null });
    return html`<a href="${path}"${isShown && html` aria-current="page"`}>${name}</a>`;
  });
  return html`<nav class="segments" aria-label="Which comments">${links}</nav>`;
}

function oneThread(thread: Comment, view: ThreadsView): Html {
  return html`<h2 id="open" tabindex="-1">Comment</h2>
${threadList([{ ...thread, replyCount: thread.replies.length }], view)}`;
}

function listsOf(
  { open, resolved, mine }: ThreadPages,
  { address, counts, view }: Pick<Parts, 'address' | 'counts' | 'view'>,
): Html {
  const older = (filter: ThreadFilter, next: number | null) =>
    next !== null &&
    html`\n<p><a class="button quiet small" href="${threadsPath({ ...address, filter, before: next })}">Older comments</a></p>`;
  const list = (name: string, threads: readonly ListedComment[]) =>
    threads.length === 0
      ? html`<p class="soft">There are no ${name} comments.</p>`
      : threadList(threads, view);
  const openCount = (counts?.open ?? 0) + (open === null ? 0 : heldCount(open.threads, counts, view));
  return html`${
    open &&
    html`<h2 id="open" tabindex="-1" data-open="${counts?.open ?? 0}">Open (${numberText(openCount)})</h2>
${list('open', open.threads)}${older('open', open.next)}`
  }${mine && html`<h2 id="open" tabindex="-1">Mine</h2>\n${list('such', mine.threads)}${older('mine', mine.next)}`}${resolvedPart()}`;

  function resolvedPart(): Html | false {
    if (resolved === null || (open !== null && resolved.threads.length === 0)) return false;
    const { threads, next } = resolved;
    const found = html`${list('resolved', threads)}${older('resolved', next)}`;
    if (open === null) return html`<h2 id="open" tabindex="-1">Resolved</h2>\n${found}`;
    const count = `${threads.length}${next === null ? '' : '+'}`;
    return html`<details class="more"><summary><h2>Resolved (${count})</h2></summary>${found}</details>`;
  }
}

/** The owner sees all that are held, everybody else only the own ones. */
function heldCount(
  threads: readonly Comment[],
  counts: CommentCounts | undefined,
  { reader }: ThreadsView,
): number {
  return reader.role === 'owner'
    ? (counts?.held ?? 0)
    : threads.filter(({ state }) => state === 'held').length;
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
  return threads.find(({ author }) => isSame(author, reader))?.author.name ?? '';
}

function hintFor({ role, name }: ThreadsView['reader'], action: string): Html {
  return role === 'guest'
    ? html`Others see it after the owner has approved it. ${signInLink(action, 'Sign in')} to reply to comments.`
    : html`You write as <b>${visible(name)}</b>.`;
}
