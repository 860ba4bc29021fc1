import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { bundlePage } from '../../cli/bundle/bundle.ts';
import { useService } from '../support/service.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { describeInBrowsers, watchPage } from './browser.ts';

/** What Vite makes of `() => import('./lazy.js')` where that has a style sheet. @param ofDependency from `dep` and `importer` */
const preloadHelper = (ofDependency: string) => `const seen = {};
const assetsURL = function (dep, importer) { return ${ofDependency}; };
const __vitePreload = function (baseModule, deps, importerUrl) {
  let promise = Promise.resolve();
  if (deps && deps.length > 0) {
    promise = Promise.allSettled(deps.map((dep) => {
      dep = assetsURL(dep, importerUrl);
      if (dep in seen) return;
      seen[dep] = true;
      const isCss = dep.endsWith(".css");
      if (document.querySelector('link[href="' + dep + '"]' + (isCss ? '[rel="stylesheet"]' : ''))) return;
      const link = document.createElement("link");
      link.rel = isCss ? "stylesheet" : "modulepreload";
      if (!isCss) link.as = "script";
      link.crossOrigin = "";
      link.href = dep;
      document.head.appendChild(link);
      if (isCss) return new Promise((res, rej) => {
        link.addEventListener("load", res);
        link.addEventListener("error", () => rej(new Error("Unable to preload CSS for " + dep)));
      });
    }));
  }
  return promise.then((res) => {
    for (const item of res) if (item.status === "rejected") throw item.reason;
    return baseModule();
  });
};
const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["assets/lazy.js","assets/shared.js","assets/lazy.css"])))=>i.map(i=>d[i]);
`;

const vite = (entry: string) => ({
  'index.html':
    '<!doctype html><html><head><meta charset=utf-8><title>T</title><script type="module" crossorigin src="ENTRY"></script><link rel="modulepreload" crossorigin href="/assets/shared.js"></head><body><div id=out></div>',
  'assets/main.js': entry,
  'assets/lazy.js':
    'import { a } from "./shared.js"; import { own } from "./main.js"; export const text = a + " and " + own;',
  'assets/shared.js': 'export const a = "äöü #%<\\"\\\\";',
  'assets/lazy.css': '#out { color: rgb(1, 2, 3) }',
});

const turbopackChunk =
  '(globalThis.TURBOPACK||(globalThis.TURBOPACK=[])).push(["object"==typeof document?document.currentScript:void 0,';
/** The part of Turbopack's runtime that knows chunks. */
const turbopackRuntime = `globalThis.modules = new Map();
(() => {
  const chunks = new Map();
  const chunk = (url) => chunks.get(url) ?? chunks.set(url, deferred()).get(url);
  const deferred = () => { const one = {}; one.promise = new Promise((resolve) => { one.resolve = resolve }); return one };
  const load = (path) => {
    const url = "/_next/" + path;
    const one = chunk(url);
    const element = document.createElement(path.endsWith(".css") ? "link" : "script");
    if (path.endsWith(".css")) { element.rel = "stylesheet"; element.onload = one.resolve; element.href = url }
    else element.src = url;
    document.head.appendChild(element);
    return one.promise;
  };
  const push = (one) => {
    if (!Array.isArray(one)) {
      Promise.all(one.otherChunks.map((path) => chunk("/_next/" + path).promise)).then(() => {
        for (const id of one.runtimeModuleIds) modules.get(id)(load);
      });
      return;
    }
    const [own, id, module] = one;
    modules.set(id, module);
    chunk(typeof own === "string" ? "/_next/" + own : own.getAttribute("src").replace(/[?#].*$/, "")).resolve();
  };
  const earlier = globalThis.TURBOPACK ?? [];
  globalThis.TURBOPACK = { push };
  earlier.forEach(push);
})();`;

