import { expect } from 'chai';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { openDashboard } from '../support/dashboard.ts';
import { galleryPages, harmfulPages } from '../support/gallery-pages.ts';
import type { Owner } from '../support/owner.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { openSignedIn, tabTo, useBrowser } from './browser.ts';

const shown = '.thumbnail > .shown';
const wide = { viewport: { width: 1440, height: 900 } };

describe('The gallery, in Chromium', function () {
  this.timeout(120_000);
  const browser = useBrowser();
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  async function open(
    pages: readonly { title: string; html: string }[],
    options: BrowserContextOptions = wide,
  ) {
    const ada = await openDashboard(service);
    for (const fields of pages.toReversed()) {
      await ada.owner.create(fields);
      service.clock.advance(1000);
    }
    return { ...ada, ...(await openSignedIn(browser, ada, service.url, '/drops', options)) };
  }

  const count = (page: Page, selector: string) => page.locator(selector).count();
  /** What stands on the card of that title in place of the page. */
  const reasonOf = (page: Page, title: string) =>
    page.locator('.card', { hasText: title }).locator('.thumbnail').getAttribute('data-reason');
  const isShown = async (page: Page, title: string) =>
    (await page.locator('.card', { hasText: title }).locator(shown).count()) === 1;
  const viewsOf = async (owner: Owner) => {
    await service.settle();
    return (await owner.get('/api/drops')).body.data.map(({ view_count }) => view_count);
  };

  const plain = (n: number) => ({
    title: `Page ${n}`,
    html: `<!doctype html><title>${n}</title><h1>Page ${n}</h1>`,
  });

  it('shows the pages that are near, at most four loading and twelve at a time, and counts no view', async () => {
    const ada = await openDashboard(service);
    const pages = galleryPages(32).filter((_, n) => n % 4 !== 3);
    for (const fields of pages) await ada.owner.create(fields);
    const context = await browser.newContext(wide);
    await context.addInitScript(`setInterval(() => {
      const all = document.querySelectorAll('.thumbnail > iframe').length;
      const loading = all - document.querySelectorAll('${shown}').length;
      window.most = { all: Math.max(all, window.most?.all ?? 0), loading: Math.max(loading, window.most?.loading ?? 0) };
    }, 5)`);
    await context.addCookies([cookieOf(ada.cookie)]);
    const page = await context.newPage();
    await page.goto(`${service.url}/drops`);
    await until(async () => (await count(page, shown)) >= 9, 'the first rows are shown', 90_000);
    const box = page.locator('.thumbnail').first();
    const around = await box.boundingBox();
    const frame = await box.locator('iframe').boundingBox();
    expect(frame?.width).to.be.closeTo(around?.width ?? 0, 3);
    expect((around?.width ?? 0) / (around?.height ?? 1)).to.be.closeTo(1.6, 0.02);
    await page.mouse.wheel(0, 20_000);
    const last = page.locator('.card').last();
    await last.locator(shown).waitFor();
    await until(async () => (await count(page, '.card:first-child iframe')) === 0, 'the first is removed');
    const most = await page.evaluate<{ all: number; loading: number }>('most');
    expect(most.all).to.be.within(9, 12);
    expect(most.loading).to.be.at.most(4);
    expect(new Set(await viewsOf(ada.owner))).to.deep.equal(new Set([0]));
  });

  it('neither Tab nor the pointer reaches a page, and a card has one link to the page of its drop', async () => {
    const link = '<!doctype html><title>x</title><a href="#" style="position:fixed;inset:0">Inside</a>';
    const { page, faults } = await open([{ title: 'Links', html: link }]);
    await page.locator(shown).waitFor();
    await tabTo(page, 'Links');
    await tabTo(page, 'Open Links');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await page.locator('.thumbnail :focus, .thumbnail:focus-within').count()).to.equal(0);
    const box = await page.locator('.thumbnail').boundingBox();
    await page.mouse.click((box?.x ?? 0) + 100, (box?.y ?? 0) + 100);
    await page.waitForURL(/\/drops\/\w+$/);
    expect(faults).to.deep.equal([]);
  });

  it('its owner sees a locked page; without scripts, for who saves data, and of a page taken down, there is none', async () => {
    const ada = await openDashboard(service);
    await ada.owner.create({ ...plain(1), passcode: 'open-sesame' });
    const down = await ada.owner.create({ title: 'Taken', html: '<h1>x' });
    await service.services.moderation.takeDown(down.slug, { by: 'root', reason: 'spam' });
    const { page } = await openSignedIn(browser, ada, service.url, '/drops', wide);
    await page.locator(shown).waitFor();
    const frame = page.frames().find((each) => each.url().includes('/raw?'));
    expect(await frame?.textContent('h1')).to.equal('Page 1');
    expect(await count(page, '.thumbnail > iframe')).to.equal(1);
    const without = await openSignedIn(browser, ada, service.url, '/drops', {
      ...wide,
      javaScriptEnabled: false,
    });
    expect(await count(without.page, '.thumbnail > iframe')).to.equal(0);
    await page
      .context()
      .addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
    await page.reload();
    await page.getByText('2 drops').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await count(page, '.thumbnail > iframe')).to.equal(0);
  });

  it('a page that loops for ever gets a placeholder that says so, and the others are shown; also after a reload', async () => {
    const pages = [harmfulPages.loop, ...[1, 2, 3, 4, 5].map(plain)];
    const { page } = await open(pages);
    await until(async () => (await count(page, shown)) === 5, 'the others are shown', 60_000);
    expect(await reasonOf(page, 'Endless loop')).to.equal('It takes too long to load');
    await page.reload();
    await until(async () => (await count(page, shown)) === 5, 'the others are shown');
    expect(await isShown(page, 'Endless loop')).to.equal(false);
  });

  it('while a page is awaited, an empty frame is loaded in the process of the pages, and nothing fails', async () => {
    const ada = await openDashboard(service);
    await ada.owner.create(plain(1));
    const { page, faults } = await openSignedIn(browser, ada, service.url, '/drops?view=list', wide);
    await page.addInitScript(`window.probes = [];
      const isProbe = (node) => node.localName === 'iframe' && node.srcdoc !== '';
      new MutationObserver((records) => {
        for (const { addedNodes, removedNodes } of records) {
          if ([...addedNodes].some(isProbe)) probes.push('added');
          if ([...removedNodes].some(isProbe)) probes.push('removed');
        }
      }).observe(document, { childList: true, subtree: true });`);
    const held: Route[] = [];
    await page.route('**/raw?*', (route) => {
      held.push(route);
    });
    await page.goto(`${service.url}/drops?view=gallery`, { waitUntil: 'commit' }); // `load` may wait for the page
    await until(async () => (await page.evaluate<string[]>('probes')).length === 2, 'it was there');
    expect(await page.evaluate('probes')).to.deep.equal(['added', 'removed']);
    expect(await count(page, '.thumbnail > iframe')).to.equal(1);
    await held[0]?.continue();
    await page.locator(shown).waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('a page that loops after it has loaded is found, and the others are shown', async () => {
    const { page } = await open([harmfulPages.laterLoop, ...[1, 2, 3, 4, 5, 6].map(plain)]);
    await until(
      async () =>
        (await Promise.all([1, 2, 3, 4, 5, 6].map((n) => isShown(page, `Page ${n}`)))).every(Boolean),
      'the others are shown',
      90_000,
    );
  });

  it('dialogs, sound, windows and forms of a page do nothing', async () => {
    const { dialogs, sound, canvas } = harmfulPages;
    const { page } = await open([dialogs, sound, canvas, plain(1)]);
    const seen: string[] = [];
    page.on('dialog', (dialog) => seen.push(dialog.message()));
    page.context().on('page', (other) => seen.push(other.url()));
    await until(async () => (await count(page, shown)) === 4, 'all are shown');
    const frame = page.frames().find((each) => each.url().includes('/raw?'));
    await until(async () => (await page.title()).startsWith('Drops'), 'the dashboard answers');
    const states = await Promise.all(
      page
        .frames()
        .filter((each) => each.url().includes('/raw?'))
        .map((each) => each.title()),
    );
    expect(states).to.include('Sound').and.not.include('running');
    expect(frame).to.not.equal(undefined);
    await page.close({ runBeforeUnload: true });
    expect(seen).to.deep.equal([]);
  });

  it('a page neither scrolls the dashboard nor keeps the focus', async () => {
    const { page } = await open([harmfulPages.scrolls, ...Array.from({ length: 12 }, (_, n) => plain(n))]);
    await page.getByLabel('Search in titles').focus();
    await page
      .locator('.card', { hasText: 'Takes scroll' })
      .locator('iframe, [data-reason]')
      .first()
      .waitFor();
    await until(async () => (await reasonOf(page, 'Takes scroll and focus')) !== null, 'it is given up');
    expect(await reasonOf(page, 'Takes scroll and focus')).to.equal('It takes the focus');
    expect(await page.evaluate('scrollY')).to.equal(0);
    expect(await page.locator('#q:focus').count()).to.equal(1);
  });

  it('a page that leads elsewhere or loads again and again is replaced', async () => {
    const { page } = await open([harmfulPages.leaves, harmfulPages.reloads, plain(1)]);
    await until(async () => (await reasonOf(page, 'Leads elsewhere')) !== null, 'it is given up');
    expect(await reasonOf(page, 'Leads elsewhere')).to.equal('It leads to another site');
    await until(async () => (await reasonOf(page, 'Reloads')) !== null, 'it is given up');
    expect(await reasonOf(page, 'Reloads')).to.equal('It loads again and again');
    expect(await isShown(page, 'Page 1')).to.equal(true);
  });

  it('on a phone the first page begins within 200 pixels from the top', async () => {
    const { page } = await open([plain(1)], { viewport: { width: 360, height: 740 } });
    const box = await page.locator('.thumbnail').boundingBox();
    expect(box?.y).to.be.below(200);
    expect(box?.height).to.be.above(150);
  });

  function cookieOf(cookie: string) {
    const [name = '', value = ''] = cookie.split('=');
    return { name, value, url: service.url };
  }
});
