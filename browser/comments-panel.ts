// What the button Comments of the viewer does: the page of comments beside the page, and what both say to each other. The form is
// ours, in a frame that the page cannot reach; nothing that people wrote goes to the page.
import { openChannel } from './comments-panel/channel.ts';
import {
  nothingSelected,
  offerWholePage,
  type Selected,
  showSelected,
  textAreaOf,
} from './comments-panel/composer.ts';
import { isKeyOn, offerKeySetting } from './comments-panel/key-setting.ts';
import type { SelectedQuote } from './comments-panel/messages.ts';
import { mayMeanComment } from './framed/keys.ts';
import { announce } from './shared/announce.ts';
import { find } from './shared/find.ts';
import { formEvents } from './shared/form-events.ts';
import { make } from './shared/make.ts';
import { namesThread, type ViewerFrame } from './viewer/address.ts';
import { answersAt, showAnswers, takeAnswers } from './viewer/answers.ts';
import { CommentButton } from './viewer/comment-button.ts';

const button = find('[data-comments]');
const main = find('main');
const frame = find<ViewerFrame>('main > iframe');
const path = button.dataset.comments ?? '';
const shownVersion = new URL(path, location.href).searchParams.get('v');

/** The frame with the page of comments; null: closed. */
let panel: HTMLIFrameElement | null = null;
/** A comment that was begun when the panel was closed. */
let draft = '';
let openedFrom: Element | null = null;
/** What the next comment is about. */
let selected = nothingSelected;
/** What the button at the selection would make of it. */
let offered = nothingSelected;
/** The threads whose quotes the page has got; their numbers there are their places here. */
let threads: readonly HTMLElement[] = [];
/** The one whose place the page was last asked to show. */
let shownThread: HTMLElement | undefined;
/** The id of the thread behind the one that a form was sent about. */
let nextThread = '';
let isSent = false;
/** Whether the page has said what is selected since it loaded. */
let hasHeard = false;
/** The panel has no page yet. A press beside what is selected may take the selection away. */
let isOpening = false;

/** Also if the reader is in another window, which the page may have opened. */
const isInPanelOrAway = () => !document.hasFocus() || panel?.contentDocument?.hasFocus();
/** Chromium says of a frame that had the focus that it still has it. */
const isInPage = () => document.activeElement instanceof HTMLIFrameElement && !isInPanelOrAway();
const send = openChannel(frame, {
  ready() {
    hasHeard = false;
    atSelection.hide();
    paint();
  },
  // While the reader writes, a page cannot change what the comment is about. A press on Comments may come before what was selected.
  selection(quote, at, isUnquotable) {
    const isFirst = !hasHeard;
    hasHeard = true;
    if (isInPanelOrAway()) return isFirst ? takeLate({ quote, isUnquotable }) : undefined;
    if (isOpening && quote === null && !isUnquotable) return;
    offered = { quote, isUnquotable };
    atSelection.show(at);
    if (quote !== null || !textArea()?.value) select(offered);
  },
  found: markFound,
  shown: markShown,
  flooded() {
    atSelection.hide();
    const text = 'This page was stopped: it sent too many messages.';
    frame.replaceWith(make('p', { className: 'failure' }, text));
  },
  // Nor does it take the focus from where the reader is.
  pressed: (id) => whenInPage(() => threads[id]?.focus()),
  write: () => {
    if (isKeyOn()) whenInPage(write);
  },
});

const atSelection = new CommentButton(main, frame, () => {
  select(offered);
  write();
});

frame.addEventListener('load', () => atSelection.hide()); // another page, or another site, which says nothing

button.addEventListener('click', () => {
  const isNew = selected.quote === null && takeAnswers(button);
  if (panel !== null) close();
  else if (isNew) open(answersAt);
  else write();
});
document.addEventListener('keydown', (event) => {
  const isMenuOpen = document.querySelector(':popover-open') !== null;
  if (event.key === 'Escape' && !isMenuOpen) close();
  const { activeElement } = document;
  // A key that comes here although the frame has the focus is meant for nothing here.
  const focused = activeElement === frame ? null : activeElement;
  if (isMenuOpen || !mayMeanComment(event, focused) || !isKeyOn()) return;
  event.preventDefault();
  write();
});
addEventListener('hashchange', openLinked);
openLinked();

/** A page that was busy says only after the press on Comments what was selected before it. */
function takeLate(late: Selected): void {
  if (late.quote !== null && selected.quote === null && !textArea()?.value) select(late);
}

/** A message of the page can be here before the browser says that the page has the focus. */
function whenInPage(act: () => void, tries = 10): void {
  if (isInPage()) act();
  else if (tries > 0) setTimeout(() => whenInPage(act, tries - 1), 50);
}

/** A thread that the address names. */
function openLinked(): void {
  if (!namesThread(location.hash)) return;
  if (panel === null) open(location.hash);
  else panel.contentDocument?.getElementById(location.hash.slice(1))?.focus();
}

/** Opens the panel with the focus where a comment is written. */
function write(): void {
  atSelection.hide();
  if (document.fullscreenElement !== null) void document.exitFullscreen(); // the panel would be behind it
  if (panel === null) open('');
  else textArea()?.focus();
}

