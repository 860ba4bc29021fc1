import { isSame } from '../../../shared/comments/authors.ts';
import { type Author, type Comment, commentLimits, type Reply } from '../../../shared/comments/comment.ts';
import type { ListedComment } from '../../../shared/comments/comment-store.ts';
import { soughtAnchor } from '../../../shared/comments/sides.ts';
import type { RefusedForm } from '../../dashboard/pages.ts';
import { numberText, timeAgo } from '../../html/elements.ts';
import { fieldState } from '../../html/forms.ts';
import { type Fragment, type Html, html, visible, visibleLines } from '../../html/html.ts';
import { pagePath, reportPath } from '../../http/paths.ts';

/** Who reads threads, and where. */
export interface ThreadsView {
  readonly reader: Author;
  /** The id of the version that is shown beside the threads; null: none is. */
  readonly versionId: string | null;
  /** Where the forms are sent. */
  readonly action: string;
  /** The page with all replies of a thread. */
  wholePath(id: string): string;
  /** What every form has; null: the reader can change nothing. */
  readonly fields: Html | null;
  /** A form that was refused. */
  readonly attempt?: RefusedForm | undefined;
}

export function threadList(threads: readonly ListedComment[], view: ThreadsView): Html {
  return html`<ol class="threads">${threads.map((thread) => threadItem(thread, view))}</ol>`;
}

function threadItem(thread: ListedComment, view: ThreadsView): Html {
  const { id, anchor, version, state, replies } = thread;
  const data = anchor && html` data-anchor="${JSON.stringify(soughtAnchor(anchor))}"`;
  return html`<li class="thread" id="t-${id}" tabindex="-1" data-version="${version}" data-state="${state}"${data}>
${anchor && html`<blockquote class="quote">${quoted(anchor.quote)}</blockquote>\n`}${message(thread)}
${marks(thread, view)}
${earlierReplies(thread, view)}${replies.length > 0 && html`<ul class="replies">${replies.map((reply) => html`<li id="t-${reply.id}" tabindex="-1">${message(reply, replyActs(thread, reply, view))}</li>`)}</ul>\n`}${threadActs(thread, view)}
</li>
`;
}

/** Those that the thread has and the list does not show. */
function earlierReplies({ id, replies, replyCount }: ListedComment, view: ThreadsView): Html | false {
  const earlier = replyCount - replies.length;
  return (
    earlier > 0 &&
    html`<p class="small"><a class="target" href="${view.wholePath(id)}#t-${id}">${numberText(earlier)} earlier ${earlier === 1 ? 'reply' : 'replies'}</a></p>\n`
  );
}

/** Words of the page, in one line. */
export function quoted(quote: string): Html {
  return visible(quote.replace(/\s+/g, ' '));
}

function message(
  { author: { name, role, via }, text, createdAt }: Comment | Reply,
  acts: Html | null = null,
): Html {
  return html`<h3 class="meta"><span><b>${visible(name)}</b>, ${role}${via && html`, by ${visible(via)}`}</span> ${timeAgo(createdAt)}</h3>${acts}
<div class="words">${visibleLines(text)}</div>`;
}

/** What is special about a thread. The style sheet shows the last two only if the page said so (browser/comments-panel.ts). */
function marks(
  { id, slug, anchor, version, versionId, state, resolvedBy, inLatest }: Comment,
  view: ThreadsView,
): Html {
  const mark = (text: Fragment, kind = '') => html`<span class="badge ${kind}">${text}</span>`;
  const ofVersion = html`<a class="target" href="${pagePath(slug)}?v=${version}#t-${id}" target="_top">${mark(`On version ${version}`)}</a>`;
  const heldText =
    view.reader.role === 'owner' ? 'Waits for you' : 'Only you see this until the owner approves it';
  return html`<p class="marks">${state === 'held' && mark(heldText, 'warn')}${versionId !== view.versionId && ofVersion}${
    state === 'resolved' && resolvedBy && mark(`Resolved with version ${resolvedBy.version}`, 'good')
  }${inLatest === 'gone' && mark('Not in the latest version')}${inLatest === 'changed' && mark('Changed in the latest version')}<span class="badge missing">Not in this version</span>${anchor && html`<span class="hidden-place">The page hides this place, as in a closed tab or dialog.</span>`}</p>${
    inLatest === 'changed' &&
    anchor?.changedTo &&
    html`
<p class="small">Now:</p>
<blockquote class="quote">${quoted(anchor.changedTo)}</blockquote>`
  }`;
}

