const size = 64 * 1024;

const fill = (piece: string) => piece.repeat(Math.floor(size / Buffer.byteLength(piece)));

/** Contexts of at most 64 KiB, made to become very large or to take very long. */
export const hostileContexts: readonly (readonly [what: string, text: string])[] = [
  ['references to a long address', `[a]: http://${'一'.repeat(6_500)}\n\n${'[a]'.repeat(15_000)}`],
  ['one long table', `|a|b|c|\n|-|-|-|\n${fill('|\n').slice(0, -20)}`],
  ['a wide table', `${'|'.repeat(20_000)}\n${'|-'.repeat(10_000)}|\n${'|\n'.repeat(10_000)}`],
  ['lists in lists', fill('- ')],
  ['a long list', fill('-\n')],
  ['many lists', fill('-\n+\n')],
  ['quotes in quotes', fill('> ')],
  ['images that do not end', fill('![')],
  ['links that do not end', fill('[a](')],
  ['emphasis that does not end', fill('**a *b')],
  ['bare addresses', fill('http://a.bc/((((')],
  ['schemes', fill('://')],
  ['bare mail addresses', fill('mailto:a.b-')],
  ['code that does not end', fill('`')],
  ['characters to escape', fill('"')],
];
