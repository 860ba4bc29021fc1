import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { BrowserContextOptions, Frame, Locator, Page } from 'playwright-core';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, overflowOf, watchPage, widths } from './browser.ts';

/** Higher than any window, with a target for a hash and a link to a site that refuses to be framed. */
const long = (heading: string) => `<!doctype html><title>Long</title><h1>${heading}</h1>
<a href="http://refuses.example/page">Away</a>
<div style="height: 4000px"></div><h2 id="section">Section</h2><div style="height: 4000px"></div>`;

describeInBrowsers('The viewer page', (browser) => {
  const service = useService();

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    return (await browser.newContext(options)).newPage();
  }

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await newPage(options);
    await page.goto(service.url + path);
    return page;
  }

  /** The viewer of a drop; `clock` of the page stands still, and moves at `page.clock.runFor`. */
  async function openWithClock(path: string): Promise<Page> {
    const page = await newPage();
    await page.clock.install();
    await page.goto(service.url + path);
    return page;
  }

  async function publish(fields: object = {}) {
    const { owner, slug } = await service.newDrop({ html: long('One'), title: 'Orders', ...fields });
    return { owner, slug };
  }

  async function frameOf(page: Page): Promise<Frame> {
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    if (frame === null) throw new Error('the frame holds no page');
    return frame;
  }

  const waitIn = async (page: Page, what: string) => (await frameOf(page)).waitForFunction(what);
  /** Acts until it is so: an input can arrive before the browser knows that the frame has the focus, or is covered. */
  const actUntil = (isSo: () => Promise<boolean>, act: () => Promise<void>) =>
    until(async () => {
      if (await isSo()) return true;
      await act();
      for (let wait = 0; wait < 1000; wait += 50) {
        if (await isSo()) return true;
        await pause(50);
      }
      return false;
    }, 'the effect of an input');
  /**
   * If the bar gets the focus a few ms after the page gave it to its frame, Chromium may send all keys to the frame, though
   * the document says that the bar has the focus. It sends them to the bar again after the frame had the focus once more.
   */
  const actAgain = (locator: Locator, isSo: () => Promise<boolean>, act: () => Promise<void>) => {
    let tries = 0;
    return actUntil(isSo, async () => {
      if (tries++ > 0) await locator.page().locator('iframe').focus();
      await act();
    });
  };
  const hides = (locator: Locator, act: () => Promise<void>) =>
    actAgain(locator, async () => !(await locator.isVisible()), act);
  const shows = (locator: Locator, act: () => Promise<void>) =>
    actAgain(locator, () => locator.isVisible(), act);
  const focused = (page: Page) => page.evaluate("document.activeElement.getAttribute('popovertarget')");

  it('keys scroll the page at once; the hash of the address reaches it, at first and later', async () => {
    const { slug } = await publish();
    const page = await open(`/p/${slug}`);
    const frame = await frameOf(page);
    await actUntil(
      () => frame.evaluate<boolean>('scrollY > 100'),
      () => page.keyboard.press('PageDown'),
    );
    // Chromium continues a scroll of a key, even if the hash asks for another place meanwhile.
    await frame.waitForFunction('scrollY === self.last || !(self.last = scrollY)', { polling: 200 });
    const entries = await page.evaluate('history.length');
    await page.evaluate("location.hash = 'section'");
    await waitIn(page, 'scrollY > 3000');
    expect(await page.evaluate('history.length')).to.equal(Number(entries) + 1);
    await page.goto('about:blank');
    await page.goto(`${service.url}/p/${slug}#section`);
    await waitIn(page, 'scrollY > 3000');
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`menus open by keyboard and close by Escape, which returns the focus, and by a click on the page; scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const { slug } = await publish();
      const page = await open(`/p/${slug}`, { javaScriptEnabled });
      const address = page.getByLabel('Address of this page');
      const share = page.getByRole('button', { name: 'Share' });
      await shows(address, () => share.press('Enter'));
      expect(await address.inputValue()).to.equal(`${service.url}/p/${slug}`);
      await page.getByAltText('QR code of the address').waitFor();
      await page.keyboard.press('Escape');
      await address.waitFor({ state: 'hidden' });
      expect(await page.locator('[popovertarget=share]:focus').count()).to.equal(1);
      await shows(address, () => share.press('Enter'));
      await hides(address, () => page.locator('main').click());
      const more = page.getByRole('button', { name: 'More' });
      await shows(page.getByRole('link', { name: 'Download' }), () => more.press('Enter'));
      const needScripts = page.getByRole('button', { name: 'Full screen' });
      expect(await needScripts.count()).to.equal(javaScriptEnabled ? 1 : 0);
      // Chromium on Linux has no share sheet.
      expect(await page.locator('[data-share]').isVisible()).to.equal(false);
    });
  }

  it('the menu of versions lists them when it opens; without scripts it links to their page', async () => {
    const { owner, slug } = await publish();
    for (const heading of ['Two', 'Three']) await owner.put(slug, { html: long(heading) });
    const page = await open(`/p/${slug}?v=2`);
    const links = page.locator('#versions li a');
    const menu = page.getByRole('button', { name: 'Version 2 of 3' });
    await shows(links.nth(2), () => menu.press('Enter'));
    const numbers = (await links.allInnerTexts()).map((text) => /^Version \d( \(latest\))?/.exec(text)?.[0]);
    expect(numbers).to.deep.equal(['Version 3 (latest)', 'Version 2', 'Version 1']);
    expect(await page.locator('#versions [aria-current]').innerText()).to.match(/^Version 2/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/p/${slug}`);
    await page.context().close();

    const plain = await open(`/p/${slug}`, { javaScriptEnabled: false });
    await plain.getByRole('button', { name: 'Version 3 of 3' }).click();
    await plain.getByRole('link', { name: 'All versions' }).click();
    await plain.getByRole('link', { name: 'Version 1' }).click();
    expect(plain.url()).to.equal(`${service.url}/p/${slug}?v=1`);
    await plain.context().close();
  });

  it('menus that cannot be loaded say so, and are loaded when they are opened again', async () => {
    const { owner, slug } = await publish();
    await owner.put(slug, { html: long('Two') });
    const page = await newPage();
    for (const part of ['versions', 'qr.svg']) await page.route(`**/${part}`, (route) => route.abort());
    await page.goto(`${service.url}/p/${slug}`);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('The QR code cannot be loaded. This device may be offline.').waitFor();
    await page.getByRole('button', { name: 'Version 2 of 2' }).click();
    const failure = page.getByText('The list of versions cannot be loaded. This device may be offline.');
    await failure.waitFor();
    await page.getByRole('link', { name: 'All versions' }).waitFor();
    await hides(failure, () => page.locator('main').click());
    await page.unroute('**/versions');
    await page.getByRole('button', { name: 'Version 2 of 2' }).click();
    await page.getByRole('link', { name: 'Version 1' }).waitFor();
    expect(await failure.count()).to.equal(0);
  });

  it('the menu of the title has the date, the versions, the report and the context, in order of headings', async () => {
    const { owner, slug } = await publish({ description: 'Of a week' });
    await owner.put(slug, { html: long('Two'), context: '# Why\n\nBecause.' });
    const page = await open(`/p/${slug}`, { viewport: { width: 320, height: 640 } });
    const context = page.getByRole('heading', { name: 'Why' });
    const title = page.locator('h1 button');
    expect(await page.getByRole('button', { name: 'Orders with context', exact: true }).count()).to.equal(1);
    await shows(context, () => title.press('Enter'));
    const menu = page.locator('#about');
    expect(await menu.innerText()).to.match(/^Orders\s+Of a week\s+Version 2, published .+ with Dropleaf/);
    for (const name of ['All versions', 'Report this page']) await menu.getByRole('link', { name }).waitFor();
    const headings = await page.locator(':is(h1, h2):visible').allInnerTexts();
    expect(headings).to.deep.equal(['Orders', 'Orders', 'Context', 'Why']);
    await hides(context, () => page.locator('#about summary').press('Enter'));
    await shows(context, () => page.locator('#about summary').press('Enter'));
    await page.keyboard.press('Escape');
    await context.waitFor({ state: 'hidden' });
    expect(await focused(page)).to.equal('about');
    await shows(context, () => title.press('Enter'));
    await hides(context, () => page.locator('main').click({ position: { x: 316, y: 560 } }));
  });

  it('the bar is one row of 44 px at every width', async () => {
    const { owner, slug } = await publish({ title: 'A title that goes on '.repeat(9) });
    await owner.put(slug, { html: long('Two') });
    const page = await open(`/p/${slug}?v=1`);
    for (const width of [320, 360, 768, 1440]) {
      await page.setViewportSize({ width, height: 700 });
      expect((await page.locator('.bar').boundingBox())?.height).to.equal(44);
      for (const name of ['Version 1 of 2', 'Share', 'More']) {
        const box = await page.getByRole('button', { name }).boundingBox();
        if (box === null) throw new Error(`${name} is not shown`);
        expect(box.y + box.height, name).to.be.at.most(44);
        expect(box.x + box.width, name).to.be.at.most(width);
      }
      expect(await overflowOf(page)).to.equal(0);
    }
  });

  it('on a touch screen a swipe pushes the bar away and a pull at the upper edge of the page brings it back, as do a press and another', async () => {
    browser.needsChromium('touches');
    const { slug } = await publish();
    const page = await open(`/p/${slug}`, { viewport: widths.phone, hasTouch: true, isMobile: true });
    const touch = await page.context().newCDPSession(page);
    const swipe = async (from: number, to: number) => {
      const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
        touch.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 150, y }] });
      await send('touchStart', from);
      for (let step = 1; step <= 10; step++) {
        await send('touchMove', from + ((to - from) * step) / 10);
        await pause(16);
      }
      await send('touchEnd');
    };
    const bar = page.locator('.bar');
    const isAway = async () => ((await bar.boundingBox())?.y ?? 0) === -44;
    const isBack = async () => (await bar.boundingBox())?.y === 0;
    const handle = page.getByRole('button', { name: 'Show the bar' });
    expect(await handle.isVisible()).to.equal(false);
    await actUntil(isAway, () => swipe(40, -40));
    expect(await handle.isVisible()).to.equal(true);
    await actUntil(isBack, () => swipe(300, 600));
    await actUntil(
      () => frameOf(page).then((frame) => frame.evaluate<boolean>('scrollY > 0')),
      () => swipe(600, 300),
    );
    expect(await isBack(), 'the page scrolls, not what is around it').to.equal(true);

    await page.getByRole('button', { name: 'More' }).tap();
    await page.getByRole('button', { name: 'Hide this bar' }).tap();
    await until(isAway, 'the bar is away');
    expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal('Show the bar');
    await handle.tap();
    await until(isBack, 'the bar is back');
  });

  it('on a touch screen the lower edge of the page is on the screen, with the bar and without it', async () => {
    browser.needsChromium('touches');
    const { slug } = await publish();
    const page = await open(`/p/${slug}`, { viewport: widths.phone, hasTouch: true, isMobile: true });
    const frame = await frameOf(page);
    const hasHeight = (height: number) =>
      until(async () => (await frame.evaluate('innerHeight')) === height, `${height} px`);
    await hasHeight(696);
    await page.getByRole('button', { name: 'More' }).tap();
    await page.getByRole('button', { name: 'Hide this bar' }).tap();
    await hasHeight(740);
    await page.getByRole('button', { name: 'Show the bar' }).tap();
    await hasHeight(696);
  });

  it('at a desktop width a page that is cut off on a phone is whole', async () => {
    const html =
      '<!doctype html><title>Wide</title><table><tr><td><div style="width: 1200px">Wide</div></table>';
    const { slug } = await publish({ html });
    const page = await open(`/p/${slug}`, { viewport: widths.phone });
    const frame = await frameOf(page);
    const isWhole = () =>
      frame.evaluate<boolean>('document.querySelector("div").getBoundingClientRect().right <= innerWidth');
    expect(await isWhole()).to.equal(false);
    const toggle = page.getByRole('button', { name: 'Desktop width' });
    const press = async () => {
      await page.getByRole('button', { name: 'More' }).click();
      await toggle.click();
    };
    await press();
    await until(isWhole, 'the page is whole');
    expect(await page.locator('[data-desktop]').getAttribute('aria-pressed')).to.equal('true');
    const { width = 0, height = 0 } = (await page.locator('iframe').boundingBox()) ?? {};
    expect([width, height].map(Math.round)).to.deep.equal([widths.phone.width, widths.phone.height - 44]);
    await press();
    await until(async () => !(await isWhole()), 'the page is as before');
    await page.setViewportSize(widths.wide);
    await page.getByRole('button', { name: 'More' }).click();
    expect(await toggle.isVisible()).to.equal(false);
  });

  it('a later version is offered while the page is looked at, without taking the focus; an address with v is left alone', async () => {
    browser.needsChromium('pages whose clock stands still');
    const { owner, slug } = await publish();
    const page = await openWithClock(`/p/${slug}`);
    const pinned = await openWithClock(`/p/${slug}?v=1`);
    const offer = page.getByRole('button', { name: 'Show version 2' });
    await page.getByRole('button', { name: 'More' }).focus();
    await page.clock.runFor(21_000);
    expect(await offer.count()).to.equal(0);
    await owner.put(slug, { html: long('Two') });
    await page.clock.runFor(21_000);
    await offer.waitFor();
    expect(await focused(page)).to.equal('more');
    expect(await page.getByRole('status').filter({ has: offer }).count()).to.equal(1);
    await (await frameOf(page)).getByRole('heading', { name: 'One' }).waitFor();
    const second = page.frameLocator('iframe').getByRole('heading', { name: 'Two' });
    await shows(second, async () => {
      if (await offer.isVisible()) await offer.press('Enter');
    });

    const asked: string[] = [];
    pinned.on('request', (request) => asked.push(request.url()));
    await pinned.clock.runFor(60_000);
    expect(asked).to.deep.equal([]);
    for (const one of [page, pinned]) await one.context().close();
  });

  it('says that the page was deleted, and asks no more; while the service does not answer it asks less often, and says nothing', async () => {
    const { owner, slug } = await publish();
    const page = await openWithClock(`/p/${slug}`);
    let failing = 0;
    await page.route('**/latest', (route) => {
      failing += 1;
      return route.fulfill({ status: 503, body: '{}' });
    });
    for (let seconds = 0; seconds < 200; seconds += 20) {
      await page.clock.runFor(20_000);
      await page.evaluate("fetch('/healthz').then(() => 0)"); // what was asked before is answered
    }
    expect(failing).to.be.within(2, 5); // after 20, 60, 140 s
    expect(await page.locator('.toast').count()).to.equal(0);
    await page.unroute('**/latest');
    await owner.request('DELETE', `/api/drops/${slug}`);
    await page.clock.runFor(300_000);
    await page.getByText('This page was deleted or has expired.').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(600_000);
    expect(asked, 'after it is gone').to.deep.equal([]);
  });

  it('Print opens the whole page, which asks the browser to print it', async () => {
    const { slug } = await publish();
    const page = await newPage();
    await page
      .context()
      .addInitScript("print = () => document.documentElement.setAttribute('data-printed', '')");
    await page.goto(`${service.url}/p/${slug}`);
    await page.getByRole('button', { name: 'More' }).click();
    const opened = () => page.context().pages()[1];
    const link = page.getByRole('link', { name: 'Print' });
    await actAgain(
      link,
      async () => opened() !== undefined,
      () => link.press('Enter'),
    );
    const print = opened();
    if (print === undefined) throw new Error('no page was opened');
    await print.locator('html[data-printed]').getByRole('heading', { name: 'Section' }).waitFor();
    expect(await print.evaluate('self.origin')).to.equal('null');
  });

  it('a page that goes to one site and at once on to another is named by the last', async () => {
    const script =
      "location = 'http://slow.example/'; setTimeout(() => { location = 'http://other.example/' }, 500)";
    const { slug } = await publish({ html: `<h1>One</h1><script>${script}</script>` });
    const page = await newPage();
    await page.route('http://slow.example/**', () => undefined); // does not answer
    await page.route('http://other.example/**', (route) => route.fulfill({ body: 'other' }));
    await page.goto(`${service.url}/p/${slug}`, { waitUntil: 'commit' });
    await page.getByText('A link led to other.example.').waitFor();
    expect(await page.locator('.toast').count()).to.equal(1);
  });

  it('a link to another site says where it led and leads back, and a page that does not load says so', async () => {
    const { slug } = await publish();
    const page = await newPage();
    await page.route('http://refuses.example/**', (route) =>
      route.fulfill({ headers: { 'x-frame-options': 'DENY' }, body: 'no' }),
    );
    await page.goto(`${service.url}/p/${slug}`);
    await page.evaluate(
      `document.querySelector('iframe').addEventListener('load', () => { self.isAway = true })`,
    );
    await page.frameLocator('iframe').getByRole('link', { name: 'Away' }).click();
    await page.getByText('A link led to refuses.example.').waitFor();
    // A person is slower than the browser, which loads its error.
    await until(() => page.evaluate<boolean>('self.isAway === true'), 'the error of the browser is loaded');
    const away = page.getByRole('link', { name: 'Open refuses.example in a new tab' });
    expect(await away.getAttribute('href')).to.equal('http://refuses.example');
    const back = page.getByRole('button', { name: 'Back to the page' });
    await hides(back, () => back.press('Enter'));
    await page.frameLocator('iframe').getByRole('heading', { name: 'One' }).waitFor();
    await away.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('IFRAME');

    const canFillScreen = async () => (await frameOf(page)).evaluate('document.fullscreenEnabled');
    expect(await canFillScreen()).to.equal(true);
    await page.route('http://other.example/**', (route) => route.fulfill({ body: '<h1>Other' }));
    await (await frameOf(page)).evaluate("document.querySelector('a').href = 'http://other.example/'");
    // Chromium may report a navigation a second time, after it has loaded.
    await page.evaluate(`document.querySelector('iframe').addEventListener('load', () =>
      document.dispatchEvent(new SecurityPolicyViolationEvent('securitypolicyviolation', {
        effectiveDirective: 'frame-src', blockedURI: 'http://other.example', disposition: 'report',
      })), { once: true })`);
    await page.frameLocator('iframe').getByRole('link', { name: 'Away' }).click();
    await page.getByText('A link led to other.example.').waitFor();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Other' }).waitFor();
    expect(await canFillScreen(), 'what the page may do is not for other sites').to.equal(false);
    await page.evaluate('history.back()');
    await page.frameLocator('iframe').getByRole('heading', { name: 'One' }).waitFor();
    await page.locator('.toast').waitFor({ state: 'detached' });
    expect(await canFillScreen()).to.equal(true);

    await page.route('**/raw?*', (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    await page.unroute('**/raw?*');
    await page.getByRole('link', { name: 'Try again' }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'One' }).waitFor();
  });

  it('shows hostile titles and contexts as text, whole in its menu, also on a narrow window', async () => {
    const title = `"><img src=x onerror=alert(1)> ${'W'.repeat(80)} \u202e${'\u0e47'.repeat(30)} \ufdfd\ufdfd`;
    const { slug } = await publish({ title, description: title });
    const page = await newPage({ viewport: widths.phone });
    const { faults } = watchPage(page, service.url);
    await page.goto(`${service.url}/p/${slug}`);
    await shows(page.locator('#about'), () => page.locator('h1 button').press('Enter'));
    expect(await page.locator('#about h2').textContent()).to.equal(title);
    expect(await overflowOf(page)).to.equal(0);
    expect(faults).to.deep.equal([]);
  });
});
