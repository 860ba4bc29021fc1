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
const olderFont = /\.(?:eot|woff|ttf|otf|svg)(?:[?#]|$)/i;

/** The addresses that a browser may load, in their order. */
function placesIn(css: string): Place[] {
  const places: Place[] = [];
  let ofDeclaration: Place[] = [];
  /** The functions and blocks around the token. */
  const around: string[] = [];
  let isImport = false;

  /** Of the same font in several formats a browser takes WOFF2. */
  function endDeclaration(): void {
    const hasBest = ofDeclaration.some(({ address }) => /\.woff2(?:[?#]|$)/i.test(address));
    places.push(...ofDeclaration.filter(({ address }) => !hasBest || !olderFont.test(address)));
    ofDeclaration = [];
    isImport = false;
  }

  for (const token of tokenize({ css })) {
    const [type, , start, last] = token;
    const add = (address: string, isString: boolean) => {
      const use = isImport && around.every((name) => name === 'url') ? 'style' : 'shown';
      ofDeclaration.push({ use, address, start, end: last + 1, isString });
    };
    if (type === TokenType.AtKeyword) isImport = textOf(token).toLowerCase() === 'import';
    else if (type === TokenType.URL) add(textOf(token), false);
    else if (type === TokenType.String && (addressed.test(around.at(-1) ?? '') || isDirect()))
      add(textOf(token), true);
    else if (type === TokenType.Function) around.push(textOf(token));
    else if (type === TokenType.OpenParen) around.push('(');
    else if (type === TokenType.CloseParen) around.pop();
    else if (endings.has(type)) endDeclaration();
  }
  endDeclaration();
  return places;

  /** The address of an `@import`, not a string in its conditions. */
  function isDirect(): boolean {
    return isImport && around.length === 0 && ofDeclaration.length === 0;
  }
}

const endings: ReadonlySet<unknown> = new Set([
  TokenType.Semicolon,
  TokenType.OpenCurly,
  TokenType.CloseCurly,
]);

function textOf(token: CSSToken): string {
  const [, , , , data] = token;
  return data !== undefined && 'value' in data ? String(data.value) : '';
}
