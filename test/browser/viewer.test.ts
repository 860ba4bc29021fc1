import { expect } from 'chai';
import type { FrameLocator, Page } from 'playwright-core';
import { useOwner, useService } from '../support/service.ts';
import { describeInBrowsers, overflowOf, photograph, watchPage } from './browser.ts';

const report = (text: string) => `<!doctype html><title>Report</title><h1>${text}</h1>
<p id="cookie"></p><button onclick="location.reload()">Again</button>
<script>
let seen;
try { seen = document.cookie } catch (error) { seen = error.name }
document.getElementById('cookie').textContent = seen;
</script>`;

describeInBrowsers('The viewer', (browser) => {
  const service = useService();
  const owner = useOwner(service);

  async function open(path: string): Promise<{ page: Page; frame: FrameLocator; faults: string[] }> {
    const page = await (await browser.newContext()).newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(service.url + path);
    return { page, frame: page.frameLocator('iframe'), faults };
  }

  async function enter(page: Page, passcode: string): Promise<void> {
    await page.getByLabel('Passcode').fill(passcode);
    await page.getByRole('button').click();
  }

  it('?v=N shows version N and its number, and links to the latest', async () => {
    const { slug } = await owner.create({ html: report('One') });
    await owner.put(slug, { html: report('Two') });
    const { page, frame, faults } = await open(`/p/${slug}?v=1`);
    await frame.getByRole('heading', { name: 'One' }).waitFor();
    await page.getByRole('link', { name: 'Latest' }).click();
    await frame.getByRole('heading', { name: 'Two' }).waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('the passcode: form, wrong, right, page; reloads and other versions stay unlocked', async () => {
    const { slug } = await owner.create({
      html: report('Locked one'),
      title: 'Secret plan',
      passcode: 'sesame',
    });
    await owner.put(slug, { html: report('Locked two') });
    const { page, frame, faults } = await open(`/p/${slug}?v=1`);
    expect(await page.locator('iframe').count()).to.equal(0);
    expect(await page.content()).to.not.include('Secret plan');
    await enter(page, 'wrong');
    await page.getByRole('alert').waitFor();
    expect(await page.content()).to.not.include('Secret plan');
    faults.splice(0); // the browser logs the 403 of the wrong passcode
    await enter(page, 'sesame');
    await frame.getByRole('heading', { name: 'Locked one' }).waitFor();
    expect(page.url()).to.equal(`${service.url}/p/${slug}?v=1`);

    // A sandboxed frame that reloads itself sends no cookies, only the grant in its address.
    await frame.locator('html').evaluate((element) => element.setAttribute('data-old', ''));
    await frame.getByRole('button', { name: 'Again' }).click();
    await frame.locator('html:not([data-old])').getByRole('heading', { name: 'Locked one' }).waitFor();
    await page.goto(`${service.url}/p/${slug}`);
    await frame.getByRole('heading', { name: 'Locked two' }).waitFor();
    expect(await frame.locator('#cookie').innerText()).to.equal('');

    await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: 'another' } });
    await page.reload();
    await page.getByLabel('Passcode').waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('a locked page can send a form to its own address', async () => {
    const html = `<!doctype html><title>Form</title><h1></h1><form><input name="q" value="asked"><button>Ask</button></form>
<script>
const query = new URLSearchParams(location.search);
document.querySelector('h1').textContent = query.get('q') ?? 'nothing';
for (const name of ['v', 'g']) {
  const field = Object.assign(document.createElement('input'), { type: 'hidden', name, value: query.get(name) });
  document.querySelector('form').append(field);
}
</script>`;
    const { slug } = await (await service.newOwner()).create({ html, passcode: 'open-sesame' });
    const { page, frame } = await open(`/p/${slug}`);
    await enter(page, 'open-sesame');
    await frame.getByRole('heading', { name: 'nothing' }).waitFor();
    await frame.getByRole('button', { name: 'Ask' }).click();
    await frame.getByRole('heading', { name: 'asked' }).waitFor();
  });

  it('the raw page is sandboxed without the viewer too: no cookies, an opaque origin', async () => {
    const { slug } = await owner.create({ html: report('Alone') });
    const { page } = await open(`/p/${slug}/raw`);
    expect(await page.locator('#cookie').innerText()).to.equal('SecurityError');
    expect(await page.evaluate('self.origin')).to.equal('null');
    await page.reload(); // answered 304, with the policy
    expect(await page.locator('#cookie').innerText()).to.equal('SecurityError');
  });

  it('the defensive style keeps wide pages, images and tables within a phone screen', async () => {
    const html = `<!doctype html><title>Wide</title><div style="width:2000px;height:9px;background:red"></div>
<svg width="1500" height="20"></svg><table><tr><td>${'wide '.repeat(3)}</table><pre>${'long'.repeat(500)}</pre>`;
    const { slug } = await owner.create({ html });
    await photograph(browser, 'wide-page', `${service.url}/p/${slug}/raw`, async (page) => {
      expect(await page.evaluate('scrollTo(500, 0), scrollX')).to.equal(0);
      const svg = await page.locator('svg').boundingBox();
      expect(svg?.width).to.be.at.most(page.viewportSize()?.width ?? 0);
    });
  });

  it('fits a phone with a long title, an old version and context', async () => {
    const long = {
      title: `${'A title that goes on '.repeat(9)}`,
      context: `# Why\n\n${'Because of words. '.repeat(80)}`,
    };
    const { slug } = await owner.create({ html: report('Long'), ...long });
    await owner.put(slug, { html: report('Longer') });
    await photograph(browser, 'context', `${service.url}/p/${slug}?v=1`, async (page) => {
      await page.locator('h1 button').click();
      await page.getByRole('heading', { name: 'Why' }).waitFor();
      expect(await overflowOf(page)).to.equal(0);
    });
  });
});
