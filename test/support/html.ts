import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

export interface HtmlElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text inside, as the page shows it. */
  readonly text: string;
  /** The names of the elements around it, outermost first. */
  readonly inside: readonly string[];
}

export interface HtmlPage {
  /** Elements of that name (`*`: of any) in document order; those in templates are not in the document. */
  all(tag: string): HtmlElement[];
  /** The first that has these attributes, or undefined. */
  find(tag: string, attributes?: Readonly<Record<string, string>>): HtmlElement | undefined;
  /** Elements of that name inside an element of this page. */
  within(element: HtmlElement, tag: string): HtmlElement[];
  readonly title: string;
  /** The doctype decides: `quirks`, `limited-quirks` or `no-quirks`. */
  readonly mode: string;
}

/** Reads a page as a browser would. */
export function parsePage(html: string): HtmlPage {
  const document = parse(html.replace(/^\ufeff/, '')); // decoding eats it
  const nodes = new Map<HtmlElement, Node>();
  collect(document, [], nodes);
  const elements = [...nodes.keys()];
  const all = (tag: string) => elements.filter((element) => tag === '*' || element.tag === tag);
  const find = (tag: string, attributes: Readonly<Record<string, string>> = {}) =>
    all(tag).find((element) =>
      Object.entries(attributes).every(([name, value]) => element.attributes[name] === value),
    );
  const within = (element: HtmlElement, tag: string) => {
    const inside = new Set(walkNodes(nodes.get(element) ?? document));
    return all(tag).filter((other) => other !== element && inside.has(nodes.get(other) ?? document));
  };
  return { all, find, within, title: find('title')?.text ?? '', mode: document.mode };
}

function* walkNodes(node: Node): Generator<Node> {
  yield node;
  if ('childNodes' in node) for (const child of node.childNodes) yield* walkNodes(child);
}

/** Adds the elements in and below the node, in document order. */
function collect(node: Node, inside: readonly string[], nodes: Map<HtmlElement, Node>): void {
  if (!('childNodes' in node)) return;
  const around = 'tagName' in node ? [...inside, node.tagName] : inside;
  if ('tagName' in node) {
    const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
    const element = {
      tag: node.tagName,
      attributes,
      inside,
      get text() {
        return textOf(node); // few are asked for it, and that of a whole page is long
      },
    };
    nodes.set(element, node);
  }
  for (const child of node.childNodes) collect(child, around, nodes);
}

function textOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** The internal id by which a viewer page names the version in its frame. */
export function innerIdIn(viewer: string): string {
  const source = parsePage(viewer).find('iframe')?.attributes.src ?? '';
  const id = new URL(source, 'http://any.example').searchParams.get('id');
  if (id === null) throw new Error('This is no viewer page');
  return id;
}
