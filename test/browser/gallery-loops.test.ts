import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { openDashboard } from '../support/dashboard.ts';
import { type GalleryPage, harmfulPages } from '../support/gallery-pages.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, signIn, type TestBrowser, useBrowser } from './browser.ts';

const viewport = { width: 1440, height: 900 };
/** For what takes some stalls, on a busy machine. */
const patienceMs = 150_000;

/**
 * Runs before the scripts of the dashboard. Notes the titles whose page was shown, those that had a reason in place of it, and for each
 * page that begins to load how many others load then.
 */
const observe = `if (top === self && location.pathname === '/drops') {
  window.seen = { shown: [], reasons: [], beside: {} };
  const titleOf = (element) => element.closest('.card').querySelector('h2').textContent;
  const note = (list, element) => list.includes(titleOf(element)) || list.push(titleOf(element));
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node.localName === 'iframe' && node.closest('.thumbnail'))
          seen.beside[titleOf(node)] = document.querySelectorAll('.thumbnail > iframe:not(.shown)').length - 1;
    for (const frame of document.querySelectorAll('.thumbnail > .shown')) note(seen.shown, frame);
    for (const box of document.querySelectorAll('[data-reason]')) note(seen.reasons, box);
  }).observe(document, { subtree: true, childList: true, attributes: true });
}`;

interface Seen {
  readonly shown: readonly string[];
  readonly reasons: readonly string[];
  readonly beside: Readonly<Record<string, number>>;
}

const plain = (n: number): GalleryPage => ({
  title: `Page ${n}`,
  html: `<!doctype html><title>${n}</title><h1>Page ${n}</h1>`,
});

