import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useOwner, useService } from '../support/service.ts';
import { useBrowser } from './browser.ts';

const columns = Array.from({ length: 24 }, (_, n) => n + 1);
const row = (tag: string, text: (n: number) => string) =>
  `<tr>${columns.map((n) => `<${tag}>${text(n)}</${tag}>`).join('')}</tr>`;
const table = `<table border="1">${row('th', (n) => `Column ${n}`)}${row('td', (n) => n.toFixed(2)).repeat(5)}</table>`;
const words = `<pre>${Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ')}</pre>`;
const photo = `<svg width="1600" height="900" viewBox="0 0 1600 900"><rect width="1600" height="900"/></svg>`;
const documentOf = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head>${head}<title>A wide page</title></head><body>${body}</body></html>`;

/** In place of the browser's dialog: notes it in the title. */
const countPrints = `(() => {
  let prints = 0;
  window.print = () => { document.title = 'printed ' + ++prints; };
})()`;

describe('A printed page in Chromium', () => {
  const browser = useBrowser();
  const service = useService();
  const owner = useOwner(service);

  async function newPage(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.addInitScript(countPrints);
    return page;
  }

  /** What is drawn on each sheet. */
  async function sheetsOf(page: Page, url: string): Promise<string[]> {
    await page.goto(url);
    return drawnIn(await page.pdf());
  }

  for (const [name, body] of Object.entries({
    'a wide table': table,
    'long lines': words,
    'a photo': photo,
  })) {
    it(`${name}: the raw page and /print have on paper what the file has`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'print-'));
      try {
        const html = documentOf(body);
        const file = join(folder, 'page.html');
        await writeFile(file, html);
        const { slug } = await owner.create({ html });
        const page = await newPage();
        const expected = await sheetsOf(page, pathToFileURL(file).href);
        expect(expected.join('').length).to.be.above(100);
        for (const part of ['raw', 'print'])
          expect(await sheetsOf(page, `${service.url}/p/${slug}/${part}`), part).to.deep.equal(expected);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }

  for (const [name, head] of Object.entries({
    'a policy without scripts': `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">`,
    'a policy with a nonce': `<meta http-equiv="Content-Security-Policy" content="script-src 'nonce-a'">`,
    'a name of its own': `<script>var print = 1;</script>`,
    'no head at all': '',
  })) {
    it(`/print prints once a page with ${name}`, async () => {
      const { slug } = await owner.create({ html: head === '' ? '<p>text' : documentOf('<p>text', head) });
      const page = await newPage();
      await page.goto(`${service.url}/p/${slug}/print`);
      await page.waitForFunction('document.title.startsWith("printed")');
      expect(await page.title()).to.equal('printed 1');
      expect(await page.locator('script').count()).to.equal(head.includes('<script') ? 1 : 0);
    });
  }
});

/** The drawing instructions of a PDF. */
function drawnIn(pdf: Buffer): string[] {
  const found: string[] = [];
  for (let at = pdf.indexOf('stream\n'); at >= 0; at = pdf.indexOf('stream\n', at)) {
    const end = pdf.indexOf('endstream', at);
    const drawn = inflated(pdf.subarray(at + 'stream\n'.length, end));
    if (/ (Tj|TJ|re|cm)\s/.test(drawn)) found.push(drawn);
    at = end + 'endstream'.length;
  }
  return found;
}

/** '' for what is not compressed: fonts and descriptions. */
function inflated(stream: Buffer): string {
  return stream[0] === 0x78 ? inflateSync(stream, { finishFlush: 2 }).toString('latin1') : '';
}
