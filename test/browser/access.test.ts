import { createServer } from 'node:http';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { identify, restrict } from '../support/access.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { listen } from '../support/listen.ts';
import { useService } from '../support/service.ts';
import { describeInBrowsers, signIn } from './browser.ts';

const secret = '<!doctype html><title>x</title><p id="secret">SECRET</p>';

/** A page that tries to read another one with its reader's cookie, and writes down what it got. */
function thief(address: string): string {
  return `<!doctype html><title>thief</title><p id="got"></p><script>
const got = [];
const tell = (what, result) => { got.push(what + ': ' + result); document.getElementById('got').textContent = got.join(' | '); };
const url = ${JSON.stringify(address)};
for (const mode of ['cors', 'no-cors', 'same-origin'])
  fetch(url, { mode, credentials: 'include' }).then(async (r) => tell(mode, r.status + ' ' + (await r.text())), (e) => tell(mode, e.name));
const xhr = new XMLHttpRequest(); xhr.open('GET', url); xhr.withCredentials = true;
xhr.onloadend = () => tell('xhr', xhr.status + ' ' + xhr.responseText); xhr.send();
const frame = document.createElement('iframe'); frame.src = url;
frame.onload = () => { try { tell('frame', frame.contentDocument.body.textContent); } catch (e) { tell('frame', e.name); } };
document.body.append(frame);
const script = document.createElement('script'); script.src = url; script.onload = () => tell('script', 'loaded'); script.onerror = () => tell('script', 'error');
document.body.append(script);
</script>`;
}

describeInBrowsers('A page for named people', (browser) => {
  const service = useService();

  async function scene() {
    const owner = await service.newOwner();
    const ada = await openDashboard(service);
    await identify(service, ada.owner, { email: 'ada@team.example' });
    const { slug } = await owner.create({ title: 'Plans', html: secret });
    await restrict(service, owner, slug, { access: 'named', people: ['ada@team.example'] });
    await service.settle();
    return { owner, slug, ada };
  }

  async function signedIn(person: Dashboard): Promise<BrowserContext> {
    const context = await browser.newContext();
    await signIn(context, person, service.url);
    return context;
  }

  const textInFrame = (page: Page) => page.frameLocator('main > iframe').locator('#secret').textContent();

  it('is shown in the viewer to its readers, also by itself, and to nobody else', async () => {
    const { slug, ada } = await scene();
    const page = await (await signedIn(ada)).newPage();
    await page.goto(`${service.url}/p/${slug}`);
    expect(await textInFrame(page)).to.equal('SECRET');
    await page.goto(`${service.url}/p/${slug}/raw`);
    expect(await page.textContent('#secret')).to.equal('SECRET');
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(`${service.url}/p/${slug}`);
    expect(await stranger.textContent('h1')).to.equal('You cannot open this page');
    expect(await stranger.content()).to.not.match(/SECRET|Plans/);
  });

  it('is not read by a hostile page that its reader opens, in the viewer or by itself', async () => {
    const { owner, slug, ada } = await scene();
    const context = await signedIn(ada);
    for (const target of [`/p/${slug}/raw`, `/p/${slug}`, `/p/${slug}/latest`]) {
      const drop = await owner.create({ html: thief(service.url + target) });
      for (const path of [`/p/${drop.slug}`, `/p/${drop.slug}/raw`]) {
        const page = await context.newPage();
        await page.goto(service.url + path);
        const got = (path.endsWith('raw') ? page : page.frameLocator('main > iframe')).locator('#got');
        for (const what of ['cors', 'xhr', 'script']) await got.filter({ hasText: `${what}: ` }).waitFor();
        expect(await got.textContent(), path).to.not.match(/SECRET|latest_version|Plans/);
        await page.close();
      }
    }
  });

  it('in a frame of another site it says that it opens in a tab', async () => {
    browser.needsChromium('presses in a frame of another site');
    const { slug, ada } = await scene();
    const site = createServer((_, res) =>
      res
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<iframe src="${service.url}/p/${slug}/raw"></iframe>`),
    );
    const port = await listen(site);
    try {
      const page = await (await signedIn(ada)).newPage();
      await page.goto(`http://localhost:${port}`);
      const frame = page.frameLocator('iframe');
      expect(await frame.locator('h1').textContent()).to.equal('Not everybody may read this page');
      const opened = page.context().waitForEvent('page');
      await frame.getByRole('link', { name: 'Open in a tab' }).click();
      const tab = await opened;
      await tab.waitForLoadState();
      expect(await textInFrame(tab)).to.equal('SECRET');
    } finally {
      site.closeAllConnections();
      site.close();
    }
  });
});
