// The tree that readers see: in place of what an element has, its open shadow root, with what is put into its slots.

export const isText = (node: Node): node is Text => node.nodeType === 3;
export const isElement = (node: Node): node is Element => node.nodeType === 1;
export const isRoot = (node: Node): node is ShadowRoot => node.nodeType === 11 && 'host' in node;

/** What they contain is no text of the page. */
const hidden = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
  'textarea',
  'noembed',
  'noframes',
  'title',
]);
/** Longer chains of ancestors are cut off. */
const mostAncestors = 1_000;

/** The element around a node, as readers see it; null: none, or the node is not shown. */
export function flatParent(node: Node): Element | null {
  const { parentNode } = node;
  if (parentNode === null || isRoot(parentNode)) return parentNode?.host ?? null;
  if (!isElement(parentNode)) return null;
  if (parentNode.shadowRoot === null) return parentNode;
  return (node as Element | Text).assignedSlot ?? null; // proof: others have none
}

/** From the inner to the outer ones. */
export function* flatAncestors(node: Node): Generator<Element> {
  let count = 0;
  for (let at = flatParent(node); at !== null && count < mostAncestors; at = flatParent(at)) {
    yield at;
    count += 1;
  }
}

/** The element that has the focus, also in open shadow roots. */
export function focusedElement(): Element | null {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused;
}

/** What is being walked through below an element. */
interface Level {
  readonly owner: Element;
  /** What is assigned to a slot; null: siblings. */
  readonly assigned: readonly Node[] | null;
  /** The number of the next one of those. */
  index: number;
  next: Node | null;
  /** Whether they belong to another tree than the owner. */
  readonly isOtherTree: boolean;
}

/** Goes through elements and texts in the order in which they are read. */
export class FlatWalk {
  node: Node;
  /** The element has been gone through. Elements whose content is no text of the page have no end. */
  isEnd = false;
  /** Texts of the same part stand in one tree, and nothing of another tree stands between them. */
  part = 0;
  readonly #levels: Level[] = [];

  constructor(top: Element) {
    this.node = top;
  }

  /** @returns false: the end of the first element was the last one */
  next(): boolean {
    if (!this.isEnd && isElement(this.node) && !hidden.has(this.node.localName)) this.#enter(this.node);
    const level = this.#levels.at(-1);
    if (level === undefined) return false;
    const child = takeNext(level);
    this.isEnd = child === null;
    this.node = child ?? level.owner;
    if (level.assigned !== null) this.part += 1;
    if (child === null) this.#levels.pop();
    if (child === null && level.isOtherTree) this.part += 1;
    return true;
  }

  #enter(owner: Element): void {
    const { shadowRoot } = owner;
    const assigned = owner.localName === 'slot' ? (owner as HTMLSlotElement).assignedNodes() : []; // proof: its name
    const isAssigned = assigned.length > 0;
    const isOtherTree = shadowRoot !== null || isAssigned;
    if (isOtherTree) this.part += 1;
    this.#levels.push({
      owner,
      assigned: isAssigned ? assigned : null,
      index: 0,
      next: (shadowRoot ?? owner).firstChild,
      isOtherTree,
    });
  }
}

function takeNext(level: Level): Node | null {
  if (level.assigned !== null) {
    const node = level.assigned[level.index] ?? null;
    level.index += 1;
    return node;
  }
  const node = level.next;
  level.next = node?.nextSibling ?? null;
  return node;
}
