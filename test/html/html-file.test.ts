import { expect } from 'chai';
import { type HtmlFile, leastBytesOf, readHtmlFile, textDocument } from '../../shared/html/html-file.ts';
import { cpuMsOf } from '../support/cpu.ts';

const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le');
  return Uint8Array.from(isBigEndian ? bytes.swap16() : bytes);
};
const read = (bytes: Uint8Array<ArrayBuffer>, name = 'page.html', type = '') =>
  readHtmlFile(bytes, { name, type });

/** The document as text, or what became of it. */
function shown(file: HtmlFile): string {
  if ('html' in file) return Buffer.from(file.html).toString();
  return 'text' in file ? `plain? ${file.text}` : file.fault;
}

describe('readHtmlFile: what a file is that a person wants to publish', () => {
  it('a document in UTF-8 stays byte for byte, with a byte order mark, NUL, and whatever encoding it names', () => {
    for (const text of ['<p>ü', '\ufeff<p>ü\r\n\0', '<meta charset=windows-1252><p>ü', 'é<br/>'])
      expect(read(utf8(text)), text).to.deep.equal({ html: utf8(text) });
  });

  it('a document in another encoding that it names becomes UTF-8, and says so', () => {
    for (const [bytes, expected] of [
      [latin1('<META charset="windows-1252"><p>\x80 \xfc'), '<META charset="utf-8"><p>€ ü'],
      [
        latin1('<meta http-equiv=x content="text/html; charset=iso-8859-2"><p>\xb1'),
        '<meta http-equiv=x content="text/html; charset=utf-8"><p>ą',
      ],
      [latin1('<meta charset=shift_jis>\x83\x65'), '<meta charset=utf-8>テ'],
      [utf16('\ufeff<meta charset=unicode><p>ü'), '\ufeff<meta charset=utf-8><p>ü'],
      [utf16('\ufeff<p>ü', true), '\ufeff<p>ü'],
      [
        latin1(
          '<!--<meta charset=big5>--><meta name=a content="charset=big5"><meta charset=klingon><meta charset=latin2>\xb1',
        ),
        '<!--<meta charset=big5>--><meta name=a content="charset=big5"><meta charset=utf-8><meta charset=utf-8>ą',
      ],
      [
        latin1('<?xml version="1.0" encoding="latin2"?><p>\xb1'),
        '<?xml version="1.0" encoding="utf-8"?><p>ą',
      ],
      [latin1('<meta charset=iso-2022-jp><p>\x1b$BF|\x1b(B'), '<meta charset=utf-8><p>日'],
      [utf16('<p>ü'), '\ufeff<p>ü'],
      [utf16('<p>ü', true), '\ufeff<p>ü'],
    ] as const)
      expect(shown(read(bytes))).to.equal(expected);
  });

  it('two megabytes in windows-1252 that need a place of their own each take no time', () => {
    const bytes = Uint8Array.from(
      Buffer.concat([latin1('<meta charset=windows-1252>'), Buffer.alloc(2_000_000, 0x80)]),
    );
    expect(cpuMsOf(() => read(bytes), 250)).to.be.below(250);
  });

  it('an encoding that nobody knows: what to do', () => {
    for (const text of [
      '<p>\xfc',
      '<meta charset=utf-8><p>\xfc',
      '<meta charset=klingon><p>\xfc',
      '<meta charset=utf-16><p>\xfc',
    ])
      expect(shown(read(latin1(text))), text).to.include('Save the file as UTF-8');
  });

  it('another kind of file: what it is, and what to do', () => {
    for (const [start, name, ...words] of [
      ['%PDF-1.7\n\xe2', 'page.html', 'a PDF', 'Export it as HTML'],
      ['PK\x03\x04\x14\0', 'a.docx', 'an Office document', 'web page (.html)'],
      ['PK\x03\x04\x14\0', 'a.zip', 'a ZIP archive', 'Unpack it'],
      ['\xd0\xcf\x11\xe0\xa1', 'a.doc', 'an Office document', 'web page (.html)'],
      ['{\\rtf1', 'a.rtf', 'an Office document', 'web page (.html)'],
      ['\x89PNG\r\n', 'a.png', 'a picture', 'Put it into an HTML document'],
      ['bplist00', 'a.webarchive', 'a web archive', 'Save the page'],
      ['From: <Saved by Blink>\r\n', 'a.mhtml', 'a web archive', 'Save the page'],
      ['\x7fELF\x02\0\xff', 'a', 'no HTML document', 'ends in .html'],
    ] as const)
      for (const part of words) expect(shown(read(latin1(start), name)), name).to.include(part);
  });

  it('text without a tag, and a file that is named otherwise, may be meant as plain text', () => {
    for (const [text, name, type] of [
      ['1 < 2 <https://a.example> <me@a.example>', '', ''],
      ['just text', 'page.html', 'text/html'],
      ['# Notes<br>', 'notes.md', ''],
      ['<svg></svg>', 'a.svg', 'image/svg+xml'],
    ] as const)
      expect(read(utf8(`\ufeff${text}`), name, type)).to.deep.equal({ text });
  });

  it('plain text as a document: shown as it is, with a title', () => {
    const title = (text: string, name: string) => /<title>(.*)<\/title>/.exec(textDocument(text, name))?.[1];
    expect(title('\n# A & b\nc', 'n.md')).to.equal('A &amp; b');
    expect(title('a\nb', 'my.notes.txt')).to.equal('my.notes');
    expect(title('first <line>\nb', '')).to.equal('first &lt;line&gt;');
    expect(textDocument('\n<b>&amp;', '')).to.include('<pre>\n\n&lt;b&gt;&amp;amp;</pre>');
  });

  it('two megabytes of markup take no longer than other text, and their title has an end', () => {
    const text = '<&>'.repeat(700_000);
    let html = '';
    expect(cpuMsOf(() => (html = textDocument(text, '')), 250)).to.be.below(250);
    expect(html.length).to.be.below(leastBytesOf(text) + 30_000);
    expect(html).to.include(`<pre>\n${'&lt;&amp;&gt;'.repeat(700_000)}</pre>`);
    expect(leastBytesOf('a<&é')).to.equal(11);
    expect(textDocument('\ufeff<ü\ud800', '')).to.include('<pre>\n\ufeff&lt;ü\ufffd</pre>');
  });
});
