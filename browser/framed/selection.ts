import { type Quote, QuoteFinder } from '../../shared/comments/anchor.ts';
import { currentText, forgetText } from './current-text.ts';
import { focusedElement, isElement } from './flat-tree.ts';
import type { PageText } from './page-text.ts';
import type { Box } from './visibility.ts';

/** What the viewer is told. */
interface Selected {
  readonly selection: (Quote & { readonly position: number; readonly at: Box }) | null;
  /** Something is selected, or may be, that cannot be quoted. */
  readonly isUnquotable?: true;
}

/** Longer quotes are cut: the service stores no more (shared/comments/comment.ts). */
const mostQuoted = 1_000;
/** The last line of a selection is looked for in so many characters. */
const lastCharacters = 200;
const deepestRoot = 100;
/** Between two ranges of Firefox, so many text nodes are looked at. */
const mostBetween = 1_000;

/** Beside those with a name of their own, what may have a shadow root. */
const hosts = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

const nothing: Selected = { selection: null };
const unquotable: Selected = { selection: null, isUnquotable: true };

/** What the reader has selected: the quote is that or there is none. */
export function currentSelection(): Selected {
  try {
    return readSelection();
  } catch {
    // A page can replace what this uses. What was told before is not selected any more.
    return unquotable;
  }
}

/** What is selected there is not known here. */
export function isFocusInFrame(): boolean {
  return focusedElement()?.matches('iframe,frame,object,embed,fencedframe') ?? false;
}

export function isAnythingSelected(): boolean {
  return selectedRanges().length > 0;
}

function readSelection(): Selected {
  if (isFocusInFrame()) return unquotable;
  const focused = focusedElement();
  if (isTextField(focused)) return hasSelectedText(focused) ? unquotable : nothing;
  const ranges = selectedRanges();
  if (ranges.length === 0) return nothing;
  return (ranges.some(isInClosedRoot) ? null : quote(ranges)) ?? unquotable;
}

function quote(ranges: readonly AbstractRange[]): Selected | null {
  const page = textWith(ranges);
  const place = placeOf(page, ranges);
  if (place === null) return null;
  const [start, end] = place;
  const described = new QuoteFinder(page).describe(start, Math.min(end, start + mostQuoted));
  return described && { selection: { ...described, at: lastLine(page, start, end) } };
}

/** A root that was attached since the text was read is in it, too. */
function textWith(ranges: readonly AbstractRange[]): PageText {
  const { roots } = currentText();
  const isKnown = (node: Node) => {
    const root = node.getRootNode();
    return root === document || roots.includes(root as ShadowRoot); // proof: otherwise it is in none of them
  };
  if (!ranges.every((range) => isKnown(range.startContainer) && isKnown(range.endContainer))) forgetText();
  return currentText();
}

function isTextField(element: Element | null): element is HTMLInputElement | HTMLTextAreaElement {
  if (element?.localName === 'textarea') return true;
  const isInput = element?.localName === 'input';
  return (
    isInput && /^(?:text|search|url|tel|password|email|number)$/.test((element as HTMLInputElement).type)
  ); // proof: its name
}

