import { type DefaultTreeAdapterTypes as Dom, defaultTreeAdapter, parse } from 'parse5';
import { applyPlan, type RenderPlan } from '../../shared/html/plan.ts';

/** What a full parse says of a plan, without any of the planner's own code. */
export interface Verdict {
  /** What of the document's own tree, or of its mode, is different in the page; null: nothing. */
  readonly difference: string | null;
  /** Where our style stands among the children of head. */
  readonly style: 'absent' | 'last' | 'inside';
  readonly viewport: boolean;
  /** The page, decoded as browsers do. */
  readonly page: string;
}

export function judge(html: Uint8Array, plan: RenderPlan): Verdict {
  const before = parse(decode(html));
  const page = decode(applyPlan(html, plan));
  const after = parse(page);
  const verdict = (difference: string | null, style: Verdict['style'], viewport = false): Verdict => ({
    difference,
    style,
    viewport,
    page,
  });
  if (plan.insertion === '') return verdict(findDifference(before, after), 'absent');
  const children = headOf(after).childNodes;
  const index = children.findIndex((node) => hasAttribute(node, 'style', 'data-dropleaf'));
  if (index === -1) return verdict('the style is not in head', 'absent');
  const style = index === children.length - 1 ? 'last' : 'inside';
  const viewport = plan.insertion.startsWith('<meta');
  const meta = children[index - 1];
  if (viewport && (meta === undefined || !hasAttribute(meta, 'meta', 'name'))) {
    return verdict('the viewport is not before the style', style);
  }
  children.splice(viewport ? index - 1 : index, viewport ? 2 : 1);
  return verdict(findDifference(before, after), style, viewport);
}

/**
 * The same for a browser that runs no scripts, and so parses what is in noscript. There head may end earlier, and our
 * nodes may be elsewhere: only the document's own tree is looked at. null: it is as it was.
 */
export function judgeWithoutScripts(html: Uint8Array, plan: RenderPlan): string | null {
  const before = parse(decode(html), { scriptingEnabled: false });
  const after = parse(decode(applyPlan(html, plan)), { scriptingEnabled: false });
  if (plan.insertion !== '') removeOurs(after, plan.insertion);
  return findDifference(before, after);
}

/**
 * Tries each place of the document: where there is one at which the same insertion changes nothing else and the style
 * is the last child of head, `last`; where there is one inside head, `inside`; else `absent`.
 */
export function findBest(html: Uint8Array, plan: RenderPlan): Verdict['style'] {
  let best: Verdict['style'] = 'absent';
  for (let insertAt = 0; insertAt <= html.length; insertAt++) {
    const { difference, style } = judge(html, { ...plan, insertAt });
    if (difference !== null || style === 'absent') continue;
    if (style === 'last') return style;
    best = style;
  }
  return best;
}

/** Whether head has our style already. */
export function isRendered(html: Uint8Array): boolean {
  return headOf(parse(decode(html))).childNodes.some((node) => hasAttribute(node, 'style', 'data-dropleaf'));
}

function headOf(document: Dom.Document): Dom.Element {
  const root = document.childNodes.find((node): node is Dom.Element => node.nodeName === 'html');
  const head = root?.childNodes.find((node): node is Dom.Element => node.nodeName === 'head');
  if (!head) throw new Error('a parsed document always has a head');
  return head;
}

/** Takes the nodes of the insertion out, wherever they are, and joins the texts that they stood between. */
function removeOurs(document: Dom.Document, insertion: string): void {
  const rules = /<style[^>]*>(.*)<\/style>/.exec(insertion)?.[1];
  const isOurs = (node: Dom.Node) =>
    (hasAttribute(node, 'style', 'data-dropleaf') &&
      'childNodes' in node &&
      node.childNodes.some((child) => 'value' in child && child.value === rules)) ||
    ('attrs' in node && node.attrs.some(({ value }) => insertion.includes(`content="${value}"`)));
  const stack: Dom.Node[] = [document];
  for (let node = stack.pop(); node; node = stack.pop()) {
    for (const child of [...childrenOf(node)]) {
      if (isOurs(child) && 'parentNode' in child) defaultTreeAdapter.detachNode(child);
      else stack.push(child);
    }
    if ('childNodes' in node) joinTexts(node.childNodes);
  }
}

function joinTexts(nodes: Dom.ChildNode[]): void {
  for (let i = nodes.length - 1; i > 0; i--) {
    const [left, right] = [nodes[i - 1], nodes[i]];
    if (left && right && 'value' in left && 'value' in right) {
      left.value += right.value;
      nodes.splice(i, 1);
    }
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function hasAttribute(node: Dom.Node, tagName: string, attribute: string): boolean {
  return 'tagName' in node && node.tagName === tagName && node.attrs.some(({ name }) => name === attribute);
}

/** The first difference of two trees, in words; a stack and no recursion, as trees may be deep. */
function findDifference(before: Dom.Document, after: Dom.Document): string | null {
  const pairs: [Dom.Node, Dom.Node][] = [[before, after]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [a, b] = pair.map(describe);
    if (a !== b) return `${a} became ${b}`;
    const [left, right] = pair.map(childrenOf);
    left?.forEach((child, index) => {
      const other = right?.[index];
      if (other) pairs.push([child, other]);
    });
  }
  return null;
}

function describe(node: Dom.Node): string {
  const {
    parentNode: _,
    childNodes: __,
    content: ___,
    ...own
  } = { childNodes: [], content: 0, ...node } as Record<string, unknown>;
  const children = childrenOf(node).map((child) => child.nodeName);
  return JSON.stringify({ ...own, children });
}

function childrenOf(node: Dom.Node): Dom.Node[] {
  if ('content' in node) return [...node.childNodes, node.content];
  return 'childNodes' in node ? node.childNodes : [];
}
