import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Dashboard, openOperator } from '../support/dashboard.ts';
import { createReportScene } from '../support/report-form.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { follow, openSignedIn, tabTo, useBrowser } from './browser.ts';
import { createInspector } from './inspect.ts';

const title = `\u202e<b>${'W'.repeat(150)}`;

/** Tries to run, to load from another server and to leave its frame. */
const hostilePage = (other: string) => `<!doctype html><title>Bank</title><base href="${other}/base/">
<link rel="stylesheet" href="${other}/style.css"><link rel="preconnect" href="${other}"><link rel="prefetch" href="${other}/prefetch">
<meta http-equiv="refresh" content="0;url=${other}/refresh">
<style>.styled { display: none } body { background: url(${other}/background.png) }</style>
<h1>Sign in to your bank</h1><p class="styled">Hidden</p><img src="${other}/pixel.png" alt=""><iframe src="${other}/frame"></iframe>
<IFRAME/srcdoc="<iframe src='${other}/frame'>"></IFRAME>
<object data="${other}/object"></object><video src="${other}/video" autoplay></video>
<form action="${other}/form"><input name="password"><button>Sign in</button></form>
<a href="${other}/link" target="_top">Top</a> <a href="/operators/log">Here</a> <a/href="${other}/link" target="_self">Away</a>
<script>document.querySelector('h1').textContent = 'It ran'; fetch('${other}/script')</script>
<svg onload="document.title = 'It ran'"></svg>`;

describe('The pages for operators, in Chromium', function () {
  this.timeout(120_000);
  const browser = useBrowser();
  const service = useService({ TRUST_PROXY: '1' });
  const scene = createReportScene(service);
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(req.url ?? '');
    res.end();
  });
  let other: string;
  let connections = 0;
  server.on('connection', () => connections++);
  let operator: Dashboard;

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // proof: it listens on a port
    other = `http://127.0.0.1:${port}`;
    operator = await openOperator(service);
  });
  after(() => server.close());

  async function publishReported(fields: object) {
    const published = await scene.publish(fields);
    await scene.newReporter().report(published.slug, { text: 'It asks for my password.' });
    return published;
  }

  it('by keyboard alone and without scripts: from a report to a look, a takedown and the log', async () => {
    const { slug } = await publishReported({ title: 'A bank', html: '<h1>Sign in' });
    const { page, faults } = await openSignedIn(browser, operator, service.url, '/drops', {
      javaScriptEnabled: false,
    });
    await follow(page, 'Operators');
    await follow(page, 'A bank');
    expect(await page.getByText('It asks for my password.').isVisible()).to.equal(true);
    await follow(page, 'Look');
    await page.frameLocator('iframe').getByRole('heading', { name: 'Sign in' }).waitFor();
    await follow(page, 'Take down');
    await tabTo(page, 'Reason');
    await page.keyboard.type('Phishing');
    await follow(page, 'Take down');
    await page.getByRole('status').filter({ hasText: 'The page is offline' }).waitFor();
    expect((await service.get(`/p/${slug}`)).status).to.equal(410);
    await follow(page, 'Log');
    const acts = await page.locator('.entries .strong').allInnerTexts();
    expect(acts).to.have.members(['close-reports', 'takedown', 'look']);
    expect(faults).to.deep.equal([]);
  });

  it('a hostile page that an operator looks at runs nothing, loads nothing and stays in its frame', async () => {
    const { slug } = await publishReported({ title, html: hostilePage(other) });
    const { page } = await openSignedIn(browser, operator, service.url, `/operators/pages/${slug}`);
    await page.getByRole('button', { name: 'Look' }).first().click();
    const shown = page.frameLocator('iframe.looked-at');
    const heading = shown.getByRole('heading', { name: 'Sign in to your bank' });
    await heading.waitFor();
    expect(await shown.getByText('Hidden').isVisible(), 'its own styles apply').to.equal(false);
    const address = page.url();
    await shown.getByRole('button', { name: 'Sign in' }).click();
    for (const name of ['Top', 'Here', 'Away']) await shown.getByRole('link', { name }).click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    expect(page.url()).to.equal(address);
    expect(asked).to.deep.equal([]);
    expect(connections, 'not even a connection').to.equal(0);

    const alone = await page.context().newPage();
    const frame = service.url + (await page.locator('iframe').getAttribute('src'));
    await alone.goto(frame);
    await alone.getByRole('link', { name: 'Away' }).click();
    expect(alone.url()).to.equal(frame);
    expect(connections, 'of the frame by itself').to.equal(0);
    await alone.close();

    const more = page.getByRole('link', { name: 'Load pictures and styles' });
    await Promise.all([page.waitForNavigation(), more.click()]);
    await heading.waitFor();
    const wanted = ['/style.css', '/pixel.png', '/background.png'];
    await until(() => wanted.every((path) => asked.includes(path)), 'pictures and styles');
    expect(asked.filter((path) => /script|refresh|frame|object|form|link|base/.test(path))).to.deep.equal([]);
    expect(await heading.innerText()).to.equal('Sign in to your bank');
  });

  it('are accessible and have valid markup', async () => {
    const { slug, owner } = await publishReported({
      title,
      description: 'One\nline',
      passcode: 'open-sesame',
    });
    const { page } = await openSignedIn(browser, operator, service.url, '/drops');
    const { inspect } = createInspector(page, service.url);
    const path = `/operators/pages/${slug}`;
    const light = { colorSchemes: ['light'] } as const; // the colours are those of the whole dashboard
    const pages: Readonly<Record<string, string>> = {
      reports: '/operators',
      page: path,
      takedown: `${path}/takedown`,
      account: `/operators/accounts/${owner.userId}`,
      log: '/operators/log',
    };
    for (const [name, address] of Object.entries(pages)) {
      await page.goto(service.url + address);
      await inspect(`operators-${name}`, name === 'page' ? {} : light);
    }
    await page.goto(`${service.url}/operators/find`);
    await page.getByLabel('Page, account or token').fill(slug);
    // As without scripts, so that the markup of the answer is validated.
    const submit = "document.querySelector('main form').submit()";
    await Promise.all([page.waitForNavigation(), page.evaluate(submit)]);
    await inspect('operators-found', light);
    await page.goto(service.url + path);
    const [look] = await page.getByRole('button', { name: 'Look' }).all();
    await Promise.all([page.waitForNavigation(), look?.click()]);
    await inspect('operators-inspect', light);
  });
});
