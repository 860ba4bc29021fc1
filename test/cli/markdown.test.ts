import { expect } from 'chai';
import { toDocument } from '../../cli/markdown/document.ts';

const make = (markdown: string, hasHtml = false) =>
  toDocument(markdown, { hasHtml, otherTitle: 'notes' }).html;
const bodyOf = (document: string) => /<main dir="auto">\n([\s\S]*)<\/main>/.exec(document)?.[1] ?? '';

describe('Documents of Markdown', () => {
  it('have tables, footnotes, task lists, links, and code with colours but without scripts', () => {
    const body = bodyOf(
      make(
        '# A\n\n|a|b|\n|-|-|\n|1|2|\n\nText[^1] https://a.example\n\n[^1]: Note\n\n- [x] done\n\n```js\nlet a = 1\n```\n\n```other\nx < y\n```\n',
      ),
    );
    for (const part of [
      '<table>',
      'class="footnotes"',
      'type="checkbox"',
      '<a href="https://a.example" target="_blank">',
      '<span class="hljs-keyword">let</span>',
      'x &lt; y',
    ])
      expect(body).to.contain(part);
    expect(body).not.to.contain('<script');
  });

  for (const [markdown, title] of [
    ['Text\n\n## *One* & `two`\n\n# Three', 'One &amp; two'],
    ['Text alone', 'notes'],
    ['---\ntitle: x\n# no heading\n---\n# Real', 'Real'],
    ['Setext\n======', 'Setext'],
    ['---\ntitle: "Of the notes"\n---\nText', 'Of the notes'],
    ["---\nauthor: A\ntitle: 'Of the notes' \n---", 'Of the notes'],
    ['---\ntitle:\nauthor: A\n---\nText', 'notes'],
  ] as const)
    it(`the title of ${JSON.stringify(markdown)} is ${title}`, () =>
      expect(make(markdown)).to.contain(`<title>${title}</title>`));

  it('text between two rules stays', () =>
    expect(bodyOf(make('---\nHello\n\n---\nMore')))
      .to.contain('Hello')
      .and.to.contain('More'));

  it('headings have ids, as links to them expect', () => {
    const body = bodyOf(make('# A b, *c*!\n\n## A b c\n\n[x](#a-b-c)\n'));
    expect(body)
      .to.contain('<h1 id="a-b-c">')
      .and.contain('<h2 id="a-b-c-1">')
      .and.contain('<a href="#a-b-c">');
  });

  it('says what is shown otherwise than its author may think', () => {
    const warnings = (text: string, hasHtml = false) =>
      toDocument(text, { hasHtml, otherTitle: '' }).warnings;
    expect(warnings('Text <b>x</b>')).to.have.length(1);
    expect(warnings('<!-- x -->')[0]).to.contain('--html');
    expect(warnings('![A](my file.png)')[0]).to.contain('![A](my file.png) is shown as text');
    expect(warnings('Text <b>x</b>', true)).to.deep.equal([]);
    expect(warnings('`<b>` ![A](a.png) `![A](my file.png)` a < b\n\n    <p>\n')).to.deep.equal([]);
  });

  it('HTML is text, unless it is asked for; addresses run no scripts', () => {
    const markdown = '<b onclick="x()">B</b> [a](javascript:x()) ![b](data:text/html,x)';
    expect(bodyOf(make(markdown)))
      .to.contain('&lt;b onclick=')
      .and.not.contain('href="javascript');
    expect(bodyOf(make(markdown, true))).to.contain('<b onclick="x()">B</b>');
  });

  it('a block of notes at the start is left out; a rule is not one', () => {
    expect(bodyOf(make('---\r\na: b\r\n---\r\nText'))).to.equal('<p>Text</p>\n');
    expect(bodyOf(make('Text\n\n---\n\nMore'))).to.contain('<hr>');
    expect(bodyOf(make('---\n\nText'))).to.contain('<hr>');
  });
});