/** Where scripts cannot read the selection (e-mail, numbers), the focus is enough. */
function hasSelectedText({ selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement): boolean {
  return selectionStart === null || selectionStart !== selectionEnd;
}

/** Firefox has several, around what cannot be selected and with Ctrl. */
function selectedRanges(): AbstractRange[] {
  const selection = getSelection();
  if (selection === null) return [];
  const roots: ShadowRoot[] = [];
  let ranges = rangesIn(selection, roots);
  // A range in a root that is not named is told as a range around the host.
  for (let depth = 0; depth < deepestRoot; depth++) {
    const inner = ranges.flatMap(rootsAt).filter((root) => !roots.includes(root));
    if (inner.length === 0) break;
    roots.push(...inner);
    ranges = rangesIn(selection, roots);
  }
  return ranges.filter(({ collapsed }) => !collapsed);
}

function rangesIn(selection: Selection, shadowRoots: ShadowRoot[]): AbstractRange[] {
  if (selection.getComposedRanges === undefined) return olderRanges(selection, shadowRoots);
  try {
    return selection.getComposedRanges({ shadowRoots });
  } catch {
    // The first form of the method, in Safari 17.
    const compose = selection.getComposedRanges as (...roots: ShadowRoot[]) => StaticRange[]; // proof: it refused the other form
    return compose.apply(selection, shadowRoots);
  }
}

/** Without composed ranges, Chromium has a selection of each root. */
function olderRanges(selection: Selection, roots: readonly ShadowRoot[]): AbstractRange[] {
  const root = roots.at(-1) as (ShadowRoot & { getSelection?(): Selection | null }) | undefined; // proof: older Chromium has it
  const inner = root?.getSelection?.() ?? selection;
  return Array.from({ length: inner.rangeCount }, (_, index) => inner.getRangeAt(index));
}

/** The open roots of the elements that stand first and last in the range. */
function rootsAt({ startContainer, startOffset, endContainer, endOffset }: AbstractRange): ShadowRoot[] {
  const edges = [startContainer.childNodes[startOffset], endContainer.childNodes[endOffset - 1]];
  return edges.flatMap((node) => (node !== undefined && isElement(node) ? (node.shadowRoot ?? []) : []));
}

/** Whether it is told as a range up to an element because it begins or ends in the closed root of that. */
function isInClosedRoot({ startContainer, startOffset, endContainer, endOffset }: AbstractRange): boolean {
  const selection = getSelection();
  const own = selection?.rangeCount ? selection.getRangeAt(0) : null;
  const isStart = own?.startContainer === startContainer && own.startOffset === startOffset;
  const isEnd = own?.endContainer === endContainer && own.endOffset === endOffset;
  return (
    (!isStart && mayHaveClosedRoot(startContainer.childNodes[startOffset])) ||
    (!isEnd && mayHaveClosedRoot(endContainer.childNodes[endOffset - 1]))
  );
}

function mayHaveClosedRoot(node: Node | undefined): boolean {
  if (node === undefined || !isElement(node) || node.shadowRoot !== null) return false;
  // The selection itself is not told where it is in an open root.
  return node.localName.includes('-') || (node.getRootNode() === document && hosts.has(node.localName));
}

/** null: it is not in the text of the page, or not in one piece. */
function placeOf(page: PageText, ranges: readonly AbstractRange[]): [start: number, end: number] | null {
  let place: [number, number] | null = null;
  for (const { startContainer, startOffset, endContainer, endOffset } of ranges) {
    const one = page.positionOf(startContainer, startOffset);
    const other = page.positionOf(endContainer, endOffset);
    if (one === null || other === null) return null;
    // In slots, what is read first may stand last.
    const start = Math.min(one, other);
    const end = Math.max(one, other);
    if (place !== null && !isUnselectable(page, place[1], start)) return null;
    place = [place?.[0] ?? start, end];
  }
  return place !== null && place[0] < place[1] ? place : null;
}

function isUnselectable(page: PageText, start: number, end: number): boolean {
  const nodes = page.nodesOf(start, end);
  const isPassed = ({ parentElement }: Text) =>
    parentElement !== null && getComputedStyle(parentElement).userSelect === 'none';
  return nodes.length <= mostBetween && nodes.every(isPassed);
}

/** Where the selection ends. */
function lastLine(page: PageText, start: number, end: number): Box {
  const range = page.rangesOf(Math.max(start, end - lastCharacters), end).at(-1);
  const boxes = [...(range?.getClientRects() ?? [])];
  const last = boxes.findLast(({ width, height }) => width > 0 && height > 0);
  if (last === undefined) return { left: 0, top: 0, right: 0, bottom: 0 };
  const { left, top, right, bottom } = last;
  return { left, top, right, bottom };
}
