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

/** The text of the page as it is now. Positions are UTF-16 units of `text`. */
export interface PageText {
  /** All text nodes of body, without what does not count. */
  readonly text: string;
  /** The position of a boundary point of a range. */
  positionOf(container: Node, offset: number): number;
  rangeOf(start: number, end: number): Range;
  /** Whether both ends are in one block. */
  isLine(start: number, end: number): boolean;
  /** For people: a line for each block, and one space for all white space in it. */
  read(start: number, end: number): string;
}

export function readPageText(): PageText {
  const nodes: Text[] = [];
  const starts: number[] = [];
  /** The numbers of the nodes before which a line is broken. */
  const breaks = new Set<number>();
  const parts: string[] = [];
  let length = 0;
  const walker = document.createTreeWalker(
    document.body,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    (node) =>
      node instanceof Element && hidden.has(node.localName)
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) {
      if (node.nodeName === 'BR') breaks.add(nodes.length);
      continue;
    }
    const part = strip(node.data);
    nodes.push(node);
    starts.push(length);
    parts.push(part);
    length += part.length;
  }

  /** The boundary point before the character at that position. */
  function pointAt(position: number): [node: Text, offset: number, index: number] {
    const index = firstWhere(starts.length, (i) => (starts[i] ?? 0) > position) - 1;
    const node = nodes[index];
    if (node === undefined) throw new RangeError('The page has no such position');
    return [node, offsetIn(node.data, position - (starts[index] ?? 0)), index];
  }

  return {
    text: parts.join(''),

    positionOf(container, offset) {
      const point = document.createRange();
      point.setStart(container, offset);
      const index = firstWhere(nodes.length, (i) => isAfter(point, nodes[i]));
      const node = nodes[index];
      const before = node === container ? strip(node.data.slice(0, offset)).length : 0;
      return (starts[index] ?? length) + before;
    },

    rangeOf(start, end) {
      const range = document.createRange();
      const [last, offset] = pointAt(end - 1);
      range.setStart(...(pointAt(start).slice(0, 2) as [Text, number])); // proof: pointAt returns them first
      range.setEnd(last, offset + 1);
      return range;
    },

    isLine: (start, end) => blockOf(pointAt(start)[0]) === blockOf(pointAt(end - 1)[0]),

    read(start, end) {
      if (start >= end) return '';
      const [, from, first] = pointAt(start);
      const [, to, last] = pointAt(end - 1);
      let found = '';
      for (let index = first; index <= last; index++) {
        const [node, before] = [nodes[index], nodes[index - 1]];
        if (node === undefined) continue;
        if (before !== undefined && index > first) found += separatorOf(before, node, breaks.has(index));
        found += node.data
          .slice(index === first ? from : 0, index === last ? to + 1 : undefined)
          .replace(/\s+/g, ' ');
      }
      return found.replace(/ +/g, ' ').replace(/ ?\n[\n ]*/g, '\n');
    },
  };
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
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