describeInBrowsers('Folders that bundlers make', (browser) => {
  const service = useService();

  /** Publishes `index.html`, opens its raw page and waits until `#out` has a text. */
  async function open(files: Readonly<Record<string, string>>) {
    const dir = makeTempDir();
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), content);
    }
    const {
      html,
      missing,
      files: taken,
    } = await bundlePage(files['index.html'] ?? '', join(dir, 'index.html'));
    expect(missing).to.deep.equal([]);
    const drop = await service.newDrop({ html });
    const page = await (await browser.newContext()).newPage();
    const { faults } = watchPage(page, drop.raw_url);
    await page.goto(drop.raw_url);
    const out = page.locator('#out:not(:empty)');
    await out.waitFor();
    const color = await page.evaluate('getComputedStyle(out).color');
    const origin: unknown = await page.evaluate('origin');
    return { text: await out.textContent(), color, faults, origin, files: taken.map(({ path }) => path) };
  }

  for (const [base, src, ofDependency] of [
    ['/', '/assets/main.js', '"/" + dep'],
    ['./', './assets/main.js', 'new URL("../" + dep, importer).href'],
  ] as const)
    it(`Vite with the base ${base}: a lazy chunk with its style sheet, and a cycle`, async () => {
      const files = vite(
        `${preloadHelper(ofDependency)}export const own = "own";
__vitePreload(async () => { const { text } = await import("./lazy.js"); return { text } }, __vite__mapDeps([0,1,2])${base === '/' ? '' : ',import.meta.url'}).then(({ text }) => {
document.getElementById("out").textContent = text; });`,
      );
      const page = files['index.html'].replace('ENTRY', src);
      const { files: _, ...found } = await open({ ...files, 'index.html': page });
      expect(found).to.deep.equal({
        text: 'äöü #%<"\\ and own',
        color: 'rgb(1, 2, 3)',
        faults: [],
        origin: 'null',
      });
    });

  it('webpack: chunks and style sheets whose names its runtime computes', async () => {
    const runtime = `const e = { 7: (file) => new Promise((resolve, reject) => {
  const script = document.createElement('script'); script.src = p + file + '.chunk.js'; script.onload = resolve; script.onerror = reject; document.head.append(script) }) };
const p = (document.currentScript.src || 'http://none.invalid/').replace(/^blob:/, '').replace(/[?#].*$/, '').replace(/\\/[^\\/]+$/, '/');
const style = (file) => new Promise((resolve, reject) => { const link = document.createElement('link'); link.rel = 'stylesheet'; link.onload = resolve; link.onerror = reject; link.href = p + file + ".css"; document.head.append(link) });
const list = self.webpackChunkapp = self.webpackChunkapp || [];
Promise.all([e[7](7), style(7)]).then(() => list[0][1]());`;
    const found = await open({
      'index.html':
        '<!doctype html><title>T</title><script defer src="static/js/main.js"></script><p id=out></p>',
      'static/js/main.js': runtime,
      'static/js/7.chunk.js':
        '"use strict";(self.webpackChunkapp=self.webpackChunkapp||[]).push([[7],()=>{out.textContent="later"}]);',
      'static/js/7.css': '#out { color: rgb(1, 2, 3) }',
      'other.js': 'out.textContent = "other"',
    });
    expect(found).to.include({ text: 'later', color: 'rgb(1, 2, 3)' });
    expect(found.faults).to.deep.equal([]);
  });

  it('Next by Turbopack: chunks that tell their names by the addresses of their elements', async () => {
    const found = await open({
      'index.html': `<!doctype html><title>T</title><script src="/_next/static/chunks/a1.js" async></script>
<script src="/_next/static/chunks/turbopack-r.js" async></script><p id=out></p>
<script>(globalThis["TURBOPACK"] || (globalThis["TURBOPACK"] = [])).push({"otherChunks":["static/chunks/a1.js"],"runtimeModuleIds":[1]});</script>
<script>window.flight = "1:\\"/_next/static/chunks/a1.js\\""</script>`,
      '_next/static/chunks/turbopack-r.js': turbopackRuntime,
      '_next/static/chunks/a1.js': `${turbopackChunk}1,(load)=>{
  const again = document.createElement("script"); again.setAttribute("src", "/_next/static/chunks/a1.js"); document.head.append(again);
  Promise.all(["static/chunks/b2.js","static/chunks/c3.css"].map(load)).then(() => modules.get(2)()) }]);`,
      '_next/static/chunks/b2.js': `${turbopackChunk}2,()=>{out.textContent="later"}]);`,
      '_next/static/chunks/c3.css': '#out { color: rgb(1, 2, 3) }',
      '_next/static/chunks/other.js': `${turbopackChunk}3,()=>{}]);`,
    });
    expect(found).to.include({ text: 'later', color: 'rgb(1, 2, 3)' });
    expect(found.faults).to.deep.equal([]);
    expect(found.files.some((path) => path.endsWith('other.js'))).to.equal(false);
  });

  it('import maps with scopes, JSON, two scripts of one module, files with the same text, top-level await', async () => {
    const found = await open({
      'index.html': `<!doctype html><title>T</title><p id=out></p>
<script type=module src=one.js></script><script type=module>import "./one.js"; import { n } from "counter"; import { n as other } from "/b/counter.js";
n.push(1); import data from "./data.json" with { type: "json" }; import "lib/late.js";
out.textContent = [window.times, n.length, other.length, data.text, window.late, (await import("app")).name].join(" ");</script>
<script type=module src=one.js></script>
<script type=importmap>{"imports": {"counter": "./a/counter.js", "lib/": "./lib/", "app": "./app.js"}, "scopes": {"/lib/": {"counter": "./b/counter.js"}}}</script>`,
      'one.js': 'window.times = (window.times ?? 0) + 1',
      'a/counter.js': 'export const n = [];',
      'b/counter.js': 'export const n = [];',
      'lib/late.js': 'import { n } from "counter"; window.late = n.push(1, 2)',
      'data.json': '{"text": "a  b"}',
      'app.js': 'await 1; export const name = "app"',
    });
    expect(found).to.include({ text: '1 1 2 a  b 2 app' });
    expect(found.faults).to.deep.equal([]);
  });
});
