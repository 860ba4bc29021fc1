import { expect } from 'chai';
import { checkPage } from '../../shared/page-checks/page-checks.ts';

/** The warnings of a page with a title. */
function warnings(body: string): readonly string[] {
  return checkPage(`<title>Page</title>${body}`).warnings;
}

describe('publish: checks of the page', () => {
  it('finds nothing to warn of in a self-contained page', () => {
    const page = `<!doctype html><!-- <script src="//x.example/a.js"></script> localStorage -->
      <title>Sales &amp; costs</title><meta charset=utf-8><link rel=icon href="data:,"><style>a{background:url(data:image/png;base64,AA)}</style>
      <a href="#top">Top</a> <a href="https://a.example/b">link</a> <a href=mailto:a@b.example>mail</a><img src='data:image/png;base64,AA'>
      <svg><title>shape</title><use href="#a"/></svg><code>localStorage</code>
      <script type="application/json">{"note": "localStorage"}</script><script>const a = "<img src=x.png>";</script>
      <script src="https://cdn.example/a.js" integrity="sha384-x" crossorigin></script><img src="https://a.example/x.png">`;
    expect(checkPage(page)).to.deep.equal({ title: 'Sales & costs', warnings: [] });
  });

  for (const [html, title] of [
    ['<title>\n  A &#8212; b&#x2026;\u00a0 </title>', 'A — b…'],
    ['<TITLE lang="a>b">Caps</TITLE >', 'Caps'],
    ['<svg><title>shape</title></svg><title>page</title>', 'page'],
    ['<title>a<b>c</title>', 'a<b>c'],
    ['<title>never closed', 'never closed'],
    ['<title>&unknown; &#0;</title>', '&unknown; \ufffd'],
    [`<title>${'é'.repeat(201)}</title>`, `${'é'.repeat(199)}…`],
    ['<title> </title>', null],
    ['<p>none', null],
  ] as const) {
    it(`reads the title of ${html.slice(0, 50)}`, () => {
      const report = checkPage(html);
      expect(report.title).to.equal(title);
      expect(report.warnings.some((warning) => warning.includes('no <title>'))).to.equal(title === null);
    });
  }

  it('warns of scripts from other hosts, unless their content is fixed by integrity', () => {
    const [warning, ...others] = warnings(
      '<script src="https://cdn.example/x.js"></script><script src=//b.example></script><script type=module>import a from "https://esm.example/d3"</script>',
    );
    expect(warning).to.include('cdn.example, b.example, esm.example');
    expect(others).to.deep.equal([]);
  });

  it('warns of storage and cookies with the line of the first use', () => {
    const [warning] = warnings('\n<script>\nlocalStorage.a; document.cookie\nlocalStorage.b</script>');
    expect(warning).to.include('localStorage (line 3), document.cookie (line 3)');
    expect(warnings('<p onclick="sessionStorage.clear()">')[0]).to.include('sessionStorage (line 1)');
  });

  it('warns of files that are not published with the page', () => {
    for (const [html, name] of [
      ['<img src="chart.png">', 'chart.png'],
      ['<img srcset="data:image/png;base64,AA 1x, ./b.png 2x">', './b.png'],
      ['<a href=other.html>', 'other.html'],
      ['<script src="/app.js"></script>', '/app.js'],
      ['<style>a{background:url( "x.svg" )}</style>', 'x.svg'],
      ['<img src="file:///tmp/a.png">', 'file:///tmp/a.png'],
      ['<img src="C:\\pictures\\a.png">', 'C:\\pictures\\a.png'],
    ] as const) {
      expect(warnings(html).join(), html).to.include(`published: ${name} will not`);
    }
    expect(warnings('<base href="https://a.example/"><img src="chart.png">')).to.deep.equal([]);
    expect(warnings('<img src=a><img src=b><img src=c><img src=d>')[0]).to.include('a, b, c and others');
  });
});
