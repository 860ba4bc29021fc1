import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { overflowOf, photograph, useBrowser, watchPage } from './browser.ts';

describe('The reference page, in Chromium', function () {
  this.timeout(120_000);
  const browser = useBrowser();
  const service = useService();

  it('shows every endpoint, from this service alone, and its policy stops nothing', async () => {
    const page = await (await browser.newContext()).newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'Publish a page' }).waitFor();
    const { body } = await service.get<{ paths: Record<string, Record<string, { summary: string }>> }>(
      '/openapi.json',
    );
    const text = await page.locator('body').innerText();
    for (const item of Object.values(body.paths)) {
      for (const [method, { summary }] of Object.entries(item)) {
        if (method !== 'head') expect(text).to.include(summary);
      }
    }
    expect(faults).to.deep.equal([]);
    await page.context().close();
  });

  it('finds by a word', async () => {
    const page = await (await browser.newContext()).newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(`${service.url}/docs`);
    await page.getByPlaceholder('Search...').fill('passcode');
    await page.locator('[data-role="search:results"]').getByText('Lock or unlock a drop').first().waitFor();
    expect(faults).to.deep.equal([]);
    await page.context().close();
  });

  it('fits wide and narrow windows, in light and dark', async () => {
    await photograph(browser, 'docs', `${service.url}/docs`, async (page) => {
      await page.getByRole('heading', { name: 'Publish a page' }).waitFor();
      expect(await overflowOf(page)).to.be.at.most(0);
    });
  });
});
