const most = 2 * 1024 * 1024;

/** As many of the piece as fit into the largest document, behind what is before it. */
function fill(piece: string, before = ''): string {
  return before + piece.repeat(Math.floor((most - Buffer.byteLength(before)) / Buffer.byteLength(piece)));
}

function attributes(count: number): string {
  return Array.from({ length: count }, (_, i) => i.toString(36)).join(' ');
}

function sizes(count: number): string {
  return Array.from({ length: count }, (_, n) => `<img width=${10_000 + n} height=${n + 1}>`).join('');
}

/** What compresses badly, as text. */
function noise(characters: number): string {
  let state = 1;
  let text = '';
  while (text.length < characters) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, characters);
}

/** Documents that an uploader may send to hold the service up, each with a name; made when asked for, as most are of 2 MB. */
export const hostileDocuments: readonly (readonly [name: string, make: () => string])[] = [
  ['2,000 misnested formatting tags', () => '<a><b><i><font></a></b>'.repeat(2_000)],
  ['misnested formatting in a template', () => fill('<a><b><i><font></a></b>', '<head><template>')],
  ['250,000 attributes of a link', () => `<head><title>x</title><link ${attributes(250_000)}></head><p>x`],
  ['250,000 attributes of html', () => `<html ${attributes(250_000)}><head></head><p>x`],
  ['250,000 attributes of body', () => `<head></head><body ${attributes(250_000)}><p>x`],
  ['html tags of ever new attributes', () => fill('<html a=b c=d>')],
  ['2 MB of <', () => fill('<')],
  ['2 MB of </', () => fill('</')],
  ['2 MB of &', () => fill('&')],
  ['2 MB of & in a title', () => fill('&am', '<title>')],
  ['2 MB of white space', () => fill(' ', '<head>')],
  ['2 MB of line ends', () => fill('\r', '<head>')],
  ['2 MB of NUL in a title', () => fill('\0', '<head><title>')],
  ['an unclosed script', () => fill('a ', '<head><script>')],
  ['a script that looks like ending', () => fill('</script', '<head><script>')],
  ['a script in a comment', () => fill('<script', '<head><script><!--')],
  ['an unclosed template', () => fill('a ', '<head><template>')],
  ['an unclosed comment', () => fill('- ', '<head><!--')],
  ['an unclosed attribute', () => fill('a&amp;', '<head><link title="')],
  ['templates in templates', () => fill('<template>', '<head>')],
  ['nesting in a template', () => fill('<div>', '<head><template>')],
  ['paragraphs in buttons in a template', () => fill('<button><p>', '<head><template>')],
  ['tables in a template', () => fill('<table>x<tr>y<td>', '<head><template>')],
  ['a foreign tree in a template', () => fill('<svg><desc>', '<head><template>')],
  ['tiny metas', () => fill('<meta>', '<head>')],
  ['tiny comments', () => fill('<!>', '<head>')],
  ['end tags of nothing', () => fill('</a>', '<head>')],
  ['doctypes', () => fill('<!doctype>')],
  ['ever new sizes of pictures', () => sizes(70_000)],
  ['noise', () => `<title>x</title>${noise(most - 20)}`],
];
