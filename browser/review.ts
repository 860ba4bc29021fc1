// In the page, for the viewer: reports what the reader selects, finds the quotes of comments and paints them. The page's own scripts
// can read and forge all of this, so it gets quotes and numbers, and never what people wrote, their names or tokens.
import { describe, findQuote, type Quote } from './review/anchor.ts';
import { PageText } from './review/page-text.ts';

/** A place to paint. `position`: null in another version than the quote's. */
interface Painted extends Quote {
  readonly id: number;
  readonly position: number | null;
}

const settleMs = 200;
/** Searches again because the page has changed; a page that changes for ever is not searched for ever. */
let searchesLeft = 20;

let port: MessagePort | null = null;
/** null: the page has changed since. */
let pageText: PageText | null = null;
let painted: readonly Painted[] = [];
let found = new Map<number, Range>();
const timers = new Map<() => void, number>();

document.currentScript?.remove(); // the page finds its head as it was
addEventListener(
  'message',
  (event) => {
    if (event.source !== parent || event.data?.dropleaf !== 'port') return;
    event.stopImmediatePropagation();
    port = event.ports[0] ?? null;
    if (port !== null) port.onmessage = ({ data }) => receive(data);
  },
  true,
);
document.addEventListener('selectionchange', () => whenSettled(reportSelection));
addEventListener('blur', () => reportSelection()); // the reader goes to the button
document.addEventListener('keydown', reportKey);
document.addEventListener('click', reportPress);
new MutationObserver(() => {
  pageText = null;
  if (painted.length > 0 && searchesLeft > 0) whenSettled(searchAgain);
}).observe(document, { childList: true, characterData: true, subtree: true });
// The key is in the address of this document alone: a site to which a link in the page led does not know it.
if (parent !== self)
  parent.postMessage({ dropleaf: 'ready', key: new URLSearchParams(location.search).get('key') }, '*');

/** The viewer alone has the other end of the channel. */
function receive({ paint, show }: { paint?: readonly Painted[]; show?: number }): void {
  if (paint !== undefined) {
    painted = paint;
    found = new Map();
    search();
  }
  if (show !== undefined) showPlace(found.get(show));
}

function whenSettled(run: () => void): void {
  clearTimeout(timers.get(run));
  timers.set(run, setTimeout(run, settleMs));
}

function currentText(): PageText {
  pageText ??= new PageText();
  return pageText;
}

function searchAgain(): void {
  searchesLeft -= 1;
  search();
}

function search(): void {
  if (document.readyState === 'loading') {
    whenSettled(search);
    return;
  }
  const page = currentText();
  for (const { id, position, ...quote } of painted) {
    if (found.get(id)?.collapsed === false) continue;
    found.delete(id);
    const place = findQuote(page, quote, position);
    if (place !== null) found.set(id, page.rangeOf(...place));
  }
  paint('dropleaf-comments', [...found.values()]);
  port?.postMessage({ found: [...found.keys()] });
}

function reportSelection(): void {
  const selection = getSelection();
  const range = selection === null || selection.rangeCount === 0 ? null : selection.getRangeAt(0);
  const page = currentText();
  const [start, end] =
    range === null || range.collapsed
      ? [0, 0]
      : [
          page.positionOf(range.startContainer, range.startOffset),
          page.positionOf(range.endContainer, range.endOffset),
        ];
  port?.postMessage({ selection: start < end ? describe(page, start, end) : null });
}

function reportKey(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (key !== 'c' || ctrlKey || metaKey || altKey || event.defaultPrevented) return;
  if (target instanceof Element && target.closest('input,textarea,select,[contenteditable]')) return;
  event.preventDefault(); // or the letter is typed into the form that gets the focus
  reportSelection();
  port?.postMessage({ write: true });
}

function reportPress({ clientX, clientY }: MouseEvent): void {
  if (!(getSelection()?.isCollapsed ?? true)) return;
  const isInside = ({ left, right, top, bottom }: DOMRect) =>
    left <= clientX && clientX <= right && top <= clientY && clientY <= bottom;
  const pressed = [...found].find(([, range]) => [...range.getClientRects()].some(isInside));
  if (pressed !== undefined) port?.postMessage({ pressed: pressed[0] });
}

function showPlace(range: Range | undefined): void {
  paint('dropleaf-shown', range === undefined ? [] : [range]);
  const element = range?.startContainer.parentElement;
  if (range === undefined || element == null) return;
  for (let at = element.closest('details'); at !== null; at = at.parentElement?.closest('details') ?? null)
    at.open = true;
  const isSeen = ({ top, bottom }: DOMRect) => top >= 0 && bottom <= innerHeight;
  if (isSeen(range.getBoundingClientRect())) return;
  element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  scrollBy(0, range.getBoundingClientRect().top - innerHeight / 3);
}

/** Browsers without highlights paint nothing. */
function paint(name: string, ranges: readonly Range[]): void {
  if (CSS.highlights === undefined) return;
  if (CSS.highlights.size === 0) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      '::highlight(dropleaf-comments){background:#ffd54f73}::highlight(dropleaf-shown){background:#ffb300;color:#000}',
    );
    document.adoptedStyleSheets.push(sheet);
  }
  CSS.highlights.set(name, new Highlight(...ranges));
}
