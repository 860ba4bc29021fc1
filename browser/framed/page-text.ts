/** White space and characters that show nothing do not count: neither in texts that are compared nor in positions. */
const ignored = /[\s\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f]+/g;

const hidden = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
  'textarea',
  'noembed',
  'noframes',
]);
/** Of a long text node, so many characters are looked at in one step. */
const step = 4096;

export function strip(text: string): string {
  return text.replace(ignored, '');
}

/** null: the page has changed since. */
let current: PageText | null = null;

/** The text of the page as it is now. */
export function currentText(): PageText {
  current ??= new PageText();
  return current;
}

/** The page has changed. */
export function forgetText(): void {
  current = null;
}

/** The text of a page. Positions are UTF-16 units of `text`. */
export class PageText {
  /** All text nodes of body, without what does not count. */
  readonly text: string;
  readonly #nodes: Text[] = [];
  /** The positions at which the nodes start. */
  readonly #starts: number[] = [];
  /** The numbers of the nodes before which a line is broken. */
  readonly #breaks = new Set<number>();

  constructor() {
    const parts: string[] = [];
    let length = 0;
    for (const node of shownNodes(document.body)) {
      if (!(node instanceof Text)) {
        if (node.nodeName === 'BR') this.#breaks.add(this.#nodes.length);
        continue;
      }
      const part = strip(node.data);
      this.#nodes.push(node);
      this.#starts.push(length);
      parts.push(part);
      length += part.length;
    }
    this.text = parts.join('');
  }

  /** The position of a boundary point of a range. */
  positionOf(container: Node, offset: number): number {
    const point = document.createRange();
    point.setStart(container, offset);
    const index = firstWhere(this.#nodes.length, (i) => isAfter(point, this.#nodes[i]));
    const node = this.#nodes[index];
    const before = node === container ? strip(node.data.slice(0, offset)).length : 0;
    return (this.#starts[index] ?? this.text.length) + before;
  }

  rangeOf(start: number, end: number): Range {
    const range = document.createRange();
    const first = this.#pointAt(start);
    const last = this.#pointAt(end - 1);
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset + 1);
    return range;
  }

  /** Whether both ends are in one block. */
  isLine(start: number, end: number): boolean {
    return blockOf(this.#pointAt(start).node) === blockOf(this.#pointAt(end - 1).node);
  }

  /** For people: a line for each block, and one space for all white space in it. */
  read(start: number, end: number): string {
    if (start >= end) return '';
    const first = this.#pointAt(start);
    const last = this.#pointAt(end - 1);
    let found = '';
    for (let index = first.index; index <= last.index; index++) {
      const node = this.#nodes[index];
      const before = this.#nodes[index - 1];
      if (node === undefined) continue;
      if (before !== undefined && index > first.index)
        found += separatorOf(before, node, this.#breaks.has(index));
      const from = index === first.index ? first.offset : 0;
      const to = index === last.index ? last.offset + 1 : undefined;
      found += node.data.slice(from, to).replace(/\s+/g, ' ');
    }
    return found.replace(/ +/g, ' ').replace(/ ?\n[\n ]*/g, '\n');
  }

  /** The boundary point before the character at that position. `index`: the number of its node. */
  #pointAt(position: number): { readonly node: Text; readonly offset: number; readonly index: number } {
    const index = firstWhere(this.#starts.length, (i) => (this.#starts[i] ?? 0) > position) - 1;
    const node = this.#nodes[index];
    if (node === undefined) throw new RangeError('The page has no such position');
    return { node, offset: offsetIn(node.data, position - (this.#starts[index] ?? 0)), index };
  }
}

/** Texts and elements that readers see, in the order of the document. */
function* shownNodes(top: Element): Generator<Node> {
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && hidden.has(node.localName)
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) yield node;
}

/** The offset of the character with that number, of those that count. */
function offsetIn(data: string, number: number): number {
  let at = 0;
  let left = number;
  for (; at + step < data.length; at += step) {
    const count = strip(data.slice(at, at + step)).length;
    if (count > left) break;
    left -= count;
  }
  for (; at < data.length; at++) if (strip(data.charAt(at)) !== '' && left-- === 0) break;
  return at;
}

/** Whether the node ends after the point. */
function isAfter(point: Range, node: Text | undefined): boolean {
  return node !== undefined && point.comparePoint(node, node.length) > 0;
}

function separatorOf(before: Text, node: Text, isBroken: boolean): string {
  if (blockOf(before) !== blockOf(node)) return '\n';
  const cellOf = ({ parentElement }: Text) => parentElement?.closest('td,th');
  return isBroken || cellOf(before) !== cellOf(node) ? ' ' : '';
}

/** A row of a table is one block. */
function blockOf({ parentElement }: Text): Element | null {
  let element = parentElement;
  while (element !== null && /^(inline|contents|ruby|table-cell)/.test(getComputedStyle(element).display))
    element = element.parentElement;
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
