import { expect } from 'chai';
import { renderMarkdown } from '../../shared/adapters/threads/context-thread.ts';
import { parsePage } from '../support/html.ts';

const render = (text: string) => renderMarkdown(text) ?? '';

const harmless = new Set(
  (
    'html head body h2 h3 h4 h5 h6 p br hr blockquote ul ol li strong em s a code pre ' +
    'table thead tbody tr th td'
  ).split(' '),
);

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<iframe src=//evil.example></iframe>',
  '</section></details></body><style>*{display:none}</style>',
  '<svg><script>alert(1)</script></svg>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x](//evil.example)',
  '[x](/p/other)',
  '<javascript:alert(1)>',
  '![x](https://evil.example/pixel.gif)',
  '![x](data:image/png;base64,AAAA)',
  '![<img src=x>](https://evil.example "><img src=x>")',
  '[![x](https://evil.example/a)](https://evil.example/b)',
  '[x](https://evil.example "\\" onmouseover=alert(1)")',
  '[x]: javascript:alert(1)\n\n[x]',
  '```"><script>alert(1)</script>\ncode\n```',
  '| a |\n|:-:|\n| <b style="x"> |',
  '<!-- --><base href=//evil.example><meta http-equiv=refresh content=0>',
  'https://evil.example/"onmouseover="alert(1)',
  'a\0b\u202ec',
];

describe('renderMarkdown', () => {
  it('shows Markdown, its headings a step lower', () => {
    expect(render('# One\n\nTwo **three** *four* `five`\n\n- six')).to.equal(
      '<h2>One</h2>\n<p>Two <strong>three</strong> <em>four</em> <code>five</code></p>\n<ul>\n<li>six</li>\n</ul>\n',
    );
    expect(render('###### Six')).to.equal('<h6>Six</h6>\n');
    expect(render('| a | b |\n|---|--:|\n| c | d |')).to.contain('<td>c</td>').and.contain('<th>b</th>');
  });

  it('an address with 100,000 asterisks in it takes time in proportion to its length', () => {
    const address = `https://a.example/${'*'.repeat(100_000)}a`; // GHSA-38c4-r59v-3vqw: quadratic in markdown-it 14.1.0
    const from = performance.now();
    expect(render(address)).to.contain('<a href="https://a.example/***');
    expect(performance.now() - from).to.be.below(2_000);
  });

  it('an image within a link is the words of that link; a link without words is none', () => {
    const markup = render(
      '[![a chart](https://a.example/i.png)](https://b.example/) [](https://c.example) x',
    );
    expect(
      parsePage(markup)
        .all('a')
        .map(({ attributes, text }) => [attributes.href, text]),
    ).to.deep.equal([['https://b.example/', 'a chart']]);
  });

  it('opens links elsewhere, telling nobody where from and vouching for nothing', () => {
    for (const text of [
      '[x](https://example.org/a?b=c)',
      'https://example.org/a?b=c',
      '<https://example.org/a?b=c>',
    ]) {
      const link = parsePage(render(text)).find('a');
      expect(link?.attributes).to.deep.equal({
        href: 'https://example.org/a?b=c',
        rel: 'noopener noreferrer nofollow ugc',
        target: '_blank',
      });
    }
    expect(parsePage(render('[x](mailto:a@b.example)')).find('a')?.attributes.href).to.equal(
      'mailto:a@b.example',
    );
  });

  it('makes an image a link to it', () => {
    const page = parsePage(render('![a chart](https://example.org/chart.png)'));
    expect(page.find('a')?.attributes.href).to.equal('https://example.org/chart.png');
    expect(page.find('a')?.text).to.equal('a chart');
  });

  for (const text of hostile) {
    it(`runs and loads nothing: ${JSON.stringify(text)}`, () => {
      const markup = render(text);
      const page = parsePage(markup);
      const tags = [...markup.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag ?? '');
      expect(tags.filter((tag) => !harmless.has(tag))).to.deep.equal([]);
      for (const tag of harmless) {
        for (const { attributes } of page.all(tag)) {
          expect(
            Object.keys(attributes).filter((name) => !['href', 'rel', 'target', 'start'].includes(name)),
          ).to.deep.equal([]);
          if (attributes.href !== undefined) expect(attributes.href).to.match(/^(https?:\/\/|mailto:)/);
        }
      }
    });
  }

  it('repeats no address: a reference stays text', () => {
    expect(render('[a]: b:c\n\n[a] [d][a]')).to.equal('<p>[a]: b:c</p>\n<p>[a] [d][a]</p>\n');
  });

  it('gives nothing when it would be larger than 512 KiB', () => {
    expect(render('-\n+\n'.repeat(12_000))).to.have.length(12_000 * 2 * 21);
    expect(renderMarkdown('-\n+\n'.repeat(16_000))).to.equal(null);
    expect(renderMarkdown('<http://b>'.repeat(6_500)), 'what links gain counts too').to.equal(null);
  });

  it('takes no minutes, however the links are made to be long to read', () => {
    for (const piece of ['http://a.bc/((((', '://', 'mailto:a.b-', '[a](', '![', '**a *b', '> ', '`']) {
      const start = performance.now();
      render(piece.repeat(65_536 / piece.length));
      expect(performance.now() - start, piece).to.be.below(10_000); // some 0.3 s where nothing else runs
    }
  });

  it('shows plain text as it is', () => {
    expect(render('a < b && c > "d"')).to.equal('<p>a &lt; b &amp;&amp; c &gt; "d"</p>\n');
    expect(render('')).to.equal('');
  });
});
