import type { DefaultTreeAdapterTypes as Dom } from 'parse5';
import { attributeOf } from './trees.ts';

/** Marks our style, so that a page that was saved from here and posted again gets no second one. */
const styleMark = 'data-dropleaf';

/**
 * The defensive style of spec 4.5. `:where` weighs nothing, so whatever the owner says about the same elements
 * holds: a plain `body` rule at the end of head would undo their `body { max-width: 720px }`. A height follows
 * the width only where the width is given: a logo sized by its height alone must keep that height, and an svg
 * or iframe with `height: auto` would fall to 150 px. `hidden` is for browsers without `clip`, which leaves
 * sticky elements and the page's own scrolling alone.
 */
const rules = [
  ':where(html,body){max-width:100vw;overflow-x:hidden;overflow-x:clip}',
  ':where(img,svg,video,iframe){max-width:100%}',
  ':where(img[width],video[width]){height:auto}',
  ':where(pre,table){max-width:100%}',
  ':where(pre){overflow-x:auto}',
];

const style = `<style ${styleMark}>${rules.join('')}</style>`;
const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** ASCII only: as many bytes as characters, in any encoding of the rest. */
export function insertionFor(found: { readonly viewport: boolean }): string {
  return found.viewport ? style : viewport + style;
}

export function holdsStyle(headChildren: readonly Dom.ChildNode[]): boolean {
  return headChildren.some(isOurStyle);
}

/** Whether head has a viewport meta, in any case of letters. */
export function holdsViewport(headChildren: readonly Dom.ChildNode[]): boolean {
  return headChildren.some((node) => attributeOf(node, 'meta', 'name')?.toLowerCase() === 'viewport');
}

/** Takes our nodes out of the parsed head of a page; false: they are not there, or not in one piece. */
export function removeInsertion(head: Dom.Element, insertion: string): boolean {
  const count = insertion === style ? 1 : 2;
  const first = head.childNodes.findIndex(isOurStyle) + 1 - count;
  const taken = first < 0 ? [] : head.childNodes.splice(first, count);
  return taken.length === count && (count === 1 || holdsViewport(taken));
}

function isOurStyle(node: Dom.ChildNode): boolean {
  return attributeOf(node, 'style', styleMark) !== null;
}
