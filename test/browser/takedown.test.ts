import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { overflowOf, photograph, useBrowser, watchPage } from './browser.ts';

const operator = { by: 'root', reason: 'REASON-SECRET' };
const html = `<!doctype html><title>HTML-SECRET</title><h1>Here</h1><button onclick="location.reload()">Again</button>`;

describe('A page that was taken down, in Chromium', function () {
  this.timeout(60_000);
  const browser = useBrowser();
  const service = useService();

  async function publish(): Promise<string> {
    const { slug } = await (await service.newOwner()).create({ title: 'TITLE-SECRET', html });
    return slug;
  }

  for (const path of ['', '/raw']) {
    it(`/p/{slug}${path} says that it was removed, on wide and narrow screens, light and dark`, async () => {
      const slug = await publish();
      await service.services.moderation.takeDown(slug, operator);
      const page = await (await browser.newContext()).newPage();
      const { faults } = watchPage(page, service.url);
      const url = `${service.url}/p/${slug}${path}`;
      expect((await page.goto(url))?.status()).to.equal(410);
      expect(await page.content()).to.not.include('SECRET');
      expect(faults.filter((fault) => !fault.includes('410'))).to.deep.equal([]);
      await page.context().close();
      await photograph(browser, path === '' ? 'taken-down' : 'taken-down-raw', url, async (shown) => {
        await shown.getByRole('heading', { name: 'Page removed' }).waitFor();
        expect(await overflowOf(shown)).to.be.at.most(0);
      });
    });
  }

  it('is gone at the next load of the frame or the viewer', async () => {
    const slug = await publish();
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${service.url}/p/${slug}`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Here' }).waitFor();
    await service.services.moderation.takeDown(slug, operator);
    await frame.getByRole('button', { name: 'Again' }).click();
    await frame.getByRole('heading', { name: 'Page removed' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Page removed' }).waitFor();
    expect(await page.content()).to.not.include('SECRET');
    await page.context().close();
  });
});
