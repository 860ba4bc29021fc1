// In the page, before everything else in it, for the viewer: reports what the reader selects, finds the quotes of comments and paints
// them. The page's own scripts can read and forge all of this, so it gets quotes and numbers, and never what people wrote, their names
// or tokens. A fault in it would be a fault of every page: it fails without a trace, and does nothing until the viewer asks.
import { whenTextChanges } from './framed/current-text.ts';
import { askForKey, takeKey } from './framed/key.ts';
import { watchKeys } from './framed/keys.ts';
import { noteLoad } from './framed/load.ts';
import { type Painted, Places } from './framed/places.ts';
import { quiet } from './framed/quiet.ts';
import { currentSelection, isAnythingSelected, isFocusInFrame } from './framed/selection.ts';
import { provideStorage } from './framed/storage.ts';
import { showTargetOnceSeen } from './framed/target.ts';

const settleMs = 200;

let port: MessagePort | null = null;
let hasBegun = false;
let settling: number | undefined;
/** What the reader does with the mouse: holds its button, and by that selects. */
let mouse: 'free' | 'held' | 'selects' = 'free';
const places = new Places((message) => port?.postMessage(message));

quiet(start)();

function start(): void {
  const script = document.currentScript;
  script?.remove(); // the page finds its head as it was
  const viewer = script?.dataset.viewer;
  if (parent === self || viewer === undefined) return;
  const { key: ownKey, isInViewer, isLoop } = noteLoad();
  // In the fragment it is where another site was in the frame when the viewer answered. That site may have named the frame.
  const key = takeKey(history.state) ?? ownKey;
  if (!isLoop) provideStorage();
  showTargetOnceSeen();
  if (key !== null) openChannel(viewer, key);
  else if (isInViewer) askForKey(viewer, (later) => openChannel(viewer, later));
  watchKeys({ isAsked: () => hasBegun, write });
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
  if (paint !== undefined) places.paint(paint);
  if (show !== undefined) places.show(show);
}

/** The viewer has asked: somebody may comment. */
function begin(): void {
  if (hasBegun) return;
  hasBegun = true;
  // Firefox does not say that what is selected in a field of numbers has changed.
  for (const type of ['selectionchange', 'focusin']) document.addEventListener(type, quiet(reportChange));
  const capture = true; // a page may stop these events
  addEventListener('pointerdown', quiet(hold), { capture });
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, quiet(release), { capture });
  addEventListener('blur', quiet(reportAtBlur));
  document.addEventListener('click', quiet(reportPress));
  whenTextChanges(() => places.pageChanged());
  reportSelection();
}

function write(): void {
  reportSelection();
  port?.postMessage({ write: true });
}

function hold({ pointerType }: PointerEvent): void {
  mouse = pointerType === 'touch' ? 'free' : 'held';
}

function release(): void {
  if (mouse === 'selects') reportSoon();
  mouse = 'free';
}

function reportChange(): void {
  if (mouse === 'free') reportSoon();
  else if (mouse === 'held') hideUntilReleased();
}

/** The viewer shows a button at what is selected, which would stand in the way of a mouse that selects more. */
function hideUntilReleased(): void {
  clearTimeout(settling);
  mouse = 'selects';
  port?.postMessage({ selection: null });
}

function reportSoon(): void {
  clearTimeout(settling);
  settling = setTimeout(quiet(reportSelection), settleMs);
}

function reportSelection(): void {
  clearTimeout(settling);
  settling = undefined;
  port?.postMessage(currentSelection());
}

function reportAtBlur(): void {
  // The reader goes to the button. Firefox has taken the focus from a field by now: what the viewer has heard of that is still so.
  if (settling !== undefined || mouse === 'selects') reportSelection();
  mouse = 'free'; // it may be released outside of the window
  const reportFrame = () => {
    if (isFocusInFrame()) reportSelection();
  };
  setTimeout(quiet(reportFrame)); // or into a frame of the page, which Firefox knows after this
}

function reportPress({ clientX, clientY }: MouseEvent): void {
  if (isAnythingSelected()) return;
  const pressed = places.at(clientX, clientY);
  if (pressed !== null) port?.postMessage({ pressed });
}
