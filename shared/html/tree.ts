import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes as Dom,
  defaultTreeAdapter,
  html,
  type TreeAdapter,
} from 'parse5';

/** Leaves out texts and comments: a script of 2 MB is text in 600,000 pieces. @param onElement '' for elements not of HTML */
export function createTree(onElement: (htmlName: string) => void): TreeAdapter<DefaultTreeAdapterMap> {
  return {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      onElement(namespace === html.NS.HTML ? name : '');
      return defaultTreeAdapter.createElement(name, namespace, attributes);
    },
    createCommentNode: () => defaultTreeAdapter.createCommentNode(''),
    insertText: (parent) => defaultTreeAdapter.insertText(parent, ''),
    insertTextBefore: (parent, _, before) => defaultTreeAdapter.insertTextBefore(parent, '', before),
    getNodeSourceCodeLocation: () => null,
  };
}

/** Whether two documents have the same mode and the same nodes. Contents of texts and comments are not compared. */
export function areAlike(a: Dom.Document, b: Dom.Document): boolean {
  if (a.mode !== b.mode) return false;
  const pairs: [Dom.Node, Dom.Node][] = [[a, b]]; // no recursion: a hostile tree is deeper than the call stack
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [left, right] = pair;
    if (!isSameNode(left, right)) return false;
    const leftChildren = childrenOf(left);
    const rightChildren = childrenOf(right);
    if (leftChildren.length !== rightChildren.length) return false;
    for (const [index, child] of leftChildren.entries()) {
      const other = rightChildren[index];
      if (!other) return false;
      pairs.push([child, other]);
    }
  }
  return true;
}

/** An attribute's value; null if the node is another element or does not have the attribute. */
export function attributeOf(node: Dom.Node, tagName: string, attribute: string): string | null {
  if (!defaultTreeAdapter.isElementNode(node) || node.tagName !== tagName) return null;
  return node.attrs.find(({ name }) => name === attribute)?.value ?? null;
}

/** Compares two nodes without their children. */
function isSameNode(a: Dom.Node, b: Dom.Node): boolean {
  if (a.nodeName !== b.nodeName) return false;
  if (defaultTreeAdapter.isDocumentTypeNode(a) && defaultTreeAdapter.isDocumentTypeNode(b)) {
    return a.name === b.name && a.publicId === b.publicId && a.systemId === b.systemId;
  }
  if (!defaultTreeAdapter.isElementNode(a) || !defaultTreeAdapter.isElementNode(b)) return true;
  if (a.namespaceURI !== b.namespaceURI || a.attrs.length !== b.attrs.length) return false;
  return a.attrs.every(({ name, value }, index) => {
    const other = b.attrs[index];
    return other?.name === name && other.value === value;
  });
}

function childrenOf(node: Dom.Node): Dom.ChildNode[] {
  if ('content' in node) return [...node.content.childNodes, ...node.childNodes];
  return 'childNodes' in node ? node.childNodes : [];
}
