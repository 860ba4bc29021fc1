import { type DefaultTreeAdapterMap, defaultTreeAdapter, html as names, parse } from 'parse5';
import type { Written } from './attributes.ts';

type Node = DefaultTreeAdapterMap['node'];

/** The elements of a document that its source has, in the order of their start tags. */
export function elementsOf(html: string): Written[] {
  const found: Written[] = [];
  const seen = new Set<number>();
  const rest: Node[] = [parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false })];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (defaultTreeAdapter.isElementNode(node)) {
      const { sourceCodeLocation: at } = node;
      // Elements that a browser adds have no place; those that it divides have the same place twice.
      if (at?.startTag && !seen.has(at.startOffset)) {
        seen.add(at.startOffset);
        found.push({ element: node, at: { ...at, startTag: at.startTag, attrs: { ...at.attrs } } });
      }
      if (node.tagName === 'template' && 'content' in node) rest.push(node.content);
    }
    if ('childNodes' in node) for (const child of node.childNodes) rest.push(child);
  }
  return found.sort((a, b) => a.at.startOffset - b.at.startOffset);
}

export function isSvg({ element }: Written): boolean {
  return element.namespaceURI === names.NS.SVG;
}
