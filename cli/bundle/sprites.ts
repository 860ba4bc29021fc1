import type { Edit } from './edits.ts';

/** Pictures whose symbols a page uses: a browser loads them from no data address, so they become part of the document. */
export function createSprites(html: string) {
  const sprites = new Map<string, string>();
  return {
    /** @param hash the `#` and the id of the symbol @returns why not; null: the document has it */
    add(path: string, svg: string, hash: string): string | null {
      const id = decodeURIComponent(hash.slice(1));
      const idIn = (text: string) =>
        [...text.matchAll(/\sid\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/g)].some((found) =>
          found.slice(1).includes(id),
        );
      if (id === '' || !idIn(svg)) return `it has no symbol ${hash}`;
      if (/<script|\son\w+\s*=/i.test(svg)) return 'it has scripts';
      if (!sprites.has(path) && idIn(html)) return `the page has another element with the id ${id}`;
      sprites.set(path, svg.slice(svg.search(/<svg[\s>]/i)));
      return null;
    },

    /** @param end where they are inserted */
    edits(end: number): Edit[] {
      const text = [...sprites.values()].map(
        (svg) =>
          `<div style="position:absolute;width:0;height:0;overflow:hidden" aria-hidden="true">${svg}</div>\n`,
      );
      return text.length === 0 ? [] : [{ start: end, end, text: text.join('') }];
    },
  };
}
