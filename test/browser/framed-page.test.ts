import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers } from './browser.ts';
import { createFramedPages, frameOf, openPanel, quoteIn, selectText } from './framed-page.ts';

const subject = { title: 'A page in the viewer', withContentOrigin: true };
const goneBack = ['the browser goes back to it', "location.href = 'http://other.example/'"] as const;
const sentence = 'The sentence to quote stands here.';
/** Tells what a page sees of its address while it loads. */
const witness = `<script>
self.seen = [location.hash, document.URL, document.referrer, String(history.state), name,
  ...performance.getEntries().map((entry) => entry.name), document.documentElement.outerHTML, String(document.currentScript?.src)];
self.loads = 1;
for (const type of ['hashchange', 'popstate', 'message']) addEventListener(type, (event) => seen.push(type, event.newURL, location.href));
</script>`;

describeInBrowsers(subject, (browser) => {
  const service = useService(browser.settings);
  const { publish, open } = createFramedPages(browser, service);

  it('is loaded once, for the owner, too; no press loads it again, and what was done in it stays', async () => {
    const { slug, dashboard } = await publish(`<!doctype html><h1>Once</h1><p>${sentence}</p>${witness}`);
    for (const reader of [undefined, dashboard]) {
      const { page, asked, faults } = await open(`/p/${slug}`, reader);
      const frame = await frameOf(page);
      await frame.evaluate('self.kept = true');
      if (reader !== undefined) {
        await page.getByRole('button', { name: 'Comments' }).waitFor();
        await selectText(page, 'p');
        await openPanel(page);
        await quoteIn(page, sentence).waitFor();
      }
      expect(await frame.evaluate('[self.kept, self.loads]')).to.deep.equal([true, 1]);
      expect(asked).to.have.length(1);
      expect(asked[0]).to.include(`/p/${slug}/raw?framed=1&v=1&id=`);
      expect(faults.filter((fault) => fault !== `asked ${asked[0]}`)).to.deep.equal([]);
    }
  });

  it("a guest's first press on Comments keeps the selection and the page", async () => {
    const { slug } = await publish(`<!doctype html><h1>Guest</h1><p>${sentence}</p>`, { comments: 'anyone' });
    const { page, asked } = await open(`/p/${slug}`);
    await page.getByRole('button', { name: 'Comments' }).waitFor();
    await selectText(page, 'p');
    await openPanel(page);
    await quoteIn(page, sentence).waitFor();
    expect(asked).to.have.length(1);
  });

  it('a page that is busy while the panel opens says then what was selected', async () => {
    const { slug, dashboard } = await publish(`<!doctype html><p>${sentence}</p>`);
    const { page } = await open('/docs', dashboard);
    const held: Route[] = [];
    await page.route(/comments-panel/, (route) => void held.push(route));
    await page.goto(`${service.url}/p/${slug}`, { waitUntil: 'commit' });
    await until(() => held.length > 0, 'the script of the panel is asked for');
    await selectText(page, 'p');
    const frame = await frameOf(page);
    await frame.evaluate(
      'setTimeout(() => { const end = performance.now() + 3000; while (performance.now() < end); })',
    );
    for (const route of held) await route.continue();
    await openPanel(page);
    await quoteIn(page, sentence).waitFor();
  });

  it('sees the hash of the viewer while it loads, and never the key', async () => {
    const { slug, dashboard } = await publish(
      `<!doctype html><h1>Hash</h1>${witness}<div style="height:3000px"></div><h2 id="t-test">T-test</h2><div style="height:3000px"></div>`,
    );
    for (const [hash, seen] of [
      ['', ''],
      ['#t-test', '#t-test'],
      ['#/route?a=b&c=%C3%A9', '#/route?a=b&c=%C3%A9'],
      [`#t-${'0'.repeat(32)}`, ''],
    ] as const) {
      const { page } = await open(`/p/${slug}${hash}`, dashboard);
      const frame = await frameOf(page);
      await frame.waitForSelector('h1');
      const all = await frame.evaluate<string[]>('self.seen');
      expect(all[0]).to.equal(seen);
      expect(all.join('\n')).to.not.match(/dropleaf[ =][0-9a-f]/);
      expect(await frame.evaluate('[location.hash, history.length > 0]')).to.deep.equal([seen, true]);
      if (hash === '#t-test') await frame.waitForFunction('scrollY > 2000');
      await page.context().close();
    }
  });

  for (const [what, html] of [
    [
      'a policy that allows no script',
      `<meta http-equiv="Content-Security-Policy" content="script-src 'none'"><p>${sentence}</p>`,
    ],
    [
      'a policy with a nonce',
      `<meta http-equiv="Content-Security-Policy" content="script-src 'nonce-a'"><p>${sentence}</p>`,
    ],
    [
      'names of its own',
      `<p>${sentence}</p><script>var parent = 1; class Highlight {} const CSS = 2; function Map() {} const MutationObserver = 3;
       let MessageChannel, visualViewport, Proxy; var getSelection, setTimeout, self, innerHeight = 'x'; const Text = 4, Node = 5, Range = 6;</script>`,
    ],
    [
      'a height that it reports on each frame',
      `<p>${sentence}</p><script>(function report() { window.parent.postMessage({ type: 'height', height: 1 }, '*'); requestAnimationFrame(report) })()</script>`,
    ],
    ['implied head and text first', `Text <p>${sentence}</p>`],
    [
      'an XML prolog',
      `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><p>${sentence}</p></body></html>`,
    ],
    ['a base elsewhere', `<!doctype html><base href="https://elsewhere.example/"><p>${sentence}</p>`],
  ] as const)
    it(`comments work with ${what}`, async () => {
      const { slug, dashboard } = await publish(html);
      const { page } = await open(`/p/${slug}`, dashboard);
      await openPanel(page);
      await selectText(page, 'p');
      await quoteIn(page, sentence).waitFor();
    });

  it('finds its document as it was: no element, listener or name of ours', async () => {
    const { slug } = await publish(
      '<!doctype html><html><head><title>T</title></head><body><script>self.first = [document.head.innerHTML, document.scripts.length, Object.keys(window).filter((name) => /dropleaf/i.test(name)).length]</script></body></html>',
    );
    const { page } = await open(`/p/${slug}`);
    const frame = await frameOf(page);
    const [head, scripts, names] = await frame.evaluate<[string, number, number]>('self.first');
    expect(head).to.match(/^<title>T<\/title><meta name="viewport"/);
    expect([scripts, names]).to.deep.equal([1, 0]);
  });

  it('opened by itself, the address does nothing', async () => {
    const { slug } = await publish('<!doctype html><h1>Alone</h1>');
    const { page } = await open(`/p/${slug}/raw?framed=1#x`);
    expect(await page.evaluate('[location.hash, name]')).to.deep.equal(['#x', '']);
    expect(
      await page.evaluate(
        '(() => { try { return typeof localStorage } catch (error) { return error.name } })()',
      ),
    ).to.equal('SecurityError');
  });

  for (const [what, act] of [
    ['it loads itself again', 'location.reload()'],
    ['it goes to its own address', 'location.href = location.href'],
    ...(browser.hasContentOrigin ? [] : [goneBack]),
  ] as const)
    it(`keeps its comments when ${what}, with its hash and its state, and sees no key`, async () => {
      const { slug, dashboard } = await publish(`<!doctype html><h1>Again</h1><p>${sentence}</p>${witness}`);
      const { page } = await open(`/p/${slug}`, dashboard);
      await page.route('http://other.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<h1>Other</h1>' }),
      );
      await openPanel(page);
      const frame = await frameOf(page);
      await page.evaluate(
        "document.querySelector('main iframe').addEventListener('channel', () => { self.channels = (self.channels ?? 0) + 1 })",
      );
      await frame.evaluate('self.old = true');
      await frame.evaluate(`setTimeout(() => { ${act} })`);
      if (act.includes('other')) {
        await page.frameLocator('main iframe').getByRole('heading', { name: 'Other' }).waitFor();
        await page.evaluate('history.back()');
      }
      await page.frameLocator('main iframe').getByRole('heading', { name: 'Again' }).waitFor();
      await until(() => page.evaluate<boolean>('self.channels === 1'), 'another channel');
      const again = await frameOf(page);
      expect(await again.evaluate('[self.old ?? null, location.hash]')).to.deep.equal([null, '']);
      await selectText(page, 'p');
      await quoteIn(page, sentence).waitFor();
      expect((await again.evaluate<string[]>('self.seen')).join('\n')).to.not.match(/dropleaf[ =][0-9a-f]/);
    });

  if (browser.hasContentOrigin) return; // the frame shows no other site

  it('another site in the frame gets no message and no channel, whatever it says', async () => {
    const { slug, dashboard } = await publish(`<!doctype html><h1>Page</h1><p>${sentence}</p>`);
    const { page } = await open(`/p/${slug}`, dashboard);
    const site = `<h1>Site</h1><script>self.seen = []; addEventListener('message', ({ data }) => seen.push(data));
      const { port1, port2 } = new MessageChannel(); port1.onmessage = ({ data }) => seen.push(data);
      for (const key of [undefined, null, '', 'a'.repeat(32), {}]) parent.postMessage({ dropleaf: 'ready', key }, '*', []);
      parent.postMessage({ dropleaf: 'ready', key: 'b' }, '*', [port2]);
      parent.postMessage({ dropleaf: 'again', address: location.href, hash: '' }, '*');</script>`;
    await page.route('http://other.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: site }),
    );
    await openPanel(page);
    const frame = await frameOf(page);
    await frame.evaluate("void setTimeout(() => { location.href = 'http://other.example/' })");
    await page.frameLocator('main iframe').getByRole('heading', { name: 'Site' }).waitFor();
    await page.getByRole('button', { name: 'Comments' }).click();
    await page.locator('iframe.comments-panel').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Comments' }).click();
    await page.frameLocator('iframe.comments-panel').locator('.new-comment').waitFor();
    const other = await frameOf(page);
    expect(await other.evaluate('[self.seen, name]')).to.deep.equal([[], 'dropleaf']);
    await page.getByRole('button', { name: 'Back to the page' }).click();
    await page.frameLocator('main iframe').getByRole('heading', { name: 'Page' }).waitFor();
    await selectText(page, 'p');
    await quoteIn(page, sentence).waitFor();
  });

  for (const name of ['dropleaf', `dropleaf ${'a'.repeat(32)}`, 'mine', ''])
    it(`led back by another site that calls itself "${name}", it has its hash alone, and its comments`, async () => {
      const { slug, dashboard } = await publish(`<!doctype html><h1>Page</h1><p>${sentence}</p>${witness}`);
      const { page } = await open(`/p/${slug}`, dashboard);
      await openPanel(page);
      const frame = await frameOf(page);
      const address = await frame.evaluate<string>('location.href');
      const site = `<h1>Site</h1><script>name = ${JSON.stringify(name)};
        onload = () => parent.postMessage({ dropleaf: 'again', address: ${JSON.stringify(address)}, hash: '#part' }, '*');</script>`;
      await page.route('http://other.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: site }),
      );
      const led = page.waitForEvent('framenavigated', (to) => to.url().includes('#part'));
      await frame.evaluate("void setTimeout(() => { location.href = 'http://other.example/' })");
      await led;
      await page.frameLocator('main iframe').getByRole('heading', { name: 'Page' }).waitFor();
      const back = await frameOf(page);
      expect(await back.evaluate('[location.hash, self.seen[0]]')).to.deep.equal(['#part', '#part']);
      await selectText(page, 'p');
      await quoteIn(page, sentence).waitFor();
    });
});