/** Reply, the change of its state, and a menu with the rest. Without those the rest. */
function threadActs(thread: Comment, view: ThreadsView): Html {
  const { id, slug, version, state, author, text } = thread;
  const { reader } = view;
  const isOwner = reader.role === 'owner';
  const isOwn = isSame(author, reader);
  const mayChange = view.fields !== null;
  const mayEnd = mayChange && (isOwner || isOwn);
  const isSigned = mayChange && reader.role !== 'guest';
  const first = [
    mayChange && isOwner && state === 'held' && actButton(view, 'approve', 'Approve', thread),
    // Of a held thread, too: its guest alone sees the answer. Only the owner and that guest see the thread.
    isSigned && textForm(view, 'reply', 'Reply', thread, null, ''),
    mayEnd && state === 'open' && actButton(view, 'resolve', 'Resolve', thread),
    mayEnd && state === 'resolved' && actButton(view, 'open', 'Open again', thread),
  ];
  const others = [
    isSigned && isOwn && textForm(view, 'edit', 'Edit', thread, null, text),
    mayEnd && deletion(view, thread, null),
    !isOwn &&
      html`<a class="act" href="${reportPath(slug, version, id)}" target="_top">Report${about(thread)}</a>`,
  ];
  const rest = first.some(Boolean) ? moreActs(view, thread, null, others) : others;
  return html`<div class="acts">${first}${rest}</div>`;
}

function replyActs(thread: Comment, reply: Reply, view: ThreadsView): Html | null {
  const isOwn = isSame(reply.author, view.reader);
  if (view.fields === null) return null;
  return moreActs(view, thread, reply, [
    isOwn && textForm(view, 'edit', 'Edit', thread, reply, reply.text),
    (isOwn || view.reader.role === 'owner') && deletion(view, thread, reply),
  ]);
}

/** A menu, open if a form in it was refused. null: there is nothing in it. */
function moreActs(
  view: ThreadsView,
  thread: Comment,
  reply: Reply | null,
  acts: readonly (Html | false)[],
): Html | null {
  if (!acts.some(Boolean)) return null;
  const isOpen = isRefused(view, 'edit', thread, reply);
  return html`<details class="rest"${isOpen && html` open`}><summary><span class="visually-hidden">More${about(reply ?? thread)}</span><span aria-hidden="true">⋯</span></summary><div class="acts">${acts}</div></details>`;
}

function form(
  { action, fields }: ThreadsView,
  act: string,
  { id }: Comment,
  reply: Reply | null,
  inside: Html,
): Html {
  return html`<form method="post" action="${action}">${fields}<input type="hidden" name="act" value="${act}"><input type="hidden" name="id" value="${id}">${
    reply && html`<input type="hidden" name="reply" value="${reply.id}">`
  }${inside}</form>`;
}

/** Whether it is the form that was refused. */
function isRefused({ attempt }: ThreadsView, act: string, { id }: Comment, reply: Reply | null): boolean {
  const sent = attempt?.form;
  return sent?.get('act') === act && sent.get('id') === id && sent.get('reply') === reply?.id;
}

/** Says to screen readers whose comment a button is about. */
function about({ author }: Comment | Reply): Html {
  return html`<span class="visually-hidden"> (comment by ${visible(author.name)})</span>`;
}

function actButton(view: ThreadsView, act: string, label: string, thread: Comment): Html {
  return form(view, act, thread, null, html`<button class="act">${label}${about(thread)}</button>`);
}

function textForm(
  view: ThreadsView,
  act: 'reply' | 'edit',
  label: string,
  thread: Comment,
  reply: Reply | null,
  text: string,
): Html {
  const isSent = isRefused(view, act, thread, reply);
  const field = html`<textarea name="text" rows="3" required maxlength="${commentLimits.text}" dir="auto" aria-label="${act === 'reply' ? 'Your reply' : 'New text'}"${fieldState(isSent)}>
${isSent ? view.attempt?.form.get('text') : text}</textarea><button>${act === 'reply' ? 'Send' : 'Save'}</button>`;
  return html`<details${isSent && html` open`}><summary>${label}${about(reply ?? thread)}</summary>${form(view, act, thread, reply, field)}</details>`;
}

function deletion(view: ThreadsView, thread: Comment, reply: Reply | null): Html {
  const wholeThread = thread.replies.length > 0 ? 'this comment and its replies' : 'this comment';
  const what = reply === null ? wholeThread : 'this reply';
  const button = html`<button class="danger">Delete ${what}</button>`;
  return html`<details><summary>Delete${about(reply ?? thread)}</summary>${form(view, 'delete', thread, reply, button)}</details>`;
}
