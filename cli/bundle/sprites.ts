import querystring from 'node:querystring';
import type { Edit } from './edits.ts';
import type { Fault } from './folder.ts';

/** Pictures whose symbols a page uses: a browser loads them from no data address, so they become part of the document. */
export function createSprites(html: string) {
  /** By path; the page itself has none. */
  const sprites = new Map([['', { svg: html, ids: idsOf(html) }]]);
  return {
    /** @param hash the `#` and the id of the symbol @returns the address that it has in the document */
    add(path: string, file: string, hash: string): string | Fault {
      const id = querystring.unescape(hash.slice(1));
      const [svg = ''] = /<svg[\s>].*/is.exec(file) ?? [];
      const sprite = sprites.get(path) ?? { svg, ids: idsOf(svg) };
      const written = sprite.ids.get(id);
      if (written === undefined) return { fault: `it has no symbol ${hash}` };
      if (/<script|\son\w+\s*=/i.test(svg)) return { fault: 'it has scripts' };
      sprites.set(path, sprite);
      if (![...sprites].some(([other, { ids }]) => other !== path && ids.has(id))) return hash;
      const name = `${id}--${[...sprites.keys()].indexOf(path)}`;
      sprite.svg = sprite.svg.replace(written, () => ` id="${name}"`);
      return `#${encodeURIComponent(name)}`;
    },

    /** @param end where they are inserted */
    edits(end: number): Edit[] {
      const [, ...others] = sprites.values();
      const text = others.map(
        ({ svg }) =>
          `<div style="position:absolute;width:0;height:0;overflow:hidden" aria-hidden="true">${svg}</div>\n`,
      );
      return text.length === 0 ? [] : [{ start: end, end, text: text.join('') }];
    },
  };
}

/** The attributes, as they are written, by their values. */
function idsOf(text: string): Map<string, string> {
  const ids = text.matchAll(/\sid\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/g);
  return new Map([...ids].map(([whole, ...values]) => [values.find((value) => value) ?? '', whole]));
}
