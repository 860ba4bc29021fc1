import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useOnce } from '../support/between.ts';
import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { describeInBrowsers, openSignedIn, overflowOf } from './browser.ts';

describeInBrowsers('The next version of a drop', (browser) => {
  const service = useService();
  const ada = useOnce(() => openDashboard(service));

  /** A drop, its page or another one, and what is live. */
  async function scene(rest = '', options?: BrowserContextOptions) {
    const { slug } = await ada.owner.create({
      title: 'Orders',
      html: '<p>Week 46',
      metadata: { team: 'north' },
    });
    const path = `/drops/${slug}${rest}`;
    const { page, faults } = await openSignedIn(browser, ada, service.url, path, options);
    return {
      slug,
      page,
      faults,
      html: async () => (await ada.owner.get(`/api/drops/${slug}/html`)).text,
      read: async () => (await ada.owner.get(`/api/drops/${slug}`)).body,
    };
  }

  const live = (page: Page, number: number) => page.frameLocator(`iframe[title="Version ${number}"]`);
  const next = (page: Page) => page.frameLocator('iframe[title="Preview"]');

  it('a file dropped on the page of a drop stands beside the live version, and is published at the same address', async () => {
    const { slug, page, faults, html, read } = await scene();
    await page.evaluate('scrollTo(0, 500)');
    await dropFile(page, '<!doctype html><p>Week 47');
    await live(page, 1).getByText('Week 46').waitFor();
    await next(page).getByText('Week 47').waitFor();
    expect(await page.getByRole('heading', { name: 'Details' }).count(), 'the rest of the page').to.equal(0);
    for (const width of [1440, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflowOf(page)).to.equal(0);
    }
    expect((await read()).latest_version).to.equal(1);
    await page.locator('summary').getByText('Context').click();
    await page.getByLabel('Context').fill('Because');
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    await page.getByRole('status').getByText('Version 2 is published at the same address.').waitFor();
    expect(page.url()).to.match(new RegExp(`/drops/${slug}`));
    expect(await html()).to.equal('<!doctype html><p>Week 47');
    expect(await read()).to.deep.include({ latest_version: 2, title: 'Orders', metadata: { team: 'north' } });
    expect((await ada.owner.get(`/api/drops/${slug}/v/2`)).body.context).to.equal('Because');
    expect(faults).to.deep.equal([]);
  });

  it('Cancel leads back to the page, and nothing is published', async () => {
    const { page, read } = await scene();
    await dropFile(page, '<p>Week 47');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Details' }).waitFor();
    expect((await read()).latest_version).to.equal(1);
  });

  it('after another version nothing is published: that one stands beside the new one, and publishing again replaces it', async () => {
    const { slug, page, html } = await scene();
    await dropFile(page, '<p>Week 47');
    await live(page, 1).getByText('Week 46').waitFor();
    await ada.owner.put(slug, { html: '<p>By an agent' });
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    const alert = page.getByRole('alert');
    expect(await alert.innerText()).to.include('The drop was changed after you opened this page.');
    await live(page, 2).getByText('By an agent').waitFor();
    await next(page).getByText('Week 47').waitFor();
    expect(await html()).to.equal('<p>By an agent');
    await page.getByRole('button', { name: 'Publish version 3' }).click();
    await page.getByRole('status').getByText('Version 3 is published').waitFor();
    expect(await html()).to.equal('<p>Week 47');
  });

  it('what cannot be published is refused before it is sent, with the way back', async () => {
    const { page, read } = await scene();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await dropFile(page, 'x'.repeat(2 * 1024 * 1024 + 1));
    await page.getByRole('alert').getByText('at most 2 MB').waitFor();
    await dropFile(page, '%PDF-1.7\n', 'report.pdf');
    await page.getByRole('alert').getByText('PDF').waitFor();
    expect(sent).to.deep.equal([]);
    await page.getByRole('link', { name: 'Back to the drop' }).click();
    await page.getByRole('heading', { name: 'Details' }).waitFor();
    expect((await read()).latest_version).to.equal(1);
  });

  it('on the page "New version" by pasting; of a locked drop its owner sees both, too', async () => {
    const { slug, page, faults, html } = await scene();
    await ada.owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'open-sesame' } });
    await page.getByRole('link', { name: 'New version' }).click();
    await page.getByLabel('Or paste the HTML').fill('<p>Pasted');
    await live(page, 1).getByText('Week 46').waitFor();
    await next(page).getByText('Pasted').waitFor();
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    await page.getByText('Version 2 is published').waitFor();
    expect(await html()).to.equal('<p>Pasted');
    expect(faults).to.deep.equal([]);
  });

  it('without scripts the form publishes a file, and keeps what was typed after a conflict', async () => {
    const { slug, page, html } = await scene('/new-version', { javaScriptEnabled: false });
    await page.getByLabel('HTML file').setInputFiles({
      name: 'next.html',
      mimeType: 'text/html',
      buffer: Buffer.from('<p>Week 47'),
    });
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    await page.getByText('Version 2 is published').waitFor();
    expect(await html()).to.equal('<p>Week 47');
    await page.getByRole('link', { name: 'New version' }).click();
    await page.getByLabel('Or paste the HTML').fill('<p>Pasted');
    await ada.owner.put(slug, { html: '<p>By an agent' });
    await page.getByRole('button', { name: 'Publish version 3' }).click();
    await page.getByRole('alert').getByText('version 3 is live now').waitFor();
    expect(await page.getByLabel('Or paste the HTML').inputValue()).to.equal('<p>Pasted');
    await page.getByRole('button', { name: 'Publish version 4' }).click();
    await page.getByText('Version 4 is published').waitFor();
    expect(await html()).to.equal('<p>Pasted');
  });
});

/** As a person drops a file from another program. */
async function dropFile(page: Page, text: string, name = 'next.html'): Promise<void> {
  await page.evaluate(
    `((text, name) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name, { type: name.endsWith('.html') ? 'text/html' : 'application/pdf' }));
      for (const type of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    })(${JSON.stringify(text)}, ${JSON.stringify(name)})`,
  );
}
