import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useOnce } from '../support/between.ts';
import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { follow, openSignedIn, tabTo, useBrowser } from './browser.ts';

describe('The page of a drop in the dashboard, in Chromium', () => {
  const browser = useBrowser();
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
    await page.frameLocator('iframe').getByText('A page').waitFor();

    await follow(page, 'Change the passcode');
    await follow(page, 'Remove passcode');
    await page.getByText('The passcode is removed.').waitFor();
    expect(await read()).to.include({ locked: false });
    expect(faults).to.deep.equal([]);
  });

  it('without scripts: the preview has three widths, and the QR code is there', async () => {
    const { slug } = await ada.owner.create({
      html: '<meta name="viewport" content="width=device-width"><h1>Framed</h1>',
    });
    const { page, faults } = await open(`/drops/${slug}`, {
      javaScriptEnabled: false,
      viewport: { width: 1440, height: 900 },
    });
    const frame = page.locator('iframe');
    await page.frameLocator('iframe').getByText('Framed').waitFor();
    const width = async () => Math.round((await frame.boundingBox())?.width ?? 0);
    const full = await width();
    await tabTo(page, 'Full');
    for (const expected of [768, 390, full]) {
      await page.keyboard.press('ArrowRight');
      expect(await width()).to.equal(expected);
    }
    await tabTo(page, 'QR code');
    await page.keyboard.press('Enter');
    const code = page.getByAltText('QR code of the address');
    await code.scrollIntoViewIfNeeded();
    await expectLoaded(page);
    expect(faults).to.deep.equal([]);
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
      ...{ timezoneId: 'Asia/Tokyo', permissions: ['clipboard-read', 'clipboard-write'] },
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
      ...{ top: 'SecurityError', open: 'ReferenceError', parent: 'SecurityError', cookie: 'SecurityError' },
    });
    await frame.locator('#a').click();
    expect(page.url()).to.equal(`${service.url}/drops/${slug}`);
    expect(windows).to.deep.equal([]);
  });
});
