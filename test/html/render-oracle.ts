import { type DefaultTreeAdapterTypes as Dom, parse } from 'parse5';
import { applyPlan, type RenderPlan } from '../../shared/html/insertion.ts';

/** The verdict of full parses on a plan, without code of the planner. */
export interface Verdict {
  /** How the page's tree or mode differs from the document's; null if it does not. */
  readonly difference: string | null;
  /** The place of our style among the children of head. */
  readonly style: 'absent' | 'last' | 'inside';
  readonly viewport: boolean;
  /** The page, decoded like browsers do. */
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

/** Tries the insertion at each offset. @returns the best result that changes nothing else: `last`, `inside` or `absent` */
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

/** Whether head already has our style. */
export function isRendered(html: Uint8Array): boolean {
  return headOf(parse(decode(html))).childNodes.some((node) => hasAttribute(node, 'style', 'data-dropleaf'));
}

export function headOf(document: Dom.Document): Dom.Element {
  const root = document.childNodes.find((node): node is Dom.Element => node.nodeName === 'html');
  const head = root?.childNodes.find((node): node is Dom.Element => node.nodeName === 'head');
  if (!head) throw new Error('a parsed document always has a head');
  return head;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function hasAttribute(node: Dom.Node, tagName: string, attribute: string): boolean {
  return 'tagName' in node && node.tagName === tagName && node.attrs.some(({ name }) => name === attribute);
}

/** The first difference of two trees. No recursion: trees may be deep. */
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
