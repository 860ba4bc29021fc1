const maxTitle = 200;

/** Those of titles that people write; every other one stays as it is written. */
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  middot: '·',
  bull: '•',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  times: '×',
  rarr: '→',
};

/** The text of a title, decoded; null if it is blank. */
export function readTitle(text: string): string | null {
  // Beyond a few thousand characters nothing can belong to the 200 that a title has.
  const decoded = text
    .slice(0, 4000)
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) =>
      name === undefined ? fromCodePoint(decimal, hex) : (entities[name] ?? whole),
    )
    .replace(/[\s\0]+/g, ' ')
    .trim();
  const characters = Array.from(decoded);
  if (characters.length === 0) return null;
  return characters.length > maxTitle ? `${characters.slice(0, maxTitle - 1).join('')}…` : decoded;
}

function fromCodePoint(decimal: string | undefined, hex: string | undefined): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10);
  const isLegal = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isLegal ? String.fromCodePoint(code) : '\ufffd';
}
