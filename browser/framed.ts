// In the page, before everything else in it, for the viewer: reports what the reader selects, finds the quotes of comments and paints
// them. The page's own scripts can read and forge all of this, so it gets quotes and numbers, and never what people wrote, their names
// or tokens. A fault in it would be a fault of every page: it fails without a trace, and does nothing until the viewer asks.
import { askForKey } from './framed/key.ts';
import { wantsComment } from './framed/keys.ts';
import { noteLoad } from './framed/load.ts';
import { currentText, forgetText } from './framed/page-text.ts';
import { type Painted, Places } from './framed/places.ts';
import { quiet } from './framed/quiet.ts';
import { selectedQuote } from './framed/selection.ts';
import { provideStorage } from './framed/storage.ts';
import { showTargetOnceSeen } from './framed/target.ts';

const settleMs = 200;

let port: MessagePort | null = null;
let hasBegun = false;
const timers = new Map<() => void, number>();
const places = new Places();

quiet(start)();

function start(): void {
  const script = document.currentScript;
  script?.remove(); // the page finds its head as it was
  const viewer = script?.dataset.viewer;
  if (parent === self || viewer === undefined) return;
  const { key, isInViewer, isLoop } = noteLoad();
  if (!isLoop) provideStorage();
  showTargetOnceSeen();
  if (key !== null) openChannel(viewer, key);
  else if (isInViewer) askForKey(viewer, (later) => openChannel(viewer, later));
}

/** To the viewer alone: another site in which this page is framed has another origin. */
function openChannel(viewer: string, key: string): void {
  const { port1, port2 } = new MessageChannel();
  port?.close();
  port = port1;
  port.onmessage = quiet(({ data }: MessageEvent) => receive(data));
  parent.postMessage({ dropleaf: 'ready', key }, viewer, [port2]);
}

/** The viewer alone has the other end of the channel. */
function receive({ paint, show }: { paint?: readonly Painted[]; show?: number }): void {
  begin();
  if (paint !== undefined) {
    places.paint(paint);
    search();
  }
  if (show !== undefined) places.show(show);
}

/** The viewer has asked: somebody may comment. */
function begin(): void {
  if (hasBegun) return;
  hasBegun = true;
  document.addEventListener(
    'selectionchange',
    quiet(() => whenSettled(reportSelection)),
  );
  addEventListener('blur', quiet(reportSelection)); // the reader goes to the button
  document.addEventListener('keydown', quiet(reportKey));
  document.addEventListener('click', quiet(reportPress));
  new MutationObserver(
    quiet(() => {
      forgetText();
      if (places.mayBeElsewhere()) whenSettled(searchAgain);
    }),
  ).observe(document, { childList: true, characterData: true, subtree: true });
  reportSelection();
}

function whenSettled(run: () => void): void {
  clearTimeout(timers.get(run));
  timers.set(run, setTimeout(quiet(run), settleMs));
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
