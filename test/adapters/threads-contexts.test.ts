import { expect } from 'chai';
import { renderMarkdown } from '../../shared/threads/markdown.ts';
import { cpuMsOf, longestTurnOf } from '../support/cpu.ts';
import { hostileContexts } from '../support/hostile-contexts.ts';
import { parsePage } from '../support/html.ts';
import { useThreads } from '../support/threads.ts';

const render = (text: string) => renderMarkdown(text) ?? '';

const harmlessTags = new Set(
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
  it('renders Markdown, with headings one level lower', () => {
    expect(render('# One\n\nTwo **three** *four* `five`\n\n- six')).to.equal(
      '<h2>One</h2>\n<p>Two <strong>three</strong> <em>four</em> <code>five</code></p>\n<ul>\n<li>six</li>\n</ul>\n',
    );
    expect(render('###### Six')).to.equal('<h6>Six</h6>\n');
    expect(render('| a | b |\n|---|--:|\n| c | d |')).to.contain('<td>c</td>').and.contain('<th>b</th>');
  });

  it('renders a URL with 100,000 asterisks in linear time', () => {
    const address = `https://a.example/${'*'.repeat(100_000)}a`; // GHSA-38c4-r59v-3vqw: quadratic in markdown-it 14.1.0
    let markup = '';
    expect(cpuMsOf(() => (markup = render(address)), 2_000)).to.be.below(2_000);
    expect(markup).to.contain('<a href="https://a.example/***');
  });

  it('an image in a link becomes the text of the link; a link without text is removed', () => {
    const markup = render(
      '[![a chart](https://a.example/i.png)](https://b.example/) [](https://c.example) x',
    );
    expect(
      parsePage(markup)
        .all('a')
        .map(({ attributes, text }) => [attributes.href, text]),
    ).to.deep.equal([['https://b.example/', 'a chart']]);
  });

  it('links open in a new tab without referrer and opener, as user content', () => {
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

  it('turns an image into a link to it', () => {
    const page = parsePage(render('![a chart](https://example.org/chart.png)'));
    expect(page.find('a')?.attributes.href).to.equal('https://example.org/chart.png');
    expect(page.find('a')?.text).to.equal('a chart');
  });

  for (const text of hostile) {
    it(`is harmless: ${JSON.stringify(text)}`, () => {
      const markup = render(text);
      const page = parsePage(markup);
      const tags = [...markup.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag ?? '');
      expect(tags.filter((tag) => !harmlessTags.has(tag))).to.deep.equal([]);
      for (const tag of harmlessTags) {
        for (const { attributes } of page.all(tag)) {
          expect(
            Object.keys(attributes).filter((name) => !['href', 'rel', 'target', 'start'].includes(name)),
          ).to.deep.equal([]);
          if (attributes.href !== undefined) expect(attributes.href).to.match(/^(https?:\/\/|mailto:)/);
        }
      }
    });
  }

  it('does not resolve reference links', () => {
    expect(render('[a]: b:c\n\n[a] [d][a]')).to.equal('<p>[a]: b:c</p>\n<p>[a] [d][a]</p>\n');
  });

  it('returns null if the markup is larger than 512 KiB', () => {
    expect(render('-\n+\n'.repeat(12_000))).to.have.length(12_000 * 2 * 21);
    expect(renderMarkdown('-\n+\n'.repeat(16_000))).to.equal(null);
    expect(renderMarkdown('<http://b>'.repeat(6_500)), 'the attributes of links count').to.equal(null);
  });

  for (const [what, text] of hostileContexts) {
    it(`renders ${what} in bounded time and size`, () => {
      let markup: string | null = null;
      expect(cpuMsOf(() => (markup = renderMarkdown(text)), 5_000)).to.be.below(5_000); // about 0.3 s
      expect(Buffer.byteLength(markup ?? '')).to.be.at.most(512 * 1024);
    });
  }
});

describe('renderContext in a thread', () => {
  const open = useThreads();
  /** Seconds of work. */
  const slow = '![x] '.repeat(400_000);

  it('leaves the event loop free', async () => {
    const { renderContext } = open();
    await renderContext('warm');
    const render = async () => {
      for (const [, text] of hostileContexts) await renderContext(text);
    };
    expect(await longestTurnOf(render, 100), 'the longest turn of the event loop').to.be.below(100);
  });

  it('returns null if the markup would be too large', async () => {
    expect(await open().renderContext('-\n+\n'.repeat(16_000))).to.equal(null);
  });

  it('ends a render at its timeout, and renders those that wait', async () => {
    const { renderContext, warnings } = open({ limits: { renderContext: 100 } });
    const results = await Promise.all([slow, slow, '*a*'].map((text) => renderContext(text)));
    expect(results).to.deep.equal([null, null, '<p><em>a</em></p>\n']);
    expect(warnings).to.have.length(2);
  });

  it('returns null if rendering needs more memory than the thread may have', async () => {
    const { renderContext, warnings } = open({ limits: { renderContext: 20_000 } });
    expect(await renderContext('*a '.repeat(700_000))).to.equal(null);
    expect(String(warnings[0]?.err)).to.match(/memory/);
    expect(await renderContext('*a*')).to.equal('<p><em>a</em></p>\n');
  });
});
