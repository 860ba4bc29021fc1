import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { describeInBrowsers } from './browser.ts';

const operator = { by: 'root', reason: 'REASON-SECRET' };
const html = `<!doctype html><title>HTML-SECRET</title><h1>Here</h1><button onclick="location.reload()">Again</button>`;

describeInBrowsers('A page that was taken down', (browser) => {
  const service = useService();

  it('is gone at the next load of the frame or the viewer', async () => {
    const { slug } = await (await service.newOwner()).create({ title: 'TITLE-SECRET', html });
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
  });
});
