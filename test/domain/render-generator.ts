/** A small, fast and repeatable source of numbers (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const pieces = [
  '<!doctype html>',
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
  '<!doctype>',
  '<!doctype html SYSTEM "about:legacy-compat"',
  ...[
    '<html>',
    '<html lang=en>',
    '</html>',
    '<head>',
    '<head id=h>',
    '</head>',
    '<body>',
    '<body class=b>',
    '</body>',
  ],
  ...[
    '<title>',
    '</title>',
    '<TITLE>a</TITLE>',
    '<script>',
    '</script>',
    '<style>',
    '</style>',
    '<noscript>',
    '</noscript>',
  ],
  ...[
    '<template>',
    '</template>',
    '<textarea>',
    '</textarea>',
    '<noframes>',
    '</noframes>',
    '<iframe>',
    '</iframe>',
  ],
  ...[
    '<meta charset=utf-8>',
    '<meta name=viewport content=a>',
    '<META NAME="VIEWPORT">',
    '<link rel=x>',
    '<base href=/>',
  ],
  ...[
    '<svg>',
    '</svg>',
    '<math>',
    '<foreignObject>',
    '<mi>',
    '<frameset>',
    '<frame>',
    '</frameset>',
    '<plaintext>',
    '<select>',
  ],
  ...[
    '<p>',
    '</p>',
    '<b>',
    '</b>',
    '<i a=1>',
    '<a>',
    '</a>',
    '<table>',
    '<tr>',
    '<td>',
    '</table>',
    '<br>',
    '</br>',
    '<div/>',
  ],
  ...[
    '<!--',
    '-->',
    '--!>',
    '<!-->',
    '<!--->',
    '<!-- c -->',
    '<!x>',
    '<?x?>',
    '</',
    '<',
    '>',
    '<a href="',
    '"',
    "'",
    '=',
    '/>',
  ],
  ...[
    '&amp;',
    '&nbsp;',
    '&#32;',
    '&#0;',
    '&notit;',
    '&',
    '&#',
    '\0',
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '\f',
    'text',
    'é',
    '😀',
    '\ufeff',
    '\ufffd',
  ],
  ...[
    '<![CDATA[',
    ']]>',
    '<!--[if IE]>',
    '<![endif]-->',
    '<script><!--',
    '<script></head></script>',
    '<title></head></title>',
  ],
  ...[
    '<style data-dropleaf></style>',
    '<template><style data-dropleaf></style></template>',
    '<image>',
    '<isindex>',
    '<bgsound>',
    '<basefont>',
  ],
];

/** Documents of a few random pieces, half of them with an ordinary beginning. */
export function* generateDocuments(count: number, seed: number): Generator<string> {
  const random = createRandom(seed);
  const pick = () => pieces[Math.floor(random() * pieces.length)] ?? '';
  for (let i = 0; i < count; i++) {
    let text =
      random() < 0.5 ? '' : (['<!doctype html>', '<!doctype html><html><head>', '<head>'][i % 3] ?? '');
    for (let left = Math.floor(random() * 12); left >= 0; left--) text += pick();
    yield text;
  }
}
