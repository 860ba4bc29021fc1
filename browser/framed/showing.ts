import { flatAncestors } from './flat-tree.ts';
import { quiet } from './quiet.ts';
import {
  type Box,
  clipsAround,
  firstLine,
  isReadable,
  type Line,
  startOf,
  viewOf,
  windowScroller,
} from './visibility.ts';

/** Where the line is to stand in each scroller, from 0 to 1; null: where it is, or at a third if that is outside. */
type Aim = readonly [x: number | null, y: number | null];

/** Somewhere between headers, footers and sidebars that stay where they are. */
const aims: readonly Aim[] = [
  [null, null],
  [null, 1 / 3],
  [null, 1 / 2],
  [null, 2 / 3],
  [null, 5 / 6],
  [null, 1 / 6],
  [1 / 2, 1 / 2],
  [5 / 6, 1 / 2],
  [1 / 6, 1 / 2],
];
/** What the page does when it is scrolled or opened, such as drawing and fading in, has so long. */
const stepMs = 100;
const mostSteps = 10;

/**
 * Scrolls every scroller around the place, both ways, and opens what the browser opens for a search, until the first line can be read.
 * @param tell is called once, with true if it cannot @returns stops it, and it tells nothing
 */
export function showPlace(ranges: readonly Range[], tell: (isHidden: boolean) => void): () => void {
  const moved = new Map<Element, readonly [left: number, top: number]>();
  let timer: number | undefined;
  let steps = 0;
  let wasReadable = false;

  const step = () => {
    steps += 1;
    const canBeRead = bring(ranges, moved);
    const isLast = steps === mostSteps;
    if (!isLast && !(canBeRead && wasReadable)) {
      wasReadable = canBeRead;
      timer = setTimeout(quiet(step), stepMs);
      return;
    }
    if (!canBeRead) putBack(moved);
    tell(!canBeRead);
  };

  const [first] = ranges;
  if (first !== undefined) open(first.startContainer);
  step();
  return () => clearTimeout(timer);
}

/** @returns whether the line can be read */
function bring(ranges: readonly Range[], moved: Map<Element, readonly [number, number]>): boolean {
  const canBeRead = () => {
    const line = firstLine(ranges);
    return line !== null && isReadable(line);
  };
  for (const aim of aims) {
    scroll(ranges, aim, moved);
    if (canBeRead()) return true;
  }
  scroll(ranges, [null, 1 / 3], moved);
  return false;
}

function scroll(ranges: readonly Range[], [x, y]: Aim, moved: Map<Element, readonly [number, number]>): void {
  const line = firstLine(ranges);
  if (line === null) return;
  for (const scroller of [...clipsAround(line), windowScroller()]) {
    const now = firstLine(ranges);
    if (now === null) return;
    const { box, scale } = viewOf(scroller);
    const part = partIn(now, box);
    const left = wayTo(part.left, part.right, box.left, box.right, x) / scale[0];
    const top = wayTo(part.top, part.bottom, box.top, box.bottom, y) / scale[1];
    if (left === 0 && top === 0) continue;
    if (!moved.has(scroller)) moved.set(scroller, [scroller.scrollLeft, scroller.scrollTop]);
    const way: ScrollToOptions = { left, top, behavior: 'instant' };
    if (scroller === windowScroller())
      scrollBy(way); // without a doctype, no element may do it
    else scroller.scrollBy(way);
  }
}

/** The line, or where it begins if it is wider than the box. */
function partIn(line: Line, { left, right }: Box): Box {
  const room = right - left;
  return line.box.right - line.box.left > room ? startOf(line, room / 2) : line.box;
}

/** How far to scroll so that what is from `start` to `end` stands there between `low` and `high`. */
function wayTo(start: number, end: number, low: number, high: number, aim: number | null): number {
  const isInside = start >= low && end <= high;
  if (aim === null && isInside) return 0;
  return start - low - Math.max(0, high - low - (end - start)) * (aim ?? 1 / 3);
}

/** What readers cannot scroll themselves, such as a row of slides, is where it was. */
function putBack(moved: ReadonlyMap<Element, readonly [number, number]>): void {
  for (const [scroller, [left, top]] of moved) {
    const { overflowX, overflowY } = getComputedStyle(scroller);
    const canScroll = [overflowX, overflowY].some((value) => value === 'auto' || value === 'scroll');
    if (!canScroll && scroller !== windowScroller()) scroller.scrollTo({ left, top, behavior: 'instant' });
  }
}

/** Opens the details and the parts hidden "until found" around the node. */
function open(node: Node): void {
  let inner: Node = node;
  for (const element of flatAncestors(node)) {
    if (element.getAttribute('hidden') === 'until-found') {
      element.dispatchEvent(new Event('beforematch', { bubbles: true }));
      element.removeAttribute('hidden');
    }
    const isSummary = (inner as Element).localName === 'summary'; // proof: undefined in texts
    if (element.localName === 'details' && !isSummary) (element as HTMLDetailsElement).open = true; // proof: its name
    inner = element;
  }
}
