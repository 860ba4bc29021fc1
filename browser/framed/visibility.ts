import { flatAncestors, flatParent } from './flat-tree.ts';

/** CSS pixels in the window of the page. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Line {
  readonly box: Box;
  readonly text: Text;
  readonly element: Element;
}

/** Of a quote, so many text nodes are looked at: the others may be empty. */
const mostTexts = 1_000;
/** Readers look for the beginning of a line: so much of it is not covered. */
const beginning = 40;
/** A line of which less is to be seen cannot be read. */
const leastShare = 0.6;
/** What is less opaque covers nothing. */
const leastOpacity = 0.5;

/** The first line of the ranges that has a size; null: the page shows nothing of them. */
export function firstLine(ranges: readonly Range[]): Line | null {
  for (const range of ranges) {
    for (const text of textsOf(range)) {
      const element = flatParent(text);
      const box = [...partOf(range, text).getClientRects()].find(hasSize);
      if (box !== undefined && element !== null) return { box: boxOf(box), text, element };
    }
  }
  return null;
}

/** The elements that cut off what is outside of their boxes, from the inner to the outer ones; not the window. */
export function* clipsAround({ text }: Line): Generator<Element> {
  const root = document.documentElement;
  const isOfWindow = ({ overflowX, overflowY }: CSSStyleDeclaration) =>
    overflowX === 'visible' && overflowY === 'visible';
  // The window takes over what body says if the root says nothing.
  const unclipped = isOfWindow(getComputedStyle(root)) ? [root, document.body] : [root];
  let position = 'static';
  for (const element of flatAncestors(text)) {
    const style = getComputedStyle(element);
    if (!isAround(style, position)) continue;
    position = style.position;
    const isBox = style.display !== 'inline' && style.display !== 'contents';
    if (isBox && !isOfWindow(style) && !unclipped.includes(element as HTMLElement)) yield element; // proof: only compared
  }
}

export function windowScroller(): Element {
  return document.scrollingElement ?? document.documentElement;
}

/** What the element shows of its content. `scale`: pixels of the window for one of the element. */
export function viewOf(element: Element): { readonly box: Box; readonly scale: readonly [number, number] } {
  if (element === windowScroller()) {
    // Without a doctype, the root may be as high as the whole page.
    const right = Math.min(element.clientWidth, innerWidth);
    const bottom = Math.min(element.clientHeight, innerHeight);
    return { box: { left: 0, top: 0, right, bottom }, scale: [1, 1] };
  }
  const { left, top, width, height } = element.getBoundingClientRect();
  const { clientLeft, clientTop, clientWidth, clientHeight } = element;
  const { offsetWidth, offsetHeight } = element as HTMLElement; // proof: undefined in others, which gives the scale 1
  const x = width / offsetWidth || 1;
  const y = height / offsetHeight || 1;
  const box = {
    left: left + clientLeft * x,
    top: top + clientTop * y,
    right: left + (clientLeft + clientWidth) * x,
    bottom: top + (clientTop + clientHeight) * y,
  };
  return { box, scale: [x, y] };
}

/** Whether a reader can see the beginning of the line: it is in the window, nothing cuts it off, hides or covers it. */
export function isReadable(line: Line): boolean {
  const { element, box } = line;
  if (!isDrawn(element)) return false;
  const start = startOf(line, Math.min(beginning, box.right - box.left));
  const window = viewOf(windowScroller()).box;
  const seen = [...clipsAround(line)].map((clip) => viewOf(clip).box).reduce(common, common(start, window));
  const isCut =
    seen.right - seen.left < leastShare * (start.right - start.left) ||
    seen.bottom - seen.top < leastShare * (start.bottom - start.top);
  return !isCut && !isCovered(line, seen);
}

/** That much of the line, where it begins. */
export function startOf({ box, element }: Line, width: number): Box {
  const isFromRight = getComputedStyle(element).direction === 'rtl';
  return isFromRight ? { ...box, left: box.right - width } : { ...box, right: box.left + width };
}

function isCovered({ text }: Line, { left, top, right, bottom }: Box): boolean {
  const around = new Set(flatAncestors(text));
  const roots = new Set([...around].map((element) => element.getRootNode()));
  const at = (low: number, high: number, share: number) => low + (high - low) * share;
  for (const x of [at(left, right, 0.1), at(left, right, 0.9)])
    for (const y of [at(top, bottom, 0.2), at(top, bottom, 0.8)])
      for (const root of roots) {
        const stack = (root as Document | ShadowRoot).elementsFromPoint(x, y); // proof: the text is in the document
        const own = stack.findIndex((element) => around.has(element));
        if (stack.slice(0, own < 0 ? undefined : own).some(isOpaque)) return true;
      }
  return false;
}

/** Browsers that cannot tell say that it is. */
function isDrawn(element: Element): boolean {
  const asked = {
    visibilityProperty: true,
    opacityProperty: true,
    checkVisibilityCSS: true, // their older names
    checkOpacity: true,
  };
  return element.checkVisibility?.(asked) ?? true;
}

function isOpaque(element: Element): boolean {
  if (!isDrawn(element)) return false;
  if (element.matches('img,video,iframe,object,embed')) return true;
  const { backgroundColor, backgroundImage } = getComputedStyle(element);
  if (backgroundImage !== 'none') return true;
  const hasAlpha = backgroundColor.startsWith('rgba') || backgroundColor.includes('/');
  const last = Math.max(backgroundColor.lastIndexOf(','), backgroundColor.lastIndexOf('/'));
  const alpha = Number.parseFloat(backgroundColor.slice(last + 1));
  return !hasAlpha || alpha >= leastOpacity;
}

/** Whether an element of that style moves and cuts off a descendant with that position. */
function isAround(style: CSSStyleDeclaration, position: string): boolean {
  const { transform, translate, rotate, scale, perspective, filter, willChange, contain } = style;
  const holdsAll =
    [transform, translate, rotate, scale, perspective, filter].some((value) => value && value !== 'none') ||
    /transform|perspective|filter/.test(willChange) ||
    /paint|layout|strict|content/.test(contain);
  if (position === 'fixed') return holdsAll;
  return position !== 'absolute' || holdsAll || style.position !== 'static';
}

function* textsOf(range: Range): Generator<Text> {
  const walker = document.createTreeWalker(range.commonAncestorContainer, 4); // texts
  let node: Node | null = range.startContainer;
  walker.currentNode = node;
  for (let count = 0; node !== null && count < mostTexts; count++) {
    yield node as Text; // proof: the ranges of a text begin and end in texts
    node = node === range.endContainer ? null : walker.nextNode();
  }
}

function partOf({ startContainer, startOffset, endContainer, endOffset }: Range, text: Text): Range {
  const part = document.createRange();
  part.setStart(text, text === startContainer ? startOffset : 0);
  part.setEnd(text, text === endContainer ? endOffset : text.length);
  return part;
}

/** The fields of a DOMRect are not its own: a copy by `...` would have none. */
function boxOf({ left, top, right, bottom }: DOMRect): Box {
  return { left, top, right, bottom };
}

function hasSize({ width, height }: DOMRect): boolean {
  return width > 0 && height > 0;
}

function common(one: Box, other: Box): Box {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}
