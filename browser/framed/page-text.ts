import type { SearchedText } from '../../shared/comments/anchor.ts';
import { comparable } from '../../shared/comments/compared-text.ts';
import { FlatWalk, flatParent, isElement, isRoot, isText } from './flat-tree.ts';

/** Of a long text node, so many characters are looked at in one step. */
const step = 4096;
/** A page with more has no text: what stands once in a part of it may stand twice in the whole. A document of 2 MB has fewer. */
const mostNodes = 1_100_000;
const mostUnits = 4_000_000;
/** Each is observed, which takes longer than to read it. */
const mostRoots = 100_000;

/** A text node. */
interface Piece {
  readonly node: Text;
  /** The position of its first character. */
  readonly start: number;
  /** Of the walk through the page. */
  readonly part: number;
  /** Whether a line is broken before it. */
  readonly isAfterBreak: boolean;
}

/** The text of a page, open shadow roots included. Positions are UTF-16 units of `text`. */
export class PageText implements SearchedText {
  /** All text nodes of body, without what does not count. */
  readonly text: string;
  readonly roots: ShadowRoot[] = [];
  /** The names of elements that may get a shadow root when they are defined. */
  readonly undefinedNames = new Set<string>();
  readonly #pieces: Piece[] = [];
  readonly #isWhole: boolean;

  constructor() {
    const parts: string[] = [];
    const walk = new FlatWalk(textTop());
    let start = 0;
    let units = 0;
    let count = 0;
    let isAfterBreak = false;
    while (walk.next()) {
      const { node, part, isEnd } = walk;
      count += isEnd ? 0 : 1;
      if (isText(node)) {
        units += node.length;
        if (units > mostUnits) break;
        const text = comparable(node.data);
        this.#pieces.push({ node, start, part, isAfterBreak });
        parts.push(text);
        start += text.length;
        isAfterBreak = false;
      } else if (isElement(node) && !isEnd) {
        this.#note(node);
        if (node.nodeName === 'BR') isAfterBreak = true;
      }
      if (count > mostNodes || this.roots.length > mostRoots) break;
    }
    this.#isWhole = count <= mostNodes && units <= mostUnits && this.roots.length <= mostRoots;
    if (!this.#isWhole) this.#pieces.length = 0;
    this.text = this.#isWhole ? parts.join('') : '';
  }

  /** The position of a boundary point of a range; null: the text does not have it. */
  positionOf(container: Node, offset: number): number | null {
    if (!this.#isWhole) return null;
    const piece = this.#pieces.find(({ node }) => node === container);
    if (piece !== undefined) return piece.start + comparable(piece.node.data.slice(0, offset)).length;
    const child = container.childNodes[offset] ?? null;
    const last = isElement(container) && container.shadowRoot !== null ? container.lastChild : null;
    // What the root shows behind the slot of the last child comes after this point.
    if (child === null && last !== null) return this.positionOf(last, lengthOf(last));
    const owner = isRoot(container) ? container.host : container;
    const end = child === null && offset > 0 ? owner : null;
    return this.#positionAt(child ?? container, end);
  }

  /** Ranges that together hold the text between these positions: each is in one tree. */
  rangesOf(start: number, end: number): Range[] {
    const first = this.#pointAt(start);
    const last = this.#pointAt(end - 1);
    const ranges: Range[] = [];
    let range = rangeFrom(first.piece.node, first.offset);
    let { part } = first.piece;
    for (const piece of this.#pieces.slice(first.index, last.index + 1)) {
      if (piece.part !== part) {
        ranges.push(range);
        range = rangeFrom(piece.node, 0);
        part = piece.part;
      }
      range.setEnd(piece.node, piece === last.piece ? endOf(last) : piece.node.length);
    }
    ranges.push(range);
    return ranges.filter(({ collapsed }) => !collapsed);
  }

  /** The text nodes between these positions. */
  nodesOf(start: number, end: number): Text[] {
    if (start >= end) return [];
    const pieces = this.#pieces.slice(this.#pointAt(start).index, this.#pointAt(end - 1).index + 1);
    return pieces.map(({ node }) => node);
  }

  isHeading(position: number): boolean {
    let element = flatParent(this.#pointAt(position).piece.node);
    while (element !== null && !/^h[1-6]$/.test(element.localName)) element = flatParent(element);
    return element !== null;
  }

  /** For people: a line for each block, and one space for all white space in it. */
  read(start: number, end: number): string {
    if (start >= end) return '';
    const first = this.#pointAt(start);
    const last = this.#pointAt(end - 1);
    let found = '';
    let before: Piece | null = null;
    for (const piece of this.#pieces.slice(first.index, last.index + 1)) {
      const { node } = piece;
      if (before !== null) found += separatorOf(before.node, piece);
      const from = piece === first.piece ? first.offset : 0;
      const to = piece === last.piece ? endOf(last) : undefined;
      found += node.data.slice(from, to).replace(/\s+/g, ' ');
      before = piece;
    }
    return found.replace(/ +/g, ' ').replace(/ ?\n[\n ]*/g, '\n');
  }

  #note(element: Element): void {
    if (element.shadowRoot !== null) this.roots.push(element.shadowRoot);
    else if (element.localName.includes('-') && !element.matches(':defined'))
      this.undefinedNames.add(element.localName);
  }

  /** At the end of that element, or before the node; if that is not shown, before what is nearest around it. */
  #positionAt(point: Node, end: Node | null): number {
    const top = textTop();
    const around = chainFrom(point);
    if (!around.has(top)) return end === null && isBeforeOrAround(point, top) ? 0 : this.text.length;
    const walk = new FlatWalk(top);
    let found = 0;
    let index = 0;
    while (walk.next()) {
      const { node, isEnd } = walk;
      const start = this.#pieces[index]?.start ?? this.text.length;
      if (isEnd ? node === end : node === point && end === null) return start;
      if (!isEnd && around.has(node)) found = start;
      if (isText(node)) index += 1;
    }
    return found;
  }

  /** The boundary point before the character at that position. `index`: the number of its piece. */
  #pointAt(position: number): { readonly piece: Piece; readonly offset: number; readonly index: number } {
    const pieces = this.#pieces;
    const index = firstWhere(pieces.length, (i) => (pieces[i]?.start ?? 0) > position) - 1;
    const piece = pieces[index];
    if (piece === undefined) throw new RangeError('The page has no such position');
    return { piece, offset: offsetIn(piece.node.data, position - piece.start), index };
  }
}

