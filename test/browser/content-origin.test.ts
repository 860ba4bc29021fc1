import type { AddressInfo } from 'node:net';
import { createServer, connect as openSocket, type Server } from 'node:net';
import { expect } from 'chai';
import type { Frame, Page } from 'playwright-core';
import { openDashboard } from '../support/dashboard.ts';
import { type Owner, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, signIn, watchPage } from './browser.ts';

/** What a page finds that it may do; each answer is `yes …` or the name of the error. */
const probe = `<!doctype html><title>Probe</title><h1>Drop</h1>
<script>
async function attempt(what) {
  try { return 'yes ' + await what() } catch (error) { return error.name }
}
</script>`;

// Instead of Playwright's list, which turns defaults off: here a frame has storage apart by the site around it.
const chromiumFlags = ['--disable-features=HttpsUpgrades'];

describeInBrowsers({ title: 'CONTENT_ORIGIN', chromiumFlags }, (browser) => {
  let gateway: Server;
  let service: TestService;
  let owner: Owner;

  // The content's address must name a port before the service has one. Chromium resolves all of localhost to this machine.
  before(async () => {
    gateway = createServer((socket) => {
      const onward = openSocket(Number(new URL(service.url).port), '127.0.0.1');
      socket.pipe(onward).pipe(socket);
      for (const side of [socket, onward])
        side.on('error', () => [socket, onward].map((one) => one.destroy()));
    });
    await new Promise<void>((resolve) => gateway.listen(0, 'localhost', resolve));
    const { port } = gateway.address() as AddressInfo; // proof: it listens on a port
    service = await startService({
      env: { CONTENT_ORIGIN: `http://*.drops.localhost:${port}`, LOG_RAW_SAMPLE: '1' },
    });
    owner = await service.newOwner();
  });
  after(async () => {
    await service?.stop();
    gateway?.close();
  });

  async function newPage(): Promise<Page> {
    return (await browser.newContext()).newPage();
  }

  /** The viewer of a drop, and the frame in it once it has loaded. */
  async function open(page: Page, slug: string): Promise<Frame> {
    await page.goto(`${service.url}/p/${slug}`);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    if (frame === null) throw new Error('the frame holds no page');
    await frame.waitForSelector('h1');
    return frame;
  }

  /** @param what an expression for the frame, which may be a promise */
  function attempt(frame: Frame, what: string): Promise<string> {
    return frame.evaluate(`attempt(async () => (${what}))`);
  }

  async function publish(html = probe, fields: object = {}): Promise<string> {
    return (await owner.create({ html, ...fields })).slug;
  }

  it('a framed drop has an origin of its own, and keeps there what it stores, over reloads and versions', async () => {
    const page = await newPage();
    const one = await publish();
    const two = await publish();
    const frame = await open(page, one);
    const origin = await frame.evaluate<string>('self.origin');
    expect(origin).to.match(/^http:\/\/[0-9a-f]{32}\.drops\.localhost:\d+$/);
    expect(await attempt(frame, "localStorage.setItem('note', 'kept')")).to.equal('yes undefined');
    // Chromium as in any frame of another site, unless it is Secure, SameSite=None; Firefox keeps them by the site around it.
    const kept = browser.engine === 'Chromium' ? 'yes ' : 'yes a=1';
    expect(await attempt(frame, "(document.cookie = 'a=1', document.cookie)")).to.equal(kept);
    expect(
      await attempt(
        frame,
        "new Promise((done, fail) => { const asked = indexedDB.open('x'); asked.onsuccess = () => done('opened'); asked.onerror = fail })",
      ),
    ).to.equal('yes opened');
    expect(await attempt(await open(page, one), "localStorage.getItem('note')")).to.equal('yes kept');
    await owner.put(one, { html: probe });
    expect(await attempt(await open(page, one), "localStorage.getItem('note')")).to.equal('yes kept');

    const other = await open(page, two);
    expect(await other.evaluate('self.origin')).to.not.equal(origin);
    expect(await attempt(other, "localStorage.getItem('note')")).to.equal('yes null');
    expect(await attempt(other, 'document.cookie')).to.equal('yes ');
  });

  it("it reaches neither the viewer nor its sandbox, and the viewer's cookies stay where they are", async () => {
    const page = await newPage();
    await page.context().addCookies([{ name: 'secret', value: '1', url: service.url }]);
    const frame = await open(page, await publish());
    for (const what of [
      'parent.document.title',
      'top.document.cookie',
      'frameElement.sandbox',
      'parent.localStorage',
    ])
      expect(await attempt(frame, what), what).to.match(/^(SecurityError|TypeError)$/);
    expect(await attempt(frame, 'frameElement')).to.equal('yes null');
    expect(await attempt(frame, 'document.cookie')).to.equal('yes ');
    expect(await attempt(frame, "document.domain = 'drops.localhost'")).to.equal('SecurityError');
  });

  it('it is not same-origin with the API, and its requests there carry no cookie', async () => {
    const page = await newPage();
    await page
      .context()
      .addCookies([{ name: 'dropleaf_pass', value: 'x', url: service.url, sameSite: 'Lax' }]);
    const cookies: string[] = [];
    page.on('request', async (request) => {
      if (/^\/(p|api)\//.test(request.url().slice(service.url.length)))
        cookies.push((await request.allHeaders()).cookie ?? 'none');
    });
    const frame = await open(page, await publish());
    for (const options of ["{ credentials: 'include' }", "{ method: 'POST', credentials: 'include' }"]) {
      const read = `fetch('${service.url}/api/onboard', ${options}).then((answer) => answer.text())`;
      expect(await attempt(frame, read), options).to.equal('TypeError');
    }
    await attempt(frame, `fetch('${service.url}/api/onboard', { mode: 'no-cors', credentials: 'include' })`);
    await until(() => cookies.length >= 5, 'all requests are seen');
    const own = ['dropleaf_pass=x', 'dropleaf_pass=x']; // the viewer, and whether there are comments
    expect(cookies).to.have.members([...own, 'none', 'none', 'none']);
    expect(await attempt(frame, "fetch('/api/onboard').then(({ status }) => status)")).to.equal('yes 404');
    expect(await attempt(frame, "fetch('/api/me').then(({ status }) => status)")).to.equal('yes 404');
  });

  it('it reads itself, and no other drop: not by its own host, not by theirs, not in a frame', async () => {
    const page = await newPage();
    const one = await publish();
    const two = await publish('<!doctype html><h1>Other</h1>');
    const otherFrame = await open(page, two);
    const otherUrl = otherFrame.url();
    const frame = await open(page, one);
    expect(await attempt(frame, 'fetch(location.href).then((answer) => answer.text())')).to.match(
      /^yes .*Drop/s,
    );
    expect(await attempt(frame, `fetch('/p/${two}/raw').then(({ status }) => status)`)).to.equal('yes 404');
    expect(await attempt(frame, `fetch('${otherUrl}').then((answer) => answer.text())`)).to.equal(
      'TypeError',
    );
    const nested = `new Promise((done, fail) => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.onload = () => { try { done(frame.contentWindow.document.body.textContent) } catch (error) { fail(error) } };
      frame.src = '${otherUrl}';
    })`;
    expect(await attempt(frame, nested)).to.match(/^(SecurityError|TypeError)$/);
  });

  it('it can register no service worker and start no worker from an address there: nothing is served as a script', async () => {
    const page = await newPage();
    const slug = await publish();
    const frame = await open(page, slug);
    expect(await frame.evaluate('isSecureContext'), 'else this would show nothing').to.equal(true);
    for (const path of [`/p/${slug}/raw`, `/p/${slug}/raw?v=1`, '/sw.js', '/p/nosuchslug00/raw']) {
      expect(await attempt(frame, `navigator.serviceWorker.register('${path}')`), path).to.match(/Error$/);
      const worker = `new Promise((done, fail) => {
        const worker = new Worker('${path}');
        worker.onmessage = done;
        worker.onerror = () => fail(new DOMException('', 'RefusedError'));
        setTimeout(done, 2_000, 'runs');
      })`;
      expect(await attempt(frame, worker), path).to.equal('RefusedError');
    }
    expect(
      await attempt(
        frame,
        "navigator.serviceWorker.register(URL.createObjectURL(new Blob(['1'], { type: 'text/javascript' })))",
      ),
    ).to.match(/Error$/);
    expect(
      await attempt(frame, 'navigator.serviceWorker.getRegistrations().then((all) => all.length)'),
    ).to.equal('yes 0');
  });

  it('its frame stays on its host: a link that leads elsewhere is refused by the viewer', async () => {
    const page = await newPage();
    const slug = await publish(`${probe}<a id="away" href="${service.url}/p/nosuchslug00">Away</a>`);
    const { faults } = watchPage(page, 'http://');
    const frame = await open(page, slug);
    await frame.evaluate("document.getElementById('away').click()");
    await until(() => faults.length > 0, 'the browser says what it refused');
    expect(faults.join()).to.match(/frame-src/);
    await page.getByText(`A link led to ${new URL(service.url).host}, which cannot be shown here.`).waitFor();
    expect(page.frames().some((one) => one.url().startsWith(`${service.url}/p/nosuchslug00`))).to.equal(
      false,
    );
  });

  it('opened by itself it has the same origin and sandbox, after a 304 too', async () => {
    const page = await newPage();
    const slug = await publish();
    const url = (await open(page, slug)).url();
    const origin = new URL(url).origin;
    const from = service.logs.length;
    for (let n = 0; n < 2; n++) {
      if (n === 0) await page.goto(`${origin}/p/${slug}/raw`);
      else await page.reload();
      expect(await page.evaluate('self.origin')).to.equal(origin);
      expect(await attempt(page.mainFrame(), "(document.cookie = 'a=1', document.cookie)")).to.equal(
        'yes a=1',
      );
      expect(await attempt(page.mainFrame(), "document.domain = 'drops.localhost'")).to.equal(
        'SecurityError',
      );
    }
    const lines = service.logs.slice(from).filter((line) => line.includes(`/p/${slug}/raw`));
    expect(lines.map((line) => /status: (\d+)/.exec(line)?.[1])).to.deep.equal(['200', '304']);
  });

  it("on the service's own host it is as ever: no origin, no storage", async () => {
    const page = await newPage();
    await page.goto(`${service.url}/p/${await publish()}/raw`);
    expect(await page.evaluate('self.origin')).to.equal('null');
    expect(await attempt(page.mainFrame(), "localStorage.getItem('note')")).to.equal('SecurityError');
    expect(await attempt(page.mainFrame(), 'document.cookie')).to.equal('SecurityError');
  });

  it('a locked drop: unlocked in the viewer, shown in the frame, and reloaded there, with no cookie', async () => {
    const page = await newPage();
    const slug = await publish(`${probe}<button onclick="location.reload()">Again</button>`, {
      passcode: 'open-sesame',
    });
    const { faults } = watchPage(page, 'http://');
    await page.goto(`${service.url}/p/${slug}`);
    await page.getByLabel('Passcode').fill('open-sesame');
    await page.getByRole('button').click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Drop' }).waitFor();
    await frame.locator('html').evaluate((element) => element.setAttribute('data-old', ''));
    await frame.getByRole('button', { name: 'Again' }).dispatchEvent('click'); // no input reaches frames of other sites in Firefox
    await frame.locator('html:not([data-old])').getByRole('heading', { name: 'Drop' }).waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.map(({ domain }) => domain)).to.deep.equal([new URL(service.url).hostname]);
    expect(faults).to.deep.equal([]);
  });

  it('the owner comments on what is selected in it: the panel is in the viewer, on the address of the service', async () => {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create({
      html: '<!doctype html><h1>Visits rose by 42 percent</h1>',
    });
    const context = await browser.newContext();
    await signIn(context, dashboard, service.url);
    const page = await context.newPage();
    const frame = await open(page, slug);
    expect(frame.url()).to.include('.drops.localhost').and.include('/raw?framed=1&');
    await page.getByRole('button', { name: 'Comments' }).click();
    const panel = page.frameLocator('iframe.comments-panel');
    await panel.locator('.new-comment').waitFor();
    await (await frame.waitForSelector('h1')).click();
    await frame.evaluate(`getSelection().selectAllChildren(document.querySelector('h1'))`);
    await panel.locator('.new-comment .quote', { hasText: 'Visits' }).waitFor();
    await panel.getByLabel('New comment').fill('All of them?');
    await panel.getByRole('button', { name: 'Send' }).click();
    await panel.locator('.thread[data-found=here]', { hasText: 'All of them?' }).waitFor();
  });
});
