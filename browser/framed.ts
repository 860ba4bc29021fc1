// In the page, for the viewer: reports what the reader selects, finds the quotes of comments and paints them. The page's own scripts
// can read and forge all of this, so it gets quotes and numbers, and never what people wrote, their names or tokens.
import { wantsComment } from './framed/keys.ts';
import { currentText, forgetText } from './framed/page-text.ts';
import { type Painted, Places } from './framed/places.ts';
import { selectedQuote } from './framed/selection.ts';

const settleMs = 200;

let port: MessagePort | null = null;
const timers = new Map<() => void, number>();
const places = new Places();

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
  forgetText();
  if (places.mayBeElsewhere()) whenSettled(searchAgain);
}).observe(document, { childList: true, characterData: true, subtree: true });
// The key is in the address of this document alone: a site to which a link in the page led does not know it.
if (parent !== self)
  parent.postMessage({ dropleaf: 'ready', key: new URLSearchParams(location.search).get('key') }, '*');

/** The viewer alone has the other end of the channel. */
function receive({ paint, show }: { paint?: readonly Painted[]; show?: number }): void {
  if (paint !== undefined) {
    places.paint(paint);
    search();
  }
  if (show !== undefined) places.show(show);
}

function whenSettled(run: () => void): void {
  clearTimeout(timers.get(run));
  timers.set(run, setTimeout(run, settleMs));
}

function searchAgain(): void {
  places.countSearch();
  search();
}

function search(): void {
  if (document.readyState === 'loading') {
    whenSettled(search);
    return;
  }
  port?.postMessage({ found: places.search(currentText()) });
}

function reportSelection(): void {
  port?.postMessage({ selection: selectedQuote(currentText()) });
}

function reportKey(event: KeyboardEvent): void {
  if (!wantsComment(event)) return;
  event.preventDefault(); // or the letter is typed into the form that gets the focus
  reportSelection();
  port?.postMessage({ write: true });
}

function reportPress({ clientX, clientY }: MouseEvent): void {
  if (!(getSelection()?.isCollapsed ?? true)) return;
  const pressed = places.at(clientX, clientY);
  if (pressed !== null) port?.postMessage({ pressed });
}