/** Without body while the page is being loaded. */
function textTop(): Element {
  return document.body ?? document.documentElement;
}

function rangeFrom(node: Text, offset: number): Range {
  const range = document.createRange();
  range.setStart(node, offset);
  return range;
}

function parentOrHost(node: Node): Node | null {
  return isRoot(node) ? node.host : node.parentNode;
}

/** The node and what is around it. */
function chainFrom(node: Node): ReadonlySet<Node> {
  const chain = new Set<Node>();
  for (let at: Node | null = node; at !== null; at = parentOrHost(at)) chain.add(at);
  return chain;
}

function lengthOf(node: Node): number {
  return isText(node) ? node.length : node.childNodes.length;
}

function isBeforeOrAround(node: Node, other: Node): boolean {
  const { DOCUMENT_POSITION_PRECEDING: before, DOCUMENT_POSITION_CONTAINS: around } = node;
  return (other.compareDocumentPosition(node) & (before | around)) !== 0;
}

/** The offset of the character that has the unit with that number, of those that are compared. */
function offsetIn(data: string, number: number): number {
  let at = 0;
  let left = number;
  while (at + step < data.length) {
    const next = at + step - (isPair(data, at + step) ? 1 : 0);
    const count = comparable(data.slice(at, next)).length;
    if (count > left) break;
    left -= count;
    at = next;
  }
  while (at < data.length) {
    const next = at + (isPair(data, at + 1) ? 2 : 1);
    left -= comparable(data.slice(at, next)).length;
    if (left < 0) break;
    at = next;
  }
  return at;
}

/** The offset after the character there. */
function endOf({ piece, offset }: { readonly piece: Piece; readonly offset: number }): number {
  return offset + (isPair(piece.node.data, offset + 1) ? 2 : 1);
}

/** Whether the units before and after the offset are one character. */
function isPair(data: string, offset: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(data.slice(offset - 1, offset + 1));
}

function separatorOf(before: Text, { node, isAfterBreak }: Piece): string {
  if (blockOf(before) !== blockOf(node)) return '\n';
  const cellOf = ({ parentElement }: Text) => parentElement?.closest('td,th');
  return isAfterBreak || cellOf(before) !== cellOf(node) ? ' ' : '';
}

/** A row of a table is one block. */
function blockOf(node: Text): Element | null {
  let element = flatParent(node);
  while (element !== null && /^(inline|contents|ruby|table-cell)/.test(getComputedStyle(element).display))
    element = flatParent(element);
  return element;
}

/** The first of the numbers below `count` for which it holds, if it holds for all after that; otherwise `count`. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
