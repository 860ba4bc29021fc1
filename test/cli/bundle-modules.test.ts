import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { bundlePage } from '../../cli/bundle/bundle.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const picture = `data:image/png;base64,${png.toString('base64')}`;
type Files = Readonly<Record<string, string | Buffer>>;

describe('Modules of a page', () => {
  let dir: string;
  beforeEach(() => {
    dir = makeTempDir();
  });

  function bundle(html: string, files: Files = {}) {
    for (const [name, content] of Object.entries({ 'a.png': png, ...files })) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), content);
    }
    return bundlePage(html, join(dir, 'page.html'));
  }

  /** Of a page that misses nothing, and of which nothing is to be said. */
  async function htmlOf(html: string, files?: Files): Promise<string> {
    const found = await bundle(html, files);
    expect(found.missing).to.deep.equal([]);
    expect(found.warnings).to.deep.equal([]);
    return found.html;
  }

  /** The page without its import map, and the code of each name in that. */
  function parts(html: string): { rest: string; codes: Record<string, string> } {
    const [whole = '', json = '{"imports":{}}'] =
      /<script type="importmap">(.*?)<\/script>\n/.exec(html) ?? [];
    const imports: Record<string, string> = JSON.parse(json).imports;
    const codes = Object.entries(imports).map(([name, address]) => {
      const [, code] = /^data:text\/javascript;charset=utf-8,(.*)$/.exec(address) ?? [];
      return [name, code === undefined ? address : decodeURIComponent(code)];
    });
    return { rest: html.replace(whole, ''), codes: Object.fromEntries(codes) };
  }

  it('a module without imports becomes an inline one, and keeps what its tag says', async () => {
    const html = await htmlOf(
      '<script type=module crossorigin integrity=x async id=m src="/assets/m.js?v=1#a">ignored</script><p>',
      { 'assets/m.js': 'a("</script>")' },
    );
    expect(html).to.equal('<script type=module async id=m>a("<\\/script>")</script><p>');
  });

  it('what is imported has a name of an import map, once for each file; hints go', async () => {
    const { rest, codes } = parts(
      await htmlOf(
        `<link rel=modulepreload href=/js/b.js crossorigin><script type=module src=./js/a.js></script>
<script type=module>\r\nimport { b } from "/js/../js/b.js"</script>`,
        {
          'js/a.js': 'import { b } from "./b.js";\nexport * from \'../js/b.js\';import(`./c.js`)',
          'js/b.js': 'import "./b.js"; export const b = "#%<é\\n"',
          'js/c.js': 'await 1',
        },
      ),
    );
    expect(rest).to.equal(
      `<script type=module>import { b } from "dropleaf/js/b.js";\nexport * from "dropleaf/js/b.js";import("dropleaf/js/c.js")</script>
<script type=module>\r\nimport { b } from "dropleaf/js/b.js"</script>`,
    );
    expect(codes).to.deep.equal({
      'dropleaf/js/b.js': 'import "dropleaf/js/b.js"; export const b = "#%<é\\n"',
      'dropleaf/js/c.js': 'await 1',
    });
  });

  it('a module that others import, or that two scripts name, is imported by its script', async () => {
    const { rest, codes } = parts(
      await htmlOf(
        '<script type=module src=a.js></script><script type=module src=b.js></script><script src=c.js type=module></script><script src=c.js type=module></script>',
        { 'a.js': 'import "./b.js"', 'b.js': 'import "./a.js"', 'c.js': '' },
      ),
    );
    expect(rest).to.equal(
      '<script type=module>import "dropleaf/a.js"</script><script type=module>import "dropleaf/b.js"</script><script type=module>import "dropleaf/c.js"</script><script type=module>import "dropleaf/c.js"</script>',
    );
    expect(Object.keys(codes)).to.deep.equal(['dropleaf/a.js', 'dropleaf/b.js', 'dropleaf/c.js']);
  });

  it('an import map of the page is part of it; what leads to other sites stays', async () => {
    const found = await bundle(
      `<script type=module>import "app"; import "react"; import "lib/x.js"; import "https://a.example/m.js"</script>
<script type=importmap>{"imports": {"app": "./app.js", "react": "https://esm.example/react", "lib/": "./lib/", "unused": "./none.js"}, "scopes": {"/lib/": {"react": "./old.js"}, "https://a.example/": {"react": "https://b.example/react"}}}</script>`,
      { 'app.js': '1', 'lib/x.js': 'import "react"', 'old.js': '2' },
    );
    expect(found.missing).to.deep.equal([]);
    const { rest, codes } = parts(found.html);
    expect(rest).to.equal(
      '<script type=module>import "app"; import "react"; import "dropleaf/lib/x.js"; import "https://a.example/m.js"</script>\n',
    );
    expect(codes).to.deep.equal({
      app: '1',
      react: 'https://esm.example/react',
      'dropleaf/lib/x.js': 'import "dropleaf/old.js"',
      'dropleaf/old.js': '2',
    });
    expect(found.html).to.contain('"scopes":{"https://a.example/":{"react":"https://b.example/react"}}');
  });

  it('JSON, style sheets, files with the same text, pictures that code names', async () => {
    const { rest, codes } = parts(
      await htmlOf(
        '<script type=module>import a from "./a.json" with { type: "json" }; import b from "./b.css" with { type: "css" }; import "./c.js"; import "./d.js"; f("/a.png", new URL("a.png", import.meta.url))</script>',
        { 'a.json': '{"a": " "}', 'b.css': 'b{background:url(a.png)}', 'c.js': '1', 'd.js': '1' },
      ),
    );
    expect(rest).to.contain(
      `f("${picture}", new URL("${picture}", (new URL("page.html",document.baseURI).href)))`,
    );
    expect(codes).to.deep.equal({
      'dropleaf/json/a.json': `data:application/json;base64,${btoa('{"a": " "}')}`,
      'dropleaf/css/b.css': `data:text/css;charset=utf-8;base64,${btoa(`b{background:url("${picture}")}`)}`,
      'dropleaf/c.js': '1',
      'dropleaf/d.js': '1#dropleaf/d.js',
    });
  });

  it('imports of classic scripts, relative to their files; scripts for browsers without modules stay', async () => {
    const { rest, codes } = parts(
      await htmlOf(
        '<script src=js/a.js></script><script>import("./m.js")</script><script nomodule src=old.js></script>',
        { 'js/a.js': 'import("./m.js")', 'js/m.js': '1', 'm.js': '2' },
      ),
    );
    expect(rest).to.equal(
      '<script>import("dropleaf/js/m.js")</script><script>import("dropleaf/m.js")</script><script nomodule src=old.js></script>',
    );
    expect(codes).to.deep.equal({ 'dropleaf/js/m.js': '1', 'dropleaf/m.js': '2' });
  });

  it('lists imports that cannot be read or resolved', async () => {
    const outside = makeTempDir();
    writeFileSync(join(outside, 'x.js'), '');
    symlinkSync(join(outside, 'x.js'), join(dir, 'link.js'));
    const { missing } = await bundle(
      '<script type=module src=no.js></script>\n<script type=module>import "./a.js";\nimport "bare"; import("node:fs"); import("./link.js")</script>',
      { 'a.js': '\nimport("./gone.js"); import "../up.js"; import("fs")' },
    );
    expect(missing).to.deep.equal([
      'no.js: there is no such file (page.html:1)',
      'bare: no import map says where that is (page.html:3)',
      './link.js: it is outside of the folder of the page (page.html:3)',
      './gone.js: there is no such file (a.js:2)',
      '../up.js: it is outside of the folder of the page (a.js:2)',
    ]);
  });

  it('names workers, own addresses, computed imports and what cannot be read', async () => {
    const { warnings, missing } = await bundle(
      '<script type=module>new Worker(new URL("./w.js", import.meta.url), { type: "module" });\nimport(name); import.meta.url</script><script type=module src=a.js></script>',
      { 'a.js': 'import "', 'w.js': '' },
    );
    expect(missing).to.deep.equal([]);
    expect(warnings.map((warning) => warning.split(': ')[0])).to.deep.equal([
      'import(…) (page.html:2), ./w.js import.meta.url (page.html:1), import.meta.url (page.html:2), ./w.js (page.html:1)',
      'its imports (a.js:1)',
    ]);
  });

  it('a page that imports nothing of its folder stays as it is', async () => {
    const html =
      '<script type=importmap>{"imports": {"react": "https://esm.example/react"}}</script><script type=module>import "react"</script><script type=module src="https://a.example/m.js"></script><svg><script type=module>import "./x.js"</script></svg>';
    expect((await bundle(html)).html).to.equal(html);
  });

  it('thousands of modules, and a chain of them, take no time; what they take is said', async () => {
    const number = 3000;
    const files = Object.fromEntries(
      Array.from({ length: number }, (_, n) => [
        `m/${n}.js`,
        n + 1 < number ? `import "./${n + 1}.js"` : '1',
      ]),
    );
    const { html, modules, missing } = await bundle('<script type=module src=m/0.js></script>', files);
    expect(missing).to.deep.equal([]);
    expect(Object.keys(parts(html).codes)).to.have.length(number - 1);
    expect(modules).to.include({ files: number - 1 });
    expect(modules?.address_bytes).to.be.above(modules?.bytes ?? 0);
  });
});