/** A tab of a person with these pages, the first of the list first. */
function useGallery(browser: TestBrowser) {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  async function openContext(pages: readonly GalleryPage[]) {
    const ada = await openDashboard(service);
    const slugs = new Map<string, string>();
    for (const fields of pages.toReversed()) {
      slugs.set(fields.title, (await ada.owner.create({ ...fields })).slug);
      service.clock.advance(1000);
    }
    const context = await browser.newContext({ viewport });
    await signIn(context, ada, service.url);
    await context.addInitScript(observe);
    return { ada, context, slugs };
  }

  async function visit(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${service.url}/drops`, { waitUntil: 'commit' });
    return page;
  }
  return { service, openContext, visit };
}

const seenIn = (page: Page) => page.evaluate<Seen>('seen');
const reasonOf = (page: Page, title: string) =>
  page.locator('.card', { hasText: title }).locator('.thumbnail').getAttribute('data-reason');
const countShown = (page: Page) => page.locator('.thumbnail > .shown').count();
const untilShown = (page: Page, count: number) =>
  until(async () => (await countShown(page)) >= count, `${count} are shown`, patienceMs);
const untilSlow = (page: Page, title: string) =>
  until(async () => (await reasonOf(page, title)) !== null, `${title} is called slow`, patienceMs);
/** The titles in the order in which their pages were asked for. */
function noteRequests(page: Page, slugs: ReadonlyMap<string, string>): string[] {
  const titles = new Map([...slugs].map(([title, slug]) => [slug, title]));
  const asked: string[] = [];
  page.on('request', (request) => {
    const [, slug = ''] = /\/p\/(\w+)\/raw\?/.exec(request.url()) ?? [];
    const title = titles.get(slug);
    if (title !== undefined) asked.push(title);
  });
  return asked;
}

describe('The gallery with pages that loop for ever, in Chromium', function () {
  this.timeout(2 * patienceMs);
  const browser = useBrowser();
  const { service, openContext, visit } = useGallery(browser);
  const { loop, laterLoop } = harmfulPages;

  for (const place of [1, 8])
    it(`one of 30, at place ${place}: five others are seen; it is remembered, and comes last and alone, until its next version`, async () => {
      const others = Array.from({ length: 29 }, (_, n) => plain(n + 1));
      const { ada, context, slugs } = await openContext(others.toSpliced(place - 1, 0, loop));
      const first = await visit(context);
      await until(async () => (await seenIn(first)).shown.length >= 5, 'five are seen', patienceMs);
      await untilSlow(first, loop.title);
      await untilShown(first, 9);
      expect(await reasonOf(first, loop.title)).to.equal('It takes too long to load');
      expect((await seenIn(first)).reasons, 'good neighbours').to.deep.equal([loop.title]);
      expect((await seenIn(first)).beside[loop.title], 'it was alone').to.equal(0);
      await first.close();

      const later = await context.newPage();
      const asked = noteRequests(later, slugs);
      await later.goto(`${service.url}/drops`);
      await until(() => asked.includes(loop.title), 'it is tried again', patienceMs);
      const before = asked.slice(0, asked.indexOf(loop.title));
      expect(new Set(before).size, 'others before it').to.be.at.least(9);
      expect((await seenIn(later)).beside[loop.title], 'it is alone').to.equal(0);
      expect((await seenIn(later)).reasons).to.deep.equal([loop.title]);
      await later.close();

      await ada.owner.put(slugs.get(loop.title) ?? '', { title: loop.title, html: plain(0).html });
      const fixed = await visit(context);
      await fixed.locator('.card', { hasText: loop.title }).locator('.shown').waitFor();
      expect((await seenIn(fixed)).reasons, 'the new version').to.deep.equal([]);
    });

  it('three of 24: every other page near is seen, and none of them is called slow', async () => {
    const pages = Array.from({ length: 24 }, (_, n) =>
      n < 12 && n % 4 === 0 ? { ...loop, title: `Endless loop ${n}` } : plain(n),
    );
    const { context } = await openContext(pages);
    const page = await visit(context);
    await until(async () => (await seenIn(page)).shown.length >= 5, 'five others are seen', patienceMs);
    await until(async () => (await seenIn(page)).reasons.length === 3, 'all three are found', patienceMs);
    await untilShown(page, 9);
    expect((await seenIn(page)).reasons.every((title) => title.startsWith(loop.title))).to.equal(true);
  });

  it('one that loops after it has loaded is found beside one that loops at once, and no neighbour is called slow', async () => {
    const { context } = await openContext([
      laterLoop,
      plain(1),
      plain(2),
      loop,
      plain(3),
      plain(4),
      plain(5),
    ]);
    const page = await visit(context);
    await untilSlow(page, laterLoop.title);
    await untilSlow(page, loop.title);
    await untilShown(page, 5);
    expect([...(await seenIn(page)).reasons].sort()).to.deep.equal([loop.title, laterLoop.title].sort());
  });

  it('a page that is asked for again a day later is as a new one, and at most a hundred are remembered', async () => {
    const { context } = await openContext([loop, plain(1)]);
    const first = await visit(context);
    await untilSlow(first, loop.title);
    const marks = () =>
      first.evaluate<{ id: string; note: string }[]>("JSON.parse(localStorage['page-marks'])");
    await until(async () => (await marks()).length === 1, 'only one is remembered', patienceMs);
    const [mark] = await marks();
    expect(mark?.note).to.equal('slow');
    await first.evaluate(`localStorage['page-marks'] = JSON.stringify([
      ...Array.from({ length: 150 }, (_, n) => ({ id: 'other' + n, note: 'slow', at: Date.now() })),
      ...JSON.parse(localStorage['page-marks'])
    ])`);
    const later = await visit(context);
    await untilShown(later, 1);
    await until(async () => (await marks()).length <= 100, 'the oldest are forgotten');
    expect((await marks()).some(({ id }) => id === mark?.id)).to.equal(true);
    await later.close();
    await context.addInitScript('{ const now = Date.now; Date.now = () => now() + 25 * 60 * 60 * 1000 }');
    const nextDay = await visit(context);
    await nextDay.locator('.thumbnail > iframe').first().waitFor({ state: 'attached' });
    expect((await seenIn(nextDay)).reasons).to.deep.equal([]);
  });

  it('what loads while the dashboard itself ends comes last at the next visit, without a reason; storage that is damaged harms nothing', async () => {
    const pages = [1, 2, 3, 4, 5, 6].map(plain);
    const { context, slugs } = await openContext(pages);
    const first = await context.newPage();
    await first.route('**/raw?*', () => undefined);
    await first.goto(`${service.url}/drops`, { waitUntil: 'commit' });
    await until(async () => Object.keys((await seenIn(first)).beside).length === 4, 'four load');
    const session = await context.newCDPSession(first);
    session.send('Page.crash').catch(() => undefined); // it is never answered
    await first.waitForEvent('crash');
    const later = await context.newPage();
    const asked = noteRequests(later, slugs);
    await later.goto(`${service.url}/drops`);
    await untilShown(later, 6);
    expect([...new Set(asked)].slice(0, 2).sort()).to.deep.equal(['Page 5', 'Page 6']);
    expect((await seenIn(later)).reasons).to.deep.equal([]);
    await later.evaluate("localStorage['page-marks'] = '[{'");
    await later.reload();
    await untilShown(later, 6);
  });
});

describeInBrowsers('The gallery with a page whose script takes eleven seconds', (browser) => {
  const { openContext, visit } = useGallery(browser);

  it('it is called slow, its neighbours are not, and the next visit shows them first', async function () {
    this.timeout(2 * patienceMs);
    // As long as a browser that runs it in the process of the dashboard waits before it asks the person.
    const busy = {
      title: 'Busy',
      html: '<!doctype html><title>Busy</title><script>for (const end = Date.now() + 11_000; Date.now() < end;);</script><h1>Busy',
    };
    const { context, slugs } = await openContext([plain(1), busy, ...[2, 3, 4, 5, 6].map(plain)]);
    const first = await visit(context);
    await untilSlow(first, busy.title);
    await untilShown(first, 6);
    expect((await seenIn(first)).reasons).to.deep.equal([busy.title]);
    await first.close();
    const later = await visit(context);
    const asked = noteRequests(later, slugs);
    await until(async () => (await seenIn(later)).shown.length >= 6, 'the others are seen', patienceMs);
    expect((await seenIn(later)).reasons).to.deep.equal([busy.title]);
    if (browser.engine === 'Firefox') expect(asked).to.not.include(busy.title);
  });
});
