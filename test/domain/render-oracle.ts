import { type DefaultTreeAdapterTypes as Dom, parse } from 'parse5';
import { applyPlan, type RenderPlan } from '../../shared/domain/render-plan.ts';

/** What a full parse says of a plan, without any of the planner's own code. */
export interface Verdict {
  /** What of the document's own tree is different in the page; null: nothing. */
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
  if (plan.insertion === '') {
    return { difference: findDifference(before, after), style: 'absent', viewport: false, page };
  }
  const children = headOf(after).childNodes;
  const index = children.findIndex((node) => hasAttribute(node, 'style', 'data-dropleaf'));
  if (index === -1) return { difference: 'the style is not in head', style: 'absent', viewport: false, page };
  const style = index === children.length - 1 ? 'last' : 'inside';
  const meta = children[index - 1];
  const viewport =
    plan.insertion.startsWith('<meta') && meta !== undefined && hasAttribute(meta, 'meta', 'name');
  children.splice(viewport ? index - 1 : index, viewport ? 2 : 1);
  return { difference: findDifference(before, after), style, viewport, page };
}

function headOf(document: Dom.Document): Dom.Element {
  const root = document.childNodes.find((node): node is Dom.Element => node.nodeName === 'html');
  const head = root?.childNodes.find((node): node is Dom.Element => node.nodeName === 'head');
  if (!head) throw new Error('a parsed document always has a head');
  return head;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function hasAttribute(node: Dom.ChildNode, tagName: string, attribute: string): boolean {
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
