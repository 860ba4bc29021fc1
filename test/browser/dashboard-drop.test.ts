import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useOnce } from '../support/between.ts';
import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { describeInBrowsers, follow, openSignedIn, tabTo } from './browser.ts';

describeInBrowsers('The page of a drop in the dashboard', (browser) => {
  const service = useService();
  const ada = useOnce(() => openDashboard(service));

  const open = (path: string, options?: BrowserContextOptions) =>
    openSignedIn(browser, ada, service.url, path, options);

  it('by keyboard alone and without scripts: details, tags, expiry and passcode are changed', async () => {
    const { slug } = await ada.owner.create({ title: 'Orders', metadata: { old: '1' } });
    const { page, faults } = await open(`/drops/${slug}`, { javaScriptEnabled: false });
    const { keyboard } = page;
    const read = async () => (await ada.owner.get(`/api/drops/${slug}`)).body;

    await follow(page, 'Edit details');
    await tabTo(page, 'Title');
    await keyboard.press('Control+A');
    await keyboard.type('Sales');
    await tabTo(page, 'Expires');
    await keyboard.type('01312030');
    await keyboard.press('Tab');
    await keyboard.type('0130PM');
    await tabTo(page, 'Name of tag 1');
    await keyboard.press('Delete');
    await keyboard.press('Tab');
    await keyboard.press('Delete');
    await follow(page, 'Add tags');
    await tabTo(page, 'Name of tag 6');
    await keyboard.type('team');
    await keyboard.press('Tab');
    await keyboard.type('north');
    await keyboard.press('Enter');
    await page.getByText('The details are saved.').waitFor();
    expect(await read()).to.deep.include({
      title: 'Sales',
      metadata: { team: 'north' },
      expires_at: Date.UTC(2030, 0, 31, 13, 30),
    });

    await follow(page, 'Set a passcode');
    await tabTo(page, 'Passcode');
    await keyboard.type('open-sesame');
    await keyboard.press('Enter');
    await page.getByText('The passcode is set.').waitFor();
    expect(await read()).to.include({ locked: true });
    await page.frameLocator('.stage iframe').getByText('A page').waitFor();

    await follow(page, 'Change the passcode');
    await follow(page, 'Remove passcode');
    await page.getByText('The passcode is removed.').waitFor();
    expect(await read()).to.include({ locked: false });
    expect(faults).to.deep.equal([]);
  });

  it('without scripts: the preview is that of a desktop, on a phone that of a phone, and the QR code is on the page Share', async () => {
    const { slug } = await ada.owner.create({
      html: '<meta name="viewport" content="width=device-width"><h1>Framed</h1>',
    });
    const { page, faults } = await open(`/drops/${slug}`, { javaScriptEnabled: false });
    await page.frameLocator('.stage iframe').getByText('Framed').waitFor();
    for (const [width, inside] of [
      [1440, () => 1280],
      [768, () => 1280],
      [360, (stage: number) => stage],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      const stage = (await page.locator('.stage').boundingBox()) ?? { width: 0, height: 1 };
      expect(stage.width / stage.height).to.be.closeTo(1.6, 0.02);
      expect((await page.locator('.stage iframe').boundingBox())?.width).to.be.closeTo(stage.width - 2, 2);
      expect(await page.evaluate("document.querySelector('iframe').offsetWidth")).to.be.closeTo(
        inside(stage.width - 2),
        1,
      );
    }
    await page.goto(`${service.url}/drops/${slug}/share`);
    await tabTo(page, 'QR code');
    await page.keyboard.press('Enter');
    const code = page.getByAltText('QR code of the address');
    await code.scrollIntoViewIfNeeded();
    await expectLoaded(page);
    expect(faults).to.deep.equal([]);
  });

  it('details show in a window of 900 px; the header stays, and what a form has done is read below it at a fragment', async () => {
    const metadata = { team: 'north' };
    const { slug } = await ada.owner.create({ title: 'A long title, '.repeat(14), metadata });
    for (let n = 2; n <= 12; n++) await ada.owner.put(slug, { html: `<p>${n}` });
    for (const javaScriptEnabled of [true, false]) {
      const { page, faults } = await open(`/drops/${slug}`, { javaScriptEnabled });
      for (const width of [1440, 768]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${service.url}/drops/${slug}`);
        const details = page.getByRole('region', { name: 'Details' });
        expect((await details.getByText('Changed').boundingBox())?.y).to.be.below(880);
      }
      for (const size of [
        { width: 1440, height: 900 },
        { width: 320, height: 700 },
      ]) {
        await page.setViewportSize(size);
        await page.goto(`${service.url}/drops/${slug}?notice=restored-1#history`);
        expect(await page.evaluate('scrollY')).to.be.above(200);
        const seen = [
          page.getByRole('link', { name: 'Open', exact: true }),
          page.getByRole('link', { name: 'New version' }),
          page.getByRole('button', { name: 'More about this drop' }),
          page.getByText('Version 12 is published at the same address.'),
        ];
        for (const one of seen) expect((await one.boundingBox())?.y).to.be.within(0, 200);
        const history = await page.getByRole('heading', { name: 'History' }).boundingBox();
        const header = await page.locator('.drop-header').boundingBox();
        expect(history?.y).to.be.above((header?.y ?? 0) + (header?.height ?? 0));
      }
      await page.locator('[data-close-notice]').click();
      await page.getByText('is published at the same address').waitFor({ state: 'detached' });
      expect(faults).to.deep.equal([]);
    }
  });

  it('a new drop: its address is copied and opened from the notice, which a reload does not repeat', async () => {
    const { slug } = await ada.owner.create();
    const { page } = await open(`/drops/${slug}?notice=new`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const notice = page.getByRole('status').filter({ hasText: 'Version 1 is published.' });
    await notice.getByText(`${service.url}/p/${slug}`).waitFor();
    await notice.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(`${service.url}/p/${slug}`);
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      notice.getByRole('link', { name: 'Open' }).click(),
    ]);
    await opened.waitForURL(`${service.url}/p/${slug}`);
    await page.reload();
    await page.getByRole('heading', { name: 'Details' }).waitFor();
    expect(await notice.count()).to.equal(0);
  });

  /** Waits until the picture is decoded. Without scripts of the page, evaluating still works. */
  async function expectLoaded(page: Page): Promise<void> {
    const { status } = await service.get(
      new URL((await page.locator('img.qr').getAttribute('src')) ?? '', service.url).pathname,
    );
    expect(status).to.equal(200);
    await page.waitForFunction("document.querySelector('img.qr').naturalWidth > 0");
  }

  it('with scripts the expiry is in the zone of the person, a passcode can be looked at, and the link is copied', async () => {
    const { slug } = await ada.owner.create({ expires_at: Date.UTC(2030, 6, 1, 20, 0) });
    const { page, faults } = await open(`/drops/${slug}/edit`, {
      timezoneId: 'Asia/Tokyo',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const field = page.getByLabel(/^Expires/);
    expect(await field.inputValue()).to.equal('2030-07-02T05:00');
    await page.getByText('Asia/Tokyo').waitFor();
    await field.fill('2030-07-02T05:30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The details are saved.').waitFor();
    expect((await ada.owner.get(`/api/drops/${slug}`)).body.expires_at).to.equal(
      Date.UTC(2030, 6, 1, 20, 30),
    );

    await page.getByRole('button', { name: 'Copy link' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(`${service.url}/p/${slug}`);

    await page.getByRole('link', { name: 'Set a passcode' }).click();
    const passcode = page.getByLabel('Passcode', { exact: true });
    await page.locator('#passcode:focus').waitFor();
    await passcode.fill('open-sesame');
    expect(await passcode.getAttribute('type')).to.equal('password');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await passcode.getAttribute('type')).to.equal('text');
    await page.getByRole('button', { name: 'Set passcode' }).click();
    await page.getByText('The passcode is set.').waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('a hostile drop in the preview cannot lead the dashboard away, open windows or dialogs, or reach its session', async () => {
    const attacks = `<!doctype html><a id="a" href="/drops" target="_top">x</a><script>
const tries = { top: () => { top.location = '/' }, open: () => open('/') || fail(), parent: () => parent.document, cookie: () => document.cookie };
const found = {};
for (const [name, run] of Object.entries(tries)) { try { run(); found[name] = 'done' } catch (error) { found[name] = error.name } }
alert('x'); document.title = JSON.stringify(found);
</script>`;
    const { slug } = await ada.owner.create({ html: attacks });
    const { page } = await open(`/drops/${slug}`);
    const windows: unknown[] = [];
    page.on('dialog', (dialog) => windows.push(dialog));
    page.context().on('page', (opened) => windows.push(opened));
    const frame = page.frames().find((one) => one.parentFrame() !== null);
    if (frame === undefined) throw new Error('there is no frame');
    await frame.waitForFunction("document.title.startsWith('{')");
    expect(JSON.parse(await frame.title())).to.deep.equal({
      top: 'SecurityError',
      parent: 'SecurityError',
      cookie: 'SecurityError',
      open: browser.engine === 'Chromium' ? 'ReferenceError' : 'InvalidAccessError', // no window, or an exception
    });
    // Playwright does not find the place of a link in a frame that is scaled.
    await page.setViewportSize({ width: 360, height: 740 });
    await frame.locator('#a').click();
    expect(page.url()).to.equal(`${service.url}/drops/${slug}`);
    expect(windows).to.deep.equal([]);
  });
});
