import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { replyTo, writeAsGuest } from '../support/comments.ts';
import { dashboardPathsOf, openDashboard, openOperator } from '../support/dashboard.ts';
import { createReportScene } from '../support/report-form.ts';
import { useService } from '../support/service.ts';
import { openSignedIn, schemes, takePicture, useBrowser } from './browser.ts';
import { smallTargetsOf } from './touch-targets.ts';

const widths = [360, 768, 1440] as const;
const finger: BrowserContextOptions = { hasTouch: true, isMobile: true };

/** The targets of a page that are too small for a finger, at each width. */
async function smallOf(page: Page, name: string, within?: string): Promise<string[]> {
  const found = new Set<string>();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    for (const target of await smallTargetsOf(page, within)) found.add(`${name} ${target}`);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `touch${name.replaceAll(/\W+/g, '-')}-${width}-${colorScheme}`);
    }
  }
  return [...found];
}

describe('On a touch screen every target is at least 44 px high and wide, in Chromium', function () {
  this.timeout(300_000);
  const browser = useBrowser();
  const service = useService({ TRUST_PROXY: '1' });

  it('on the pages of the dashboard', async () => {
    const dashboard = await openDashboard(service);
    const { owner } = dashboard;
    const metadata = { project: 'demo', team: 'a' };
    const { slug } = await owner.create({
      title: 'A report',
      comments: 'anyone',
      metadata,
      context: '# Why',
    });
    await owner.put(slug, { html: '<h1>Two</h1>' });
    await owner.create({ title: 'B', passcode: 'open-sesame' });
    const id = await writeAsGuest(service, { owner, slug }, 'It waits');
    await replyTo(owner, id, { text: 'An answer' });
    const { id: tokenId } = (await owner.get('/api/me')).body.token ?? {};
    const { page } = await openSignedIn(browser, dashboard, service.url, '/drops', finger);
    const small: string[] = [];
    const paths = dashboardPathsOf(service, 'GET', slug, tokenId);
    const more = ['/drops?view=list', '/drops?q=none', `/drops/delete?drop=${slug}`, `/p/${slug}/comments`];
    for (const path of [...paths, ...more]) {
      const { status, headers } = await dashboard.get(path);
      if (status !== 200 || headers['content-disposition']) continue;
      await page.goto(service.url + path);
      for (const details of await page.locator('details:not([open]) > summary').all())
        if (await details.isVisible()) await details.click();
      small.push(...(await smallOf(page, path.replace(slug, 'slug'))));
    }
    expect(small.join('\n')).to.equal('');
  });

  it('in the menus of a drop and of a card', async () => {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create({ title: 'A report' });
    const small: string[] = [];
    const { page } = await openSignedIn(browser, dashboard, service.url, '/drops', finger);
    for (const path of ['/drops', '/drops?view=list', `/drops/${slug}`]) {
      await page.goto(service.url + path);
      await page.locator('[popovertarget]').last().click();
      small.push(...(await smallOf(page, path.replace(slug, 'menu'), ':popover-open')));
    }
    expect(small.join('\n')).to.equal('');
  });

  it('on the pages of operators', async () => {
    const operator = await openOperator(service);
    const scene = createReportScene(service);
    const { slug } = await scene.publish({ title: 'A bank' });
    await scene.newReporter().report(slug, { text: 'It asks for my password.' });
    const { page } = await openSignedIn(browser, operator, service.url, '/operators', finger);
    const small: string[] = [];
    for (const path of ['', '/log', `/pages/${slug}`, `/pages?q=${slug}`].map(
      (rest) => `/operators${rest}`,
    )) {
      await page.goto(service.url + path);
      small.push(...(await smallOf(page, path.replace(slug, 'slug'))));
    }
    expect(small.join('\n')).to.equal('');
  });

  it('on what readers and guests see: viewer, passcode, report, sign-in, help', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ comments: 'anyone', context: '# Why' });
    await owner.put(slug, { html: '<h1>Two</h1>' });
    const locked = await owner.create({ passcode: 'open-sesame' });
    const { code } = (await service.request('POST', '/api/auth/start', { body: { label: 'a' } })).body;
    const page = await (await browser.newContext(finger)).newPage();
    const small: string[] = [];
    const paths = [`/p/${slug}`, `/p/${slug}/comments`, `/p/${slug}/versions`, `/report/${slug}`];
    const others = [
      `/p/${locked.slug}`,
      '/sign-in',
      `/sign-in?code=${code}`,
      '/',
      '/help',
      '/docs',
      '/p/none',
    ];
    for (const path of [...paths, ...others]) {
      await page.goto(service.url + path);
      small.push(...(await smallOf(page, path.replace(slug, 'slug').replace(locked.slug, 'locked'))));
    }
    await page.goto(`${service.url}/p/${slug}?v=1`);
    for (const menu of ['versions', 'share', 'more']) {
      await page.locator(`[popovertarget=${menu}]`).first().click();
      small.push(...(await smallOf(page, `viewer-${menu}`, ':popover-open')));
      await page.keyboard.press('Escape');
    }
    await page.goto(`${service.url}/sign-in?code=${code}`);
    await page.getByRole('button').click();
    await page.getByLabel('Name').waitFor();
    small.push(...(await smallOf(page, '/sign-in-local')));
    expect(small.join('\n')).to.equal('');
  });
});
