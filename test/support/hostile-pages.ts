import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

const largest = 2_097_152;

function jwt(payload: object): string {
  const parts = [{ alg: 'HS256' }, payload].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, 'abcdefghijklmnopqrstu'].join('.');
}

/** What is repeated to fill a document that is expensive to look at. */
const parts: readonly string[] = [
  '<a',
  '<a ',
  '<a b',
  '<a b=c>',
  '<a b="c">',
  '<a b=">',
  `<a b='"' c="'">`,
  '<p/>',
  '</p>',
  '</svg>',
  '<svg ',
  '<svg><title/>',
  '<!--',
  '<!-->',
  '<!a',
  '<?',
  '<',
  '</',
  '</script',
  'import ',
  '<script>import ',
  `<p a='">`,
  '<script>',
  '<script></script>',
  '<script>localStorage</script>',
  '<script src=//a></script>',
  '<script>from"//a"</script>',
  '<title>',
  '<title></title>',
  '<textarea',
  '<textarea></textarea>',
  '<style>url(',
  '<style>url(//a)</style>',
  '<p style="url(a:">',
  '<img src=//a>',
  '<img src="a:b" srcset="a: 1x, b:">',
  '<img srcset=,',
  'srcset=, ',
  '<a href={{',
  '<a href="#">',
  '<a onx=localStorage>',
  '<a onx onx',
  'src=',
  '="',
  "='",
  '= ',
  ' =',
  'e="',
  'key="',
  'password=',
  'password="',
  'password="a',
  'password: "',
  'password = "abc12345" ',
  'password="Qz7bcd9f" ',
  'api_key:&quot;',
  'secret=>"aaaaaaaaaaaaaaaa1"',
  '://',
  '://a:b',
  '://a:bcd',
  'x://a:bcd@x',
  'postgres://a:bcd@localhost',
  ':AA',
  ':',
  '12345678:AA',
  'eyJ',
  '.eyJ',
  'eyJaaaaaaaaaaaa.',
  `${jwt({ exp: 1 })} `,
  `"${jwt({ sub: '1234567890' })}"`,
  'ghp_',
  '.ghp_',
  '/sk-',
  '%20ghp_',
  'glpat-',
  'sk-ant-a-',
  `ghp_${'x'.repeat(36)} `,
  `SK${'0'.repeat(32)} `,
  'AKIAIOSFODNN7EXAMPLE ',
  '-----BEGIN ',
  'PRIVATE KEY',
  '-----BEGIN PRIVATE KEY',
  '-----BEGIN PRIVATE KEY-----',
  `-----BEGIN PRIVATE KEY-----${`${'a'.repeat(39)} `.repeat(5)}`,
  '\\n',
  '%20sk-',
  '&#',
  '{{',
  'a',
  '.',
  'a.',
  'aaaaaaaaaaaaaaaaaaaaa-/',
  '0123456789abcdef',
  '\n',
  ' ',
  '\u00a0',
  'é<a ',
];

/** Documents that are expensive to look at, of any length, by what they are made of. */
export const hostilePages: readonly (readonly [name: string, make: (length: number) => string])[] = [
  ...parts.map((part) => [part, (length: number) => repeat(part, length)] as const),
  ['findings behind many lines', (length) => repeat('\n', length - 2_000) + manySecrets()],
  ['an attribute of text', (length) => `<a href="${repeat('x', length - 12)}`],
  ['one tag with names', (length) => `<a src=a:${numbered(' n', length - 9)}`],
  ['one tag with handlers', (length) => `<a src=a:${numbered(' on', length - 9)}`],
  ['a signed token of one word', (length) => `eyJ${repeat('a', length - 3)}`],
  ['links, then an open quote', (length) => `${repeat('<a href="a:">', length - 10)}<a href="b`],
];

function repeat(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length);
}

function numbered(word: string, length: number): string {
  const words: string[] = [];
  for (let size = 0; size < length; size += words.at(-1)?.length ?? 0) words.push(`${word}${words.length}`);
  return words.join('').slice(0, length);
}

function manySecrets(): string {
  return Array.from({ length: 20 }, () => `\nghp_${randomBytes(18).toString('hex')}`).join('');
}

/** Documents as people publish them: a table, a page with a style sheet and a script, a library. */
export function ordinaryPages(length: number): readonly (readonly [name: string, page: string])[] {
  const library = readFileSync(new URL('chart.umd.min.js', import.meta.resolve('chart.js')), 'utf8');
  const row = (n: number) =>
    `<tr><td>row ${n}</td><td>${(n * 7919) % 10_007}</td><td class="v">${Math.sin(n).toFixed(6)}</td></tr>\n`;
  const rows = (size: number) =>
    Array.from({ length: Math.ceil(size / 60) }, (_, n) => row(n))
      .join('')
      .slice(0, size);
  const article = (size: number) =>
    repeat(
      '<p>The <a href="https://a.example/report?id=1">report</a> of the <b>third</b> quarter shows that sales rose by 12 %, as we had said in May.</p>\n',
      size,
    );
  const style = repeat('.card { color: #123; margin: 0 auto; padding: 1rem 2rem }\n', length / 5);
  const start = '<!doctype html><html><head><title>Report</title>';
  return [
    ['table', `${start}</head><body><table>${rows(length)}</table>`],
    [
      'report',
      `${start}<style>${style}</style>${article(length / 5)}<table>${rows(length / 5)}</table><script>${repeat(library, (length * 2) / 5)}</script>`,
    ],
    ['text', `${start}${article(length)}`],
    ['script', `${start}<script>${repeat(library, length)}</script>`],
    [
      'base64',
      `${start}<img src="data:image/png;base64,${randomBytes(Math.ceil((length * 3) / 4)).toString('base64')}">`,
    ],
    [
      'json',
      `${start}<script type="application/json">[${repeat('{"name":"Anna","key":"a-17","date":"2026-11-23","value":1.5},', length)}]</script>`,
    ],
  ];
}

export { largest as largestPage };
