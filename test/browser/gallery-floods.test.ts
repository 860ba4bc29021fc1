import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openDashboard } from '../support/dashboard.ts';
import { floodingPages } from '../support/gallery-pages.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, openSignedIn } from './browser.ts';

const shown = '.thumbnail > .shown';
const wide = { viewport: { width: 1440, height: 900 } };

describeInBrowsers('The gallery with pages that post messages without end', (browser) => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  const plain = (n: number) => ({
    title: `Page ${n}`,
    html: `<!doctype html><title>${n}</title><h1>Page ${n}</h1>`,
  });
  const reasonOf = (page: Page, title: string) =>
    page.locator('.card', { hasText: title }).locator('.thumbnail').getAttribute('data-reason');

  const numbers = [1, 2, 3, 4, 5, 6];

  for (const [name, flooding] of Object.entries(floodingPages))
    it(`${name}: six are given up, the others are shown, and the dashboard answers`, async function () {
      this.timeout(120_000);
      const ada = await openDashboard(service);
      for (const n of numbers) {
        await ada.owner.create({ ...flooding, title: `Flood ${n}` });
        await ada.owner.create(plain(n));
      }
      const { page } = await openSignedIn(browser, ada, service.url, '/drops', wide);
      const reasons = () => Promise.all(numbers.map((n) => reasonOf(page, `Flood ${n}`)));
      const areGivenUp = async () => (await reasons()).every((reason) => reason !== null);
      await until(areGivenUp, 'they are given up', 60_000);
      expect(new Set(await reasons())).to.deep.equal(new Set(['It posts messages without end']));
      await until(async () => (await page.locator(shown).count()) === numbers.length, 'the others are shown');
      await page.getByLabel('Search in titles').fill('Page 3');
      await page.keyboard.press('Enter');
      await page.getByText('1 drop').waitFor();
      expect(await page.locator('.card').count()).to.equal(1);
    });
});
