import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { bundlePage } from '../../cli/bundle/bundle.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const dataOf = (type: string, bytes: string | Buffer) =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const picture = dataOf('image/png', png);

describe('Local files of a page', () => {
  let dir: string;
  beforeEach(() => {
    dir = makeTempDir();
  });

  function write(files: Readonly<Record<string, string | Buffer>>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), content);
    }
  }

  async function bundle(html: string, files: Readonly<Record<string, string | Buffer>> = {}) {
    write({ 'a.png': png, ...files });
    return bundlePage(html, join(dir, 'page.html'));
  }

  /** Of a page that misses nothing. */
  async function htmlOf(html: string, files?: Readonly<Record<string, string | Buffer>>): Promise<string> {
    const found = await bundle(html, files);
    expect(found.missing).to.deep.equal([]);
    return found.html;
  }

  for (const [what, html, expected] of [
    ['a picture, without quotes', '<img src=a.png alt=A>', `<img src="${picture}" alt=A>`],
    ['single quotes, entities, upper case', `<IMG SRC='&#97;.png' >`, `<IMG SRC="${picture}" >`],
    ['a query, a fragment, an escape', '<img src="%61.png?v=1#x">', `<img src="${picture}#x">`],
    ['the root of the folder', '<img src="/a.png">', `<img src="${picture}">`],
    [
      'srcset',
      '<img srcset="a.png, a.png 2x, data:image/png;base64,AA,BB 3x">',
      `<img srcset="${picture}, ${picture} 2x, data:image/png;base64,AA,BB 3x">`,
    ],
    [
      'a poster, an icon',
      '<link rel="shortcut icon" href="a.png"><video poster=a.png></video>',
      `<link rel="shortcut icon" href="${picture}"><video poster="${picture}"></video>`,
    ],
    [
      'an image of SVG',
      '<svg><image xlink:href="a.png"/></svg>',
      `<svg><image xlink:href="${picture}"/></svg>`,
    ],
    [
      'a style attribute',
      '<p style="background:url(a.png)">',
      `<p style="background:url(&quot;${picture}&quot;)">`,
    ],
    [
      'a style element',
      '<style>a{background:url( "a.png" )}/* url(b.png) */b{content:"url(c.png)"}</style>',
      `<style>a{background:url( "${picture}" )}/* url(b.png) */b{content:"url(c.png)"}</style>`,
    ],
    [
      'a picture in a template, unclosed tags, CR LF, a byte order mark',
      '\ufeff<p>\r\n<template><img src=a.png>',
      `\ufeff<p>\r\n<template><img src="${picture}">`,
    ],
    [
      'relative to a base',
      '<base href="sub/"><img src="../a.png">',
      `<base href="sub/"><img src="${picture}">`,
    ],
    ['relative to the root', '<base href="/"><img src="a.png">', `<base href="/"><img src="${picture}">`],
    [
      'a style element with CR LF, and no end',
      '<style>\r\na{background:url(a.png)}',
      `<style>\r\na{background:url("${picture}")}`,
    ],
    [
      'a style element of SVG',
      '<svg><style><![CDATA[a>b{fill:url(a.png)}/*<*/]]></style></svg>',
      `<svg><style>a>b{fill:url("${picture}")}/*&lt;*/</style></svg>`,
    ],
    [
      'a page in an attribute',
      '<iframe srcdoc="<img src=a.png>"></iframe>',
      `<iframe srcdoc="<img src=&quot;${picture}&quot;>"></iframe>`,
    ],
  ] as const)
    it(`${what}: nothing else is changed`, async () => expect(await htmlOf(html)).to.equal(expected));

  for (const html of [
    '<img src="https://a.example/a.png"><img src="//a.example/a.png"><img src="data:image/png;base64,AA">',
    '<a href="#a.png">A</a><img src=""><img><img src="blob:x"><script>var a = "<img src=a.png>"</script>',
    '<base href="https://a.example/"><img src="a.png"><link rel=stylesheet href="a.css">',
    '<!-- <img src=a.png> --><textarea><img src=a.png></textarea><title><img src=a.png></title>',
    '<script type="text/template" src="a.png"></script><link rel=canonical href="a.png">',
    `<a href="?a">A</a><img srcset="${','.repeat(100_000)},https://a.example/a${','.repeat(100_000)}b">${'<br>'.repeat(150_000)}`,
  ])
    it(`${html.slice(0, 50)}… stays as it is`, async () => expect(await htmlOf(html)).to.equal(html));

  it('a style sheet, with those that it imports, their pictures, and the best format of a font', async () => {
    const html = await htmlOf('<link rel=stylesheet media="print" href="css/a%20b.css" integrity=x id=s>', {
      'css/a b.css':
        '@charset "utf-8";@import "c.css" screen;@font-face{src:url(f.eot);src:url(f.woff2),url("f.ttf")}i{content:"</style>"}',
      'css/c.css': 'b{background:url(../a.png)}',
      'css/f.woff2': 'wOF2',
    });
    const imported = dataOf('text/css;charset=utf-8', `b{background:url("${picture}")}`);
    const font = dataOf('font/woff2', 'wOF2');
    expect(html).to.equal(
      `<style media="print" id=s>@import "${imported}" screen;@font-face{src:url(f.eot);src:url("${font}"),url("f.ttf")}i{content:"<\\/style>"}</style>`,
    );
  });

  it('a preload that becomes a style sheet', async () => {
    const html = await htmlOf('<link rel=preload as=style href=a.css onload="this.rel=\'stylesheet\'">', {
      'a.css': 'a{}',
    });
    expect(html).to.equal('<style onload="this.rel=\'stylesheet\'">a{}</style>');
  });

  it('scripts keep their order, and do not end early', async () => {
    const html = await htmlOf(
      '<script src="a.js" id=a integrity=x></script><script src=a.js defer></script><script src=b.js>ignored</script>',
      { 'a.js': 'a("</SCRIPT>")', 'b.js': 'b()' },
    );
    expect(html).to.equal(
      `<script id=a>a("<\\/SCRIPT>")</script><script src="${dataOf('text/javascript;charset=utf-8', 'a("</SCRIPT>")')}" defer></script><script>b()</script>`,
    );
    const code = '<!-- the oldest browsers\na("<script>")';
    expect(await htmlOf('<script src=a.js></script>', { 'a.js': code })).to.equal(
      `<script src="${dataOf('text/javascript;charset=utf-8', code)}"></script>`,
    );
  });

  it('the symbols of a picture become part of the document once', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="i"/><symbol id="j"/></svg>';
    const { html, files } = await bundle(
      '<body><svg><use href="s.svg#i"/><use xlink:href="s.svg#j"/></svg></body>',
      {
        's.svg': `<?xml version="1.0"?>\n${svg}`,
      },
    );
    expect(files.map(({ times }) => times)).to.deep.equal([1]);
    expect(html).to.equal(
      `<body><svg><use href="#i"/><use xlink:href="#j"/></svg><div style="position:absolute;width:0;height:0;overflow:hidden" aria-hidden="true">${svg}</div>\n</body>`,
    );
  });

  it('symbols with the same id in two pictures are two', async () => {
    const svg = (name: string) => `<svg><symbol id="${name}"/></svg>`;
    const html = await htmlOf('<svg><use href="s.svg#i"/><use href="t.svg#i"/><use href="t.svg#i"/></svg>', {
      's.svg': svg('i'),
      't.svg': svg('i'),
    });
    expect(html)
      .to.contain('<use href="#i"/><use href="#i--2"/><use href="#i--2"/>')
      .and.contain(svg('i'))
      .and.contain(svg('i--2'));
  });

  it('says what is in the page, how often, and the texts that were read', async () => {
    const { files, texts } = await bundle(
      '<img src=a.png><img src=./a.png><link rel=stylesheet href=a.css>',
      {
        'a.css': 'a{}',
      },
    );
    expect(files).to.deep.equal([
      { path: 'a.png', bytes: png.length, times: 2 },
      { path: 'a.css', bytes: 3, times: 1 },
    ]);
    expect(texts).to.deep.equal([{ name: 'a.css', text: 'a{}' }]);
  });

  it('lists all that is missing, where it is named, and why', async () => {
    const outside = makeTempDir();
    writeFileSync(join(outside, 'secret.png'), png);
    symlinkSync(join(outside, 'secret.png'), join(dir, 'link.png'));
    symlinkSync('loop.png', join(dir, 'loop.png'));
    symlinkSync('.env', join(dir, 'env.png'));
    const names = [
      'no.png',
      '../up.png',
      `file://${outside}/secret.png`,
      'link.png',
      'loop.png',
      '.ssh/key.png',
      'C:\\a.png',
      'env.png',
    ];
    const { missing, html } = await bundle(
      [...names, 'key.pem', 'sub', '%zz.png', 'no.png'].map((name) => `<img src="${name}">\n`).join('') +
        '<link rel=stylesheet href=a.css><svg><use href="s.svg#no"/><use href="s.svg#%zz"/></svg>',
      {
        'key.pem': 'secret',
        '.env': 'SECRET=1',
        'sub/x': '',
        'a.css': '@import "b.css"',
        'b.css': '@import "a.css"',
        's.svg': '<svg/>',
      },
    );
    const from = (address: string) => (address.length > 60 ? `${address.slice(0, 59)}…` : address);
    expect(missing).to.deep.equal([
      'no.png: there is no such file (page.html:1 and 1 times more)',
      '../up.png: it is outside of the folder of the page (page.html:2)',
      `${from(`file://${outside}/secret.png`)}: it is a path of this computer: write it relative to the page (page.html:3)`,
      'link.png: it is outside of the folder of the page (page.html:4)',
      'loop.png: links that lead to each other (page.html:5)',
      '.ssh/key.png: it is hidden, and not read (page.html:6)',
      'C:\\a.png: it is a path of this computer: write it relative to the page (page.html:7)',
      'env.png: it is hidden, and not read (page.html:8)',
      'key.pem: it is no picture, sound, film or font (application/octet-stream) (page.html:9)',
      'sub: it is a folder, or no ordinary file (page.html:10)',
      '%zz.png: there is no such file (page.html:11)',
      'a.css: it imports itself (b.css)',
      's.svg#no: it has no symbol #no (page.html:13)',
      's.svg#%zz: it has no symbol #%zz (page.html:13)',
    ]);
    expect(html)
      .to.contain('<img src="link.png">')
      .and.not.contain(Buffer.from('secret').toString('base64').slice(0, 8));
  });

  it('names with their lines what cannot become part of a document, and what to do', async () => {
    const { warnings, missing, html } = await bundle(
      '<svg><script href=m.js /></svg>\n<iframe src=f.html></iframe><a href=o.html#x>O</a>\n<script src=a.js></script>' +
        '<script>fetch("https://a.example/x"); new Worker("w.js")</script>',
      { 'a.js': '\nd3.csv("data.csv"); import("./x.js")' },
    );
    expect(missing).to.deep.equal([]);
    expect(html).to.contain('<svg><script href=m.js /></svg>');
    expect(warnings.map((warning) => warning.split(': ')[0])).to.have.members([
      'data.csv (a.js:2), ./x.js (a.js:2), w.js (page.html:3)',
      'm.js (page.html:1)',
      'f.html (page.html:2)',
      'o.html#x (page.html:2)',
    ]);
    for (const warning of warnings) expect(warning).to.match(/npx esbuild|Publish it by itself/);
  });

  it('names files that scripts and attributes name, and storage in scripts', async () => {
    const { warnings } = await bundle(
      '<style>i{background:url(img/m.png)}</style>\n<img data-src="a.png" data-of="b.png">\n<script src=a.js></script><script type=module>\nimport "./x.js"; import(x)</script>' +
        '<meta http-equiv=refresh content="0; url=o.html"><script type="text/babel" src=b.jsx></script>',
      {
        'a.js':
          'f({url: "img/t.json?1", g: "m.png"},\n"t/{z}/{x}.png", "t.png", "{z}/a.png", "page.html", "/", "img/" + x); localStorage.a = 1',
        'img/m.png': png,
        'img/t.json': '{}',
        't/1/1.png': png,
        'x.js': '',
      },
    );
    expect(warnings.map((warning) => warning.split(': ')[0])).to.have.members([
      'b.jsx (page.html:4), import(…) (page.html:4), a.png (page.html:2), img/t.json (a.js:1), m.png (a.js:1), t/{z}/{x}.png (a.js:2), img/ (a.js:2)',
      'localStorage (a.js:2)',
      'o.html (page.html:4)',
    ]);
  });

  it('reads no more than a page can have', async () => {
    const large = Buffer.concat([png, Buffer.alloc(2 ** 22)]);
    const { missing } = await bundle('<img src=large.png>'.repeat(20), { 'large.png': large });
    expect(missing).to.deep.equal([
      'large.png: the page has more than 67108864 bytes (page.html:1 and 3 times more)',
    ]);
  });

  it('names in five scripts, in either normal form, and 10,000 pictures', async () => {
    const names = ['Überblick.png', '図.png', 'рисунок.png', 'صورة.png', 'चित्र.png'];
    const files = Object.fromEntries(names.map((name) => [name.normalize('NFD'), png]));
    const html = names.map((name) => `<img src="${name.normalize('NFC')}">`).join('');
    expect(await htmlOf(html, files)).to.equal(`<img src="${picture}">`.repeat(5));
    const many = await bundle('<img src=a.png>'.repeat(10_000));
    expect(many.files).to.deep.equal([{ path: 'a.png', bytes: png.length, times: 10_000 }]);
  });
});
