import { isSame } from '../../../shared/comments/authors.ts';
import { type Comment, commentLimits } from '../../../shared/comments/comment.ts';
import { type ThreadCounts, type ThreadFilter, threadFilters } from '../../../shared/comments/lists.ts';
import type { ThreadPage } from '../../../shared/comments/thread-pages.ts';
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
  return `${path}${filter === 'open' ? '' : `&filter=${filter}`}${before === null ? '' : `&before=${before}`}`;
}

const filterNames: Readonly<Record<ThreadFilter, string>> = {
  open: 'Open',
  mine: 'Mine',
  resolved: 'Resolved',
};

interface Parts {
  readonly page: PageWithVersion;
  readonly address: ThreadsAddress;
  /** A list, or the only thread. */
  readonly shown: ThreadPage | Comment;
  /** Of the whole page, whatever is shown of it. */
  readonly counts: ThreadCounts;
  readonly view: ThreadsView;
  /** The viewer shows it beside the page. */
  readonly isFramed: boolean;
}

export function commentsPage({ page, address, shown, counts, view, isFramed }: Parts): PageParts {
  const { error } = view.attempt ?? {};
  const isOne = 'id' in shown;
  return lay(page, isFramed, {
    error,
    body: html`${formError(error && formFaultsOf(error).message)}
${view.fields === null ? suspension : newForm(isOne ? [] : shown.threads, view)}
${filterLinks(address, counts)}
${isOne ? oneThread(shown, view) : listOf(shown, { address, view, isFramed })}${isFramed && view.fields !== null && keySetting}`,
  });
}

/** browser/comments-panel/key-setting.ts shows it. */
const keySetting = html`
<label class="choice small soft" data-key-setting hidden><input type="checkbox" autocomplete="off"><span>In the page, the key C writes a comment</span></label>`;

function filterLinks(address: ThreadsAddress, counts: ThreadCounts): Html {
  const links = threadFilters.map((filter) => {
    const isShown = address.thread === null && filter === address.filter;
    const path = threadsPath({ ...address, filter, before: null, thread: null });
    return html`<a href="${path}"${isShown && html` aria-current="page"`}>${filterNames[filter]} <span class="number">${numberText(counts[filter])}</span></a>`;
  });
  return html`<nav class="segments" aria-label="Which comments" data-open="${counts.open}">${links}</nav>`;
}

function oneThread(thread: Comment, view: ThreadsView): Html {
  return html`<h2 id="list" class="visually-hidden" tabindex="-1">Comment</h2>
${threadList([{ ...thread, replyCount: thread.replies.length }], view)}`;
}

function listOf(
  { threads, next }: ThreadPage,
  { address, view, isFramed }: Pick<Parts, 'address' | 'view' | 'isFramed'>,
): Html {
  const older =
    next !== null &&
    html`\n<p><a class="button quiet" href="${threadsPath({ ...address, before: next })}">Older comments</a></p>`;
  return html`<h2 id="list" class="visually-hidden" tabindex="-1">${filterNames[address.filter]} comments</h2>
${threads.length === 0 ? emptyList(address.filter, view, isFramed) : threadList(threads, view)}${older}`;
}

/** Where nobody has written anything yet it says how to. */
function emptyList(filter: ThreadFilter, { fields }: ThreadsView, isFramed: boolean): Html {
  const whole = isFramed
    ? 'Select text in the page and press Comment, or write above about the whole page.'
    : 'There are no open comments. Write one above.';
  const texts: Readonly<Record<ThreadFilter, string>> = {
    open: fields === null ? 'There are no open comments.' : whole,
    mine: 'You have written no comments on this page.',
    resolved: 'No comments on this page are resolved.',
  };
  return html`<p class="soft">${texts[filter]}</p>`;
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
  const back = html`<p class="small"><a class="target" href="${pagePath(slug)}?v=${version.number}">Back to the page</a></p>\n`;
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
  const hidden = ['quote', 'prefix', 'suffix', 'position', 'standing'].map(
    (name) => html`<input type="hidden" name="${name}" value="${sent(name)}">`,
  );
  const isWrong = (name: string) => form !== undefined && (field === 'name') === (name === 'name');
  const name: Fragment =
    reader.role === 'guest' &&
    html`<label for="name">Your name</label>
<input id="name" name="name" required maxlength="${commentLimits.name}" autocomplete="nickname" dir="auto" value="${sent('name') || nameOf(threads, reader)}"${fieldState(isWrong('name'))}>
`;
  return html`<form class="new-comment" method="post" action="${action}" autocomplete="off">${fields}<input type="hidden" name="act" value="add">${hidden}
${aboutPart(sent('quote'))}
${name}<label for="text">New comment</label>
<textarea id="text" name="text" rows="3" required maxlength="${commentLimits.text}" dir="auto"${fieldState(isWrong('text'), 'text-hint about')}>
${sent('text')}</textarea>
<p class="hint" id="text-hint">${hintFor(reader, action)}</p>
<button>Send</button>
</form>`;
}

/** What the comment is about. browser/comments-panel/composer.ts writes it; the button needs that script, too. */
function aboutPart(quote: string): Html {
  return html`<div class="about"${quote === '' && html` hidden`}><blockquote class="quote" id="about" dir="auto">${quoted(quote)}</blockquote><button type="button" class="act" data-unquote hidden>Comment on the whole page</button></div>
<p class="notice warn" data-unquotable hidden>What is selected cannot be quoted, because it is in a text field, in a frame of the page or in a closed part of it. The comment is about the whole page.</p>`;
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