/** @param at what follows the address of the comments */
function open(at: string): void {
  isOpening = true;
  takeAnswers(button);
  openedFrom = document.activeElement;
  const opened = make('iframe', { className: 'comments-panel', title: 'Comments', src: path + at });
  opened.addEventListener('load', () => prepare(opened));
  main.after(opened);
  panel = opened;
  document.body.classList.add('with-comments');
  button.ariaExpanded = 'true';
}

function close(): void {
  if (panel === null) return;
  isOpening = false;
  draft = textArea()?.value ?? '';
  panel.remove();
  panel = null;
  document.body.classList.remove('with-comments');
  button.ariaExpanded = 'false';
  const returnTo = openedFrom instanceof HTMLElement && openedFrom !== document.body ? openedFrom : button;
  setTimeout(() => returnTo.focus()); // Firefox takes the focus from the removed frame only after this
  paint();
}

/** Each page that the panel shows: after an act it is a new one. */
function prepare({ contentDocument: page, contentWindow }: HTMLIFrameElement): void {
  isOpening = false;
  if (page === null || contentWindow === null) return; // the browser's own error page
  const isRefused = page.querySelector('[role=alert]') !== null;
  if (isSent && !isRefused) {
    announce('Comment sent');
    selected = nothingSelected;
  }
  isSent = false;
  fillForm(page);
  offerKeySetting(page);
  const text = textArea();
  if (text?.value === '') text.value = draft;
  draft = '';
  for (const type of ['click', 'focusin']) page.addEventListener(type, ({ target }) => show(target));
  page.addEventListener('click', ({ target }) => {
    const isWholePage = (target as Element).closest('[data-unquote]') !== null; // proof: clicks are on elements
    if (!isWholePage) return;
    select(nothingSelected);
    textArea()?.focus();
  });
  page.addEventListener('keydown', ({ key: pressed }) => {
    if (pressed === 'Escape') close();
  });
  page.addEventListener(formEvents.sent, ({ target }) => {
    const form = target as HTMLFormElement; // proof: it is sent
    isSent = form.matches('.new-comment');
    nextThread = form.closest('.thread')?.nextElementSibling?.id ?? '';
  });
  page.addEventListener(formEvents.refused, () => {
    fillForm(page);
    paint();
  });
  // browser/comments.ts shows other ones
  page.addEventListener('comments', () => {
    offerKeySetting(page);
    paint();
  });
  paint();
  const { hash, search } = contentWindow.location;
  const id = hash === '#list' ? nextThread : hash.slice(1);
  const named = page.getElementById(id)?.closest<HTMLElement>('.thread');
  // A link to a thread that the list does not have leads to that thread alone.
  const isElsewhere = !named && !isRefused && hash.startsWith('#t-') && !search.includes('thread=');
  if (isElsewhere) contentWindow.location.replace(`${path}&thread=${hash.slice(3)}${hash}`);
  if (isElsewhere) return;
  if (named) named.focus();
  else if (id === '' && (search + hash).endsWith(answersAt)) showAnswers(page);
  else if (!isRefused) (isForReading() ? contentWindow : text)?.focus();
}

/** The form of a page that was just made. One that was refused has a quote already. */
function fillForm(page: Document): void {
  offerWholePage(page);
  if (selected.quote !== null || selected.isUnquotable) select(selected);
}

/** On a touch screen the keyboard would cover the list; a reader who has selected something wants to write. */
function isForReading(): boolean {
  return selected.quote === null && matchMedia('(pointer: coarse)').matches;
}

function paint(): void {
  const page = panel?.contentDocument;
  threads = page
    ? [...page.querySelectorAll<HTMLElement>('.thread[data-anchor]:not([data-state=resolved])')]
    : [];
  const anchors = threads.map(({ dataset: { anchor = '', version } }, id) => {
    const quote = JSON.parse(anchor) as SelectedQuote; // proof: the service wrote it
    return { ...quote, id, position: version === shownVersion ? quote.position : null };
  });
  send({ paint: anchors });
  const open = page?.querySelector<HTMLElement>('[data-open]')?.dataset.open;
  if (open !== undefined) button.querySelector('.count')?.replaceChildren(open === '0' ? '' : open);
}

function markFound(ids: readonly number[]): void {
  for (const [id, { dataset }] of threads.entries()) dataset.found = ids.includes(id) ? 'here' : 'missing';
}

/** Shows the quote of the thread with that element in the page. */
function show(target: EventTarget | null): void {
  const id = threads.findIndex((thread) => thread.contains(target as Node | null)); // proof: events of a document have nodes
  if (id < 0) return;
  shownThread = threads[id];
  send({ show: id });
}

/** The style sheet shows the sentence. A page says it of no thread that the reader has not pressed. */
function markShown(id: number, isHidden: boolean): void {
  const thread = threads[id];
  if (thread === undefined || thread !== shownThread) return;
  const isNew = isHidden && thread.dataset.place === undefined;
  if (isHidden) thread.dataset.place = 'hidden';
  else delete thread.dataset.place;
  if (isNew) announce(thread.querySelector('.hidden-place')?.textContent ?? '');
}

function textArea(): HTMLTextAreaElement | null {
  return textAreaOf(panel?.contentDocument);
}

function select(now: Selected): void {
  selected = now;
  showSelected(panel?.contentDocument, now);
}
