import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { openDashboard } from '../support/dashboard.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';
import type { WireVersionListItem } from '../support/wire.ts';
import { describeInBrowsers, follow, openSignedIn, overflowOf, tabTo } from './browser.ts';

describeInBrowsers('The history of a drop', (browser) => {
  const service = useService(noLimits);

  async function scene(options: BrowserContextOptions, ...documents: string[]) {
    const me = await openDashboard(service);
    const { slug } = await me.owner.create({ title: 'Orders of week 46', html: documents[0] });
    for (const html of documents.slice(1)) await me.owner.put(slug, { html });
    const path = `/drops/${slug}`;
    const { page, faults } = await openSignedIn(browser, me, service.url, path, options);
    const versions = async () => {
      const { body } = await me.owner.get<WireVersionListItem[]>(`/api/drops/${slug}/versions`);
      return body.map(({ version }) => version);
    };
    return { me, slug, page, faults, versions, path };
  }

  it(`compare, restore, delete a version, delete the drop: by keyboard, ${browser.withLeastScripts}`, async () => {
    const { me, slug, page, faults, versions } = await scene(
      browser.leastScripts,
      '<p>one',
      '<p>two',
      '<p>three',
    );
    await follow(page, 'Compare version 1');
    await page.getByRole('heading', { name: 'Compare versions' }).waitFor();
    expect(await page.locator('tr.del td').last().innerText()).to.equal('one');
    expect(await page.locator('tr.add td').last().innerText()).to.equal('three');
    await follow(page, 'Side by side');
    for (const [number, text] of [
      [1, 'one'],
      [3, 'three'],
    ] as const)
      await page.frameLocator(`iframe[title="Version ${number}"]`).getByText(text).waitFor();
    await follow(page, 'Orders of week 46');

    await follow(page, 'Restore version 1');
    await page
      .getByRole('status')
      .filter({ hasText: 'Version 4 is published at the same address.' })
      .waitFor();
    expect(await versions()).to.deep.equal([4, 3, 2, 1]);

    await follow(page, 'Delete version 2');
    await page.getByRole('heading', { name: 'Delete version 2?' }).waitFor();
    await follow(page, 'Delete version 2');
    await page
      .getByRole('status')
      .filter({ hasText: 'The version is deleted. Viewers see version 4.' })
      .waitFor();
    expect(await versions()).to.deep.equal([4, 3, 1]);
    expect(faults).to.deep.equal([]);

    await page.goto(`${service.url}/drops/${slug}`); // Tab went through a frame: after that Firefox's driver presses no button
    await tabTo(page, 'More about this drop');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Delete this drop' }).waitFor();
    await follow(page, 'Delete this drop');
    await page.getByText('all 3 versions').waitFor();
    await follow(page, 'Delete the drop');
    await page.waitForURL(`${service.url}/drops?notice=deleted`);
    expect((await me.owner.get(`/api/drops/${slug}`)).status).to.equal(404);
  });

  it('a comparison opens on the first change, on a phone too, and leads to the next ones by keyboard', async () => {
    const paragraphs = Array.from(
      { length: 60 },
      (_, n) => `Line ${n}, ${'which is long enough to be wrapped, '.repeat(4)}`,
    );
    const after = paragraphs.map((text, n) => (n % 20 === 15 ? text.replace('long', 'short') : text));
    const phone = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false };
    const { page, path } = await scene(
      phone,
      ...[paragraphs, after].map((texts) => `<p>${texts.join('<p>')}`),
    );
    await page.goto(`${service.url}${path}/compare`);
    const top = async (row: number) => (await page.locator('tr.del').nth(row).boundingBox())?.y ?? 0;
    expect(await top(0)).to.be.within(0, 700);
    expect(await overflowOf(page)).to.be.at.most(0);
    expect(await page.locator('main').innerText()).not.to.include('@@');
    expect(await top(1)).to.be.above(740);
    for (const row of [1, 2]) {
      await tabTo(page, 'Next');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/compare#change-${row + 1}`);
      expect(await top(row)).to.be.within(50, 700);
    }
  });

  it("a comparison shows times in the reader's time zone", async () => {
    const { page, path } = await scene({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' }, '<p>one', '<p>two');
    await page.goto(`${service.url}${path}/compare`);
    const local = new Date(service.clock.now() + 9 * 3_600_000).toISOString().slice(11, 16);
    expect(await page.locator('#to option').first().innerText()).to.match(
      new RegExp(`^2 \\(live\\) · .*, ${local}$`),
    );
  });

  it('hostile documents run nothing in a comparison, and reach nothing of the dashboard', async () => {
    const attack = `<script>
      document.title = 'ran';
      try { top.location = 'about:blank' } catch (error) {}
      try { parent.document.title = 'stolen' } catch (error) {}
      fetch('${service.url}/drops').then(() => { document.title = 'read' }, () => {});
      window.open('${service.url}/drops');
    </script><form action="${service.url}/sign-out" method="post" target="_top"><button id="b">x</button></form><script>b.click()</script>`;
    const { page, path } = await scene({}, '<p>one', attack);
    for (const format of ['side', 'source', 'text']) {
      await page.goto(`${service.url}${path}/compare?format=${format}`);
      expect(await page.title()).to.equal('Compare versions · Dropleaf');
      expect(page.context().pages()).to.have.length(1);
    }
    await page.goto(`${service.url}${path}/history`);
    expect(await page.getByRole('heading', { name: 'History' }).count()).to.equal(1);
  });
});
