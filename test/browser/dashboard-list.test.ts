import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { describeInBrowsers, follow, openSignedIn, overflowOf, tabTo, widths } from './browser.ts';

const html = (title: string) => `<!doctype html><title>${title}</title><p>Hi`;

describeInBrowsers('The list of drops', (browser) => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  const open = (ada: Dashboard, path: string, options?: BrowserContextOptions) =>
    openSignedIn(browser, ada, service.url, path, options);

  const titlesOf = async ({ owner }: Dashboard) =>
    (await owner.get('/api/drops?sortOrder=asc')).body.data.map(({ title }) => title);

  it(`by keyboard alone, ${browser.withLeastScripts}: find, filter, select two and delete them`, async () => {
    const ada = await openDashboard(service);
    for (const [title, team] of [
      ['May sales', 'a'],
      ['June sales', 'a'],
      ['Costs', 'a'],
      ['July sales', 'b'],
    ] as const) {
      await ada.owner.create({ title, metadata: { team } });
      service.clock.advance(1000);
    }
    const { page, faults } = await open(ada, '/drops', browser.leastScripts);
    await tabTo(page, 'Search in titles');
    await page.keyboard.type('SALES');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await page.getByText('3 drops found').isVisible()).to.equal(true);
    await follow(page, 'team: a');
    await follow(page, 'List');
    expect(await page.getByRole('heading', { level: 2, name: 'sales' }).allInnerTexts()).to.deep.equal([
      'June sales',
      'May sales',
    ]);
    for (const name of ['June sales', 'May sales']) {
      await tabTo(page, `Select ${name}`);
      await page.keyboard.press('Space');
    }
    await follow(page, 'Delete selected');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal('Delete these 2 drops?');
    await follow(page, 'Delete these 2 drops');
    await page.getByText('The drops were deleted.').waitFor();
    expect(await page.getByText('Nothing found').isVisible()).to.equal(true);
    await follow(page, 'Show all drops');
    expect(await titlesOf(ada)).to.deep.equal(['Costs', 'July sales']);
    expect(faults).to.deep.equal([]);
  });

  /** Drops files on the page, as a person does from a folder. */
  async function dropFiles(page: Page, files: Record<string, string>): Promise<void> {
    const script = `(files) => {
      const data = new DataTransfer();
      for (const [name, text] of Object.entries(files))
        data.items.add(new File([text], name, { type: name.endsWith('.html') ? 'text/html' : 'image/png' }));
      return data;
    }`;
    const dataTransfer = await page.evaluateHandle(`(${script})(${JSON.stringify(files)})`);
    await page.dispatchEvent('h1', 'dragenter', { dataTransfer });
    await page.getByText('Drop HTML files to publish them').waitFor();
    await page.dispatchEvent('h1', 'drop', { dataTransfer });
  }

  it('files that are dropped on the page are published one after the other, each with its result', async () => {
    const ada = await openDashboard(service);
    const { page, faults } = await open(ada, '/drops');
    expect(await page.getByText('or drop it here').isVisible()).to.equal(true);
    await dropFiles(page, { 'one.html': html('One'), 'x.png': 'GIF89a', 'two.html': html('<b>Two</b>') });
    const results = page.getByRole('region', { name: 'Published files' }).getByRole('listitem');
    await results.nth(2).getByRole('link').waitFor();
    const texts = await results.allInnerTexts();
    expect(texts[0]).to.include('One').and.include(`${service.url}/p/`);
    expect(texts[1]).to.include('This is a picture. Put it into an HTML document');
    expect(texts[2]).to.include('<b>Two</b>');
    expect(await results.first().getByRole('button', { name: 'Copy' }).isVisible()).to.equal(true);
    expect(await page.getByText('Drop HTML files to publish them').isVisible()).to.equal(false);
    expect((await titlesOf(ada)).toSorted()).to.deep.equal(['<b>Two</b>', 'One']);
    await page.getByText('2 drops').waitFor();
    await dropFiles(page, { 'notes.txt': 'Milk & bread' });
    await results.nth(3).getByText('This may be plain text').waitFor();
    expect((await titlesOf(ada)).length).to.equal(2);
    const link = results.nth(3).getByRole('link', { name: 'New drop' });
    expect(await link.getAttribute('href')).to.equal('/drops/new');
    await dropFiles(page, { 'Local.html': '<!doctype html><title>L</title><img src="logo.png">' });
    await results.nth(4).getByText('Viewers will not see logo.png').waitFor();
    expect(await results.nth(4).getByRole('link', { name: 'New drop' }).count()).to.equal(1);
    expect((await titlesOf(ada)).length).to.equal(2);
    expect(await page.getByRole('heading', { level: 2, name: 'One' }).isVisible()).to.equal(true);
    expect(faults.filter((fault) => !fault.includes('400'))).to.deep.equal([]);
  });

  it('with scripts selections are counted', async () => {
    const ada = await openDashboard(service);
    for (const title of ['First', 'Second']) await ada.owner.create({ title });
    const { page, faults } = await open(ada, '/drops', { viewport: widths.phone });
    const remove = page.getByRole('button', { name: 'Delete selected' });
    expect(await remove.isDisabled()).to.equal(true);
    await page.getByLabel('Select all on this page').check();
    expect(await page.getByText('2 selected').isVisible()).to.equal(true);
    await page.getByRole('checkbox', { name: 'Select First' }).uncheck();
    await remove.click();
    await page.getByRole('heading', { level: 1, name: 'Delete this drop?' }).waitFor();
    expect(await overflowOf(page)).to.equal(0);
    expect(faults.filter((fault) => !fault.includes('400'))).to.deep.equal([]);
  });
});
