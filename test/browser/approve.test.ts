import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { clickApprove, describeInBrowsers, overflowOf, schemes, takePicture } from './browser.ts';

/** The button ignores clicks until `pass`, however slow the machine is. Notes whether the form was sent. */
const holdCover = `
  const slow = new CSSStyleSheet();
  slow.replaceSync('.guarded::after { animation-duration: 10000s !important }');
  document.adoptedStyleSheets = [slow];
  self.isSent = false;
  addEventListener('submit', () => { self.isSent = true; });`;

/** The time of the cover is over. @returns how many covers there were */
const pass = `(() => {
  const animations = document.querySelector('.guarded').getAnimations({ subtree: true });
  for (const animation of animations) animation.finish();
  return animations.length;
})()`;

describeInBrowsers('The Approve button', (browser) => {
  const service = useService();
  before(() => service.newOwner('ada'));

  /** The approval page; `status` polls as the client does. */
  async function openRequest(options: BrowserContextOptions = {}, scope = 'all') {
    const asked = { label: 'A client', scope };
    const { body } = await service.request('POST', '/api/auth/start', { body: asked });
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(`${service.url}/sign-in?code=${body.code}`);
    await page.getByRole('button').click();
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Sign-in key').fill(service.services.signInKey ?? '');
    await page.getByRole('button').click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.mouse.move(1, 1);
    const poll = async () => (await service.get(`/api/auth/poll?token=${body.poll_token}`)).body;
    return { page, poll, status: async () => (await poll()).status };
  }

  async function middleOfApprove(page: Page): Promise<[x: number, y: number]> {
    const box = await page.getByRole('button', { name: 'Approve' }).boundingBox();
    if (box === null) throw new Error('the button is not shown');
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  const coverStyle = "getComputedStyle(document.querySelector('.guarded'), '::after')";

  /** What the button's cover says; null: there is none to see. */
  const cover = `(() => {
    const { content, opacity, visibility } = ${coverStyle};
    return opacity === '1' && visibility === 'visible' ? content : null;
  })()`;

  const isApproved = (page: Page) => page.getByRole('heading', { name: 'Approved' }).waitFor();

  /** The last click has sent nothing. */
  async function expectPending(page: Page, status: () => Promise<string>): Promise<void> {
    expect(await page.evaluate('self.isSent')).to.equal(false);
    expect(await status()).to.equal('pending');
    expect(await page.getByRole('button', { name: 'Approve' }).count()).to.equal(1);
  }

  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    it(`ignores a click right after the pointer has reached it, and says so; prefers-reduced-motion: ${reducedMotion}`, async () => {
      const { page, status } = await openRequest({ reducedMotion });
      const middle = await middleOfApprove(page);
      await page.mouse.move(...middle);
      expect(await page.evaluate(`${coverStyle}.animation`)).to.match(/\b0\.8s\b/);
      await page.mouse.move(1, 1);
      await page.evaluate(holdCover);
      expect(await page.evaluate(pass), 'it begins when the pointer comes').to.equal(0);
      expect(await page.evaluate(cover)).to.equal(null);
      await page.evaluate(`addEventListener('click', () => { coverAtClick = ${cover}; }, { once: true })`);
      await page.mouse.click(...middle, { clickCount: 2, delay: 50 });
      await expectPending(page, status);
      expect(await page.evaluate('coverAtClick')).to.contain('One moment…');
      expect(await page.evaluate(pass)).to.equal(1);
      expect(await page.evaluate(cover)).to.equal(null);
      await page.mouse.click(...middle);
      await isApproved(page);
      expect(await status()).to.equal('verified');
    });
  }

  it('ignores clicks again after the pointer has left it', async () => {
    const { page, status } = await openRequest();
    const middle = await middleOfApprove(page);
    await page.evaluate(holdCover);
    await page.mouse.move(...middle);
    expect(await page.evaluate(pass)).to.equal(1);
    await page.mouse.move(1, 1);
    await page.mouse.click(...middle);
    await expectPending(page, status);
  });

  it('ignores the second click of a double click that began in a popup over it', async () => {
    const { page, status } = await openRequest();
    const middle = await middleOfApprove(page);
    await page.evaluate(holdCover);
    const popup = await page.context().newPage();
    await popup.setContent('<script>addEventListener("mousedown", () => close())</script>Double-click here!');
    const closed = popup.waitForEvent('close');
    await popup.mouse.move(...middle);
    await popup.mouse.down().catch(() => undefined); // the popup closes first
    await closed;
    await page.bringToFront(); // the visible window now
    await page.mouse.click(...middle, { delay: 30 });
    await expectPending(page, status);
    await page.evaluate(pass);
    await clickApprove(page);
    await isApproved(page);
  });

  it('the keyboard alone narrows what the device can do, and the button rests before a click as before', async () => {
    const { page, poll, status } = await openRequest();
    const access = page.getByRole('combobox', { name: 'Access' });
    expect(await access.inputValue()).to.equal('all');
    await access.press('P');
    expect(await access.inputValue()).to.equal('publish');
    const middle = await middleOfApprove(page);
    await page.evaluate(holdCover);
    await page.mouse.click(...middle);
    await expectPending(page, status);
    await page.getByRole('button', { name: 'Approve' }).press('Enter');
    await isApproved(page);
    const { api_token: token } = await poll();
    expect((await service.get('/api/me', { token })).body.token).to.include({ scope: 'publish' });
  });

  it('accepts the keyboard at once', async () => {
    const { page, status } = await openRequest();
    await page.getByRole('button', { name: 'Approve' }).press('Enter');
    await isApproved(page);
    expect(await status()).to.equal('verified');
  });

  it('accepts a touch when the page has been open for 0.8 s, and not before', async () => {
    browser.needsChromium('touches');
    const { page, status } = await openRequest({
      hasTouch: true,
      isMobile: true,
      viewport: { width: 800, height: 900 }, // a tap does not scroll to the button
    });
    expect(await page.evaluate('matchMedia("(hover: none)").matches')).to.equal(true);
    await page.addInitScript(holdCover);
    await page.reload({ waitUntil: 'commit' });
    const middle = await middleOfApprove(page);
    await page.touchscreen.tap(...middle);
    await expectPending(page, status);
    expect(await page.evaluate(pass)).to.equal(1);
    await page.touchscreen.tap(...middle);
    await isApproved(page);
  });

  it('Deny accepts a click at once', async () => {
    const { page, status } = await openRequest();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Denied' }).waitFor();
    expect(await status()).to.equal('expired');
  });

  it('is as large as Deny and fits the page at each width, light and dark', async () => {
    const { page } = await openRequest();
    for (const width of [360, 768, 1440]) {
      for (const colorScheme of schemes) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await takePicture(page, `approve-${width}-${colorScheme}`);
        expect(await overflowOf(page)).to.equal(0);
        const [approve, deny] = await Promise.all(
          ['Approve', 'Deny'].map((name) => page.getByRole('button', { name }).boundingBox()),
        );
        expect(approve?.width, 'as wide as Deny').to.be.closeTo(deny?.width ?? 0, 1);
        expect(approve?.height).to.equal(deny?.height);
      }
    }
    await page.evaluate(holdCover);
    await page.mouse.move(...(await middleOfApprove(page)));
    await until(async () => (await page.evaluate(cover)) !== null, 'the cover is shown');
    await takePicture(page, 'approve-waiting');
    const narrow = await openRequest({}, 'publish');
    await narrow.page.setViewportSize({ width: 360, height: 900 });
    await takePicture(narrow.page, 'approve-publish-360-light');
    expect(await overflowOf(narrow.page)).to.equal(0);
  });
});
