import { type CSSToken, TokenType, tokenize } from '@csstools/css-tokenizer';
import { applyEdits, type Edit } from './edits.ts';

/** What an address in a style sheet names. */
export type CssUse = 'style' | 'shown';

interface Place {
  readonly use: CssUse;
  readonly address: string;
  readonly start: number;
  readonly end: number;
  readonly isString: boolean;
}

/** @param inline the address that is written instead; null: it stays */
export async function bundleCss(
  css: string,
  inline: (address: string, use: CssUse) => Promise<string | null>,
): Promise<string> {
  const edits: Edit[] = [];
  for (const { use, address, start, end, isString } of placesIn(css)) {
    const written = await inline(address, use);
    if (written !== null) edits.push({ start, end, text: isString ? `"${written}"` : `url("${written}")` });
  }
  return applyEdits(css, edits);
}

const addressed = /^(?:url|src|(?:-webkit-)?image-set)$/i;
/** Of the same font in several formats a browser needs the best; none reads EOT. */
const fontFormats = ['woff2', 'woff', 'ttf', 'otf', 'svg', 'eot'];
const rankOf = ({ address }: Place) =>
  fontFormats.indexOf(/\.(\w+)(?:[?#]|$)/.exec(address)?.[1]?.toLowerCase() ?? '');

/** The addresses that a browser may load, in their order. */
function placesIn(css: string): Place[] {
  const places: Place[] = [];
  let ofBlock: Place[] = [];
  /** The functions and blocks around the token. */
  const enclosing: string[] = [];
  let isImport = false;

  function endBlock(): void {
    const best = Math.min(...ofBlock.map(rankOf).filter((rank) => rank >= 0), fontFormats.length - 2);
    places.push(...ofBlock.filter((place) => rankOf(place) <= best));
    ofBlock = [];
    isImport = false;
  }

  for (const token of tokenize({ css })) {
    const [type, , start, last] = token;
    const add = (address: string, isString: boolean) => {
      const use = isImport && enclosing.every((name) => name === 'url') ? 'style' : 'shown';
      if (use === 'style') isImport = false;
      ofBlock.push({ use, address, start, end: last + 1, isString });
    };
    if (type === TokenType.AtKeyword) isImport = textOf(token).toLowerCase() === 'import';
    else if (type === TokenType.URL) add(textOf(token), false);
    else if (type === TokenType.String && isAddress()) add(textOf(token), true);
    else if (type === TokenType.Function) enclosing.push(textOf(token));
    else if (type === TokenType.OpenParen) enclosing.push('(');
    else if (type === TokenType.CloseParen) enclosing.pop();
    else if (type === TokenType.Semicolon) isImport = false;
    else if (type === TokenType.OpenCurly || type === TokenType.CloseCurly) endBlock();
  }
  endBlock();
  return places;

  /** Of a string: without a function around it, it is the address of an `@import`. */
  function isAddress(): boolean {
    return enclosing.length === 0 ? isImport : addressed.test(enclosing.at(-1) ?? '');
  }
}

function textOf(token: CSSToken): string {
  const [, , , , data] = token;
  return data !== undefined && 'value' in data ? String(data.value) : '';
}
