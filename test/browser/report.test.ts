import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useService } from '../support/service.ts';
import { describeInBrowsers, watchPage } from './browser.ts';

describeInBrowsers('Reporting a page', (browser) => {
  const service = useService({ REPORTS_PER_HOUR: '1000', REPORTS_OPEN_PER_DROP: '1000' });

  async function publish(): Promise<string> {
    const { owner, slug } = await service.newDrop({
      title: 'Orders of week 46, by region and by product',
      context: 'Why',
    });
    await owner.put(slug, { context: 'Why' });
    return slug;
  }

  async function textsOf(slug: string): Promise<string[]> {
    const all = await service.services.reports.list({ withClosed: true }, 100);
    return all.filter((report) => report.slug === slug).map(({ text }) => text);
  }

  async function openPage(path: string): Promise<{ page: Page; faults: string[] }> {
    const page = await (await browser.newContext(browser.leastScripts)).newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(service.url + path);
    return { page, faults };
  }

  it(`works from the viewer, ${browser.withLeastScripts}, and a reload does not send the report again`, async () => {
    const slug = await publish();
    const { page, faults } = await openPage(`/p/${slug}?v=1`);
    await page.locator('h1 button').click();
    await page.getByRole('link', { name: 'Report this page' }).click();
    expect(page.url()).to.equal(`${service.url}/report/${slug}?v=1`);
    await page.getByLabel('It uses my work').check();
    await page.getByLabel('Details').fill('First line\n<b>second</b>');
    await page.getByLabel(/email address/).fill('me@reader.example');
    await page.getByRole('button', { name: 'Send report' }).click();
    await page.getByRole('heading', { name: 'Report sent' }).waitFor();
    await page.reload();
    expect(await textsOf(slug)).to.deep.equal(['First line\n<b>second</b>']);
    await page.goBack();
    await page.getByLabel('It uses my work').check();
    await page.getByRole('button', { name: 'Send report' }).click();
    await page.getByRole('heading', { name: 'Report sent' }).waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('shows an error on the form, which keeps the other fields', async () => {
    const slug = await publish();
    const { page, faults } = await openPage(`/report/${slug}`);
    await page.getByLabel('Something else').check();
    await page.getByLabel(/email address/).fill('me@reader.example');
    await page.getByRole('button', { name: 'Send report' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Something else').isChecked()).to.equal(true);
    expect(await page.getByLabel(/email address/).inputValue()).to.equal('me@reader.example');
    await page.getByLabel('Details').fill('It is odd');
    faults.splice(0); // the browser logs the 400
    await page.getByRole('button', { name: 'Send report' }).click();
    await page.getByRole('heading', { name: 'Report sent' }).waitFor();
    await page.getByRole('link', { name: 'Back to the page' }).click();
    await page.waitForURL(`${service.url}/p/${slug}`);
    expect(await textsOf(slug)).to.deep.equal(['It is odd']);
    expect(faults).to.deep.equal([]);
  });
});
