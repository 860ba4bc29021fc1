import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { overflowOf, photograph, useBrowser, watchPage } from './browser.ts';

describe('GET /docs, in Chromium', function () {
  this.timeout(120_000);
  const browser = useBrowser();
  const service = useService();

  it('shows every operation with its path, needs no script, and fits wide and narrow windows', async () => {
    const { body } = await service.get<{ paths: Record<string, Record<string, { summary: string }>> }>(
      '/openapi.json',
    );
    const operations = Object.entries(body.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { summary }]) => ({ path, method, summary })),
    );
    await photograph(browser, 'docs', `${service.url}/docs`, async (page) => {
      expect(await overflowOf(page)).to.be.at.most(0);
      for (const { path, method, summary } of operations) {
        const section = page.locator('section', {
          has: page.getByRole('heading', { name: summary, exact: true }),
        });
        expect(await section.innerText()).to.include(`${method.toUpperCase()} ${path}`);
      }
    });
  });

  it('begins with a sentence and the search on the first screen of a phone', async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
    const page = await context.newPage();
    await page.goto(`${service.url}/docs`);
    const heading = page.getByRole('heading', { name: 'API reference', level: 1 });
    expect((await heading.boundingBox())?.y).to.be.below(200);
    expect((await page.getByRole('searchbox').boundingBox())?.y).to.be.below(400);
    expect((await page.getByText('Post one complete').boundingBox())?.y).to.be.below(640);
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`the search shows what matches, ${javaScriptEnabled ? 'while one types' : 'without scripts when it is sent'}`, async () => {
      const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
      await page.goto(`${service.url}/docs`);
      const all = await page.locator('article section:visible').count();
      await page.getByRole('searchbox').fill('Restore VERSION');
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
      const section = page.getByRole('heading', { name: 'Restore a version', exact: true });
      await page.getByRole('heading', { name: 'Start a sign-in' }).waitFor({ state: 'hidden' });
      expect(await section.isVisible()).to.equal(true);
      const found = await page.locator('article section:visible').count();
      expect(await page.getByRole('status').innerText()).to.equal(`${found} of ${all} match.`);
      expect(await page.getByRole('heading', { name: 'Sign-in', exact: true, level: 2 }).count()).to.equal(0);
      await page.getByRole('searchbox').fill('nothing-has-this');
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText(`0 of ${all} match.`).waitFor();
      expect((await page.locator('article').innerText()).trim()).to.equal('');
    });
  }

  it('every link of the contents leads to a section, and the page asks no other host for anything', async () => {
    const page = await (await browser.newContext()).newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(`${service.url}/docs`);
    for (const link of await page.locator('a[href^="#"]').all()) {
      const id = (await link.getAttribute('href'))?.slice(1);
      expect(await page.locator(`[id="${id}"]`).count(), id).to.equal(1);
    }
    expect(faults).to.deep.equal([]);
  });
});
