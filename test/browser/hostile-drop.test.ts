import { expect } from 'chai';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Attack, attacks, attacksByWindow, attacksOnParent, findings, hostilePage } from './attacks.ts';
import { clickApprove, describeInBrowsers, watchPage } from './browser.ts';

describeInBrowsers('A hostile drop', (browser) => {
  const service = useService();

  /** Somebody who has cookies and storage of ours. */
  async function newVisitor(): Promise<BrowserContext> {
    const context = await browser.newContext();
    await context.addCookies([{ name: 'secret', value: '1', url: service.url }]);
    const page = await context.newPage();
    await page.goto(service.url);
    await page.evaluate("localStorage.setItem('secret', 'kept')");
    await page.close();
    return context;
  }

  async function publish(html: string, fields: object = {}): Promise<string> {
    return (await (await service.newOwner()).create({ html, ...fields })).slug;
  }

  async function frameIn(page: Page): Promise<Frame> {
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    if (frame === null) throw new Error('the frame holds no page');
    return frame;
  }

  function expectNothing(found: Readonly<Record<string, string>>, tried: readonly Attack[]): void {
    expect(Object.keys(found)).to.have.members(tried.map(({ what }) => what));
    for (const [what, got] of Object.entries(found)) {
      expect(got, what).to.match(/^(\w*Error|Opaque|yes (undefined|null|SecurityError))$/);
    }
  }

  /** What concerns the storage that the viewer's frame gives a page, and all else. */
  function divide(found: Readonly<Record<string, string>>) {
    const names = attacks.filter(({ isStorage }) => isStorage).map(({ what }) => what);
    const ofKind = (isStorage: boolean) =>
      Object.fromEntries(Object.entries(found).filter(([what]) => names.includes(what) === isStorage));
    return { withStorage: ofKind(true), others: ofKind(false) };
  }

  it('by itself it reaches no cookie, storage, worker, API, or page of ours, also after a reload (304)', async () => {
    const context = await newVisitor();
    const page = await context.newPage();
    const all = [...attacks, ...attacksByWindow];
    const path = `/p/${await publish(hostilePage(all))}/raw`;
    await page.goto(service.url + path);
    for (let n = 0; n < 2; n++) {
      expectNothing(await findings(page.mainFrame()), all);
      expect(await page.evaluate('self.origin')).to.equal('null');
      await page.reload();
    }
    expect(await context.cookies()).to.have.length(1);
  });

  it('the same page does reach these things where the policy is taken away: the attacks are real', async () => {
    const context = await newVisitor();
    const page = await context.newPage();
    const all = [...attacks, ...attacksByWindow];
    const path = `/p/${await publish(hostilePage(all))}/raw`;
    await page.route(service.url + path, async (route) => {
      const answer = await route.fetch();
      const { 'content-security-policy': _, ...headers } = answer.headers();
      await route.fulfill({ response: answer, headers });
    });
    await page.goto(service.url + path);
    const found = await findings(page.mainFrame());
    for (const { what, unprotected } of all)
      if (unprotected !== undefined) expect(found[what], what).to.match(unprotected);
  });

  it('framed it reaches no more, and nothing of the viewer, which stays where it is', async () => {
    const context = await newVisitor();
    const page = await context.newPage();
    const all = [...attacks, ...attacksOnParent];
    const slug = await publish(hostilePage(all));
    await page.goto(`${service.url}/p/${slug}`);
    const frame = await frameIn(page);
    const { withStorage, others } = divide(await findings(frame));
    expectNothing(
      others,
      all.filter(({ isStorage }) => !isStorage),
    );
    // What the viewer's frame gives it is its own, and empty.
    expect(withStorage).to.deep.equal({
      'reads cookies': 'yes ',
      'sets a cookie': 'yes mine=1; path=/',
      'local storage': 'yes null',
      'session storage': 'yes 0',
    });
    expect(await context.cookies()).to.have.length(1);
    expect(page.url()).to.equal(`${service.url}/p/${slug}`);
    expect(await page.title()).to.equal('A title · Dropleaf');
    expect(await page.evaluate('name')).to.equal('');
    expect(await frame.evaluate('self.origin')).to.equal('null');
  });

  it('locked, it stays locked up when it reloads itself in its frame: the grant in its address lets it in, and no cookie', async () => {
    const context = await newVisitor();
    const page = await context.newPage();
    const again = "<script>name += 'x'; if (name.length < 3) location.reload()</script>";
    const slug = await publish(hostilePage(attacks, again), { passcode: 'open-sesame' });
    await page.goto(`${service.url}/p/${slug}`);
    await page.getByLabel('Passcode').fill('open-sesame');
    await page.getByRole('button').click();
    const frame = await frameIn(page);
    await frame.waitForFunction("name === 'xxx'");
    expectNothing(await findings(frame), attacks);
    expect(await frame.evaluate('self.origin')).to.equal('null');
  });

  /** Sends each form into a frame, and by script, as soon as the page is there. */
  function forger(forms: readonly (readonly [path: string, fields: string])[]): string {
    return `<!doctype html><title>Forger</title><iframe name="sink" title="sink"></iframe><script>
addEventListener('load', async () => {
  for (const [path, fields] of ${JSON.stringify(forms)}) {
    fetch(path, { method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams(fields) }).catch(() => 0);
    const form = document.body.appendChild(document.createElement('form'));
    Object.assign(form, { method: 'post', action: path, target: 'sink' });
    for (const [name, value] of new URLSearchParams(fields)) {
      form.append(Object.assign(document.createElement('input'), { name, value }));
    }
    const sent = new Promise((done) => document.querySelector('iframe').addEventListener('load', done, { once: true }));
    HTMLFormElement.prototype.submit.call(form);
    await sent;
  }
});
</script>`;
  }

  it('the forms that it sends are refused, and the person in the middle of a sign-in and of a passcode is none the worse', async () => {
    const context = await newVisitor();
    const locked = await publish('<h1>Locked</h1>', { passcode: 'open-sesame' });
    const reported = await publish('<h1>Reported</h1>');
    const started = await service.request('POST', '/api/auth/start', { body: { label: 'mine' } });
    const { code, poll_token: pollToken } = started.body;
    const mine = await context.newPage();
    await mine.goto(`${service.url}/sign-in?code=${code}`);
    await mine.getByRole('button').click();
    await mine.getByLabel('Name').fill('ada');
    await mine.getByLabel('Sign-in key').fill(service.services.signInKey ?? '');
    await mine.getByRole('button', { name: 'Sign in' }).click();
    await mine.getByRole('button', { name: 'Create account' }).click();
    await mine.getByRole('button', { name: 'Approve' }).waitFor();

    const forms = [
      ['/api/auth/start', 'label=eve'],
      ['/sign-in', `code=${code}`],
      ['/sign-in/local', `name=eve&key=${service.services.signInKey}`],
      ['/sign-in/approve', 'decision=approve&token=x'],
      ['/sign-in/approve', 'decision=deny&token=x'],
      [`/p/${locked}`, 'passcode=open-sesame'],
      [`/report/${reported}`, 'reason=other&text=x'],
    ] as const;
    const slug = await publish(forger(forms));
    for (const path of [`/p/${slug}/raw`, `/p/${slug}`]) {
      const from = service.logs.length;
      const page = await context.newPage();
      await page.goto(service.url + path);
      const posts = () => service.logs.slice(from).filter((line) => line.includes("method: 'POST'"));
      await until(() => posts().length >= forms.length * 2, 'all forms have arrived');
      for (const line of posts()) expect(line).to.include('status: 403');
      await page.close();
    }
    expect((await service.get(`/api/auth/poll?token=${pollToken}`)).body.status).to.equal('pending');
    expect((await context.cookies()).map(({ name }) => name)).to.not.include('dropleaf_pass');

    await clickApprove(mine);
    await mine.getByRole('heading', { name: 'Approved' }).waitFor();
    expect((await service.get(`/api/auth/poll?token=${pollToken}`)).body.status).to.equal('verified');
  });

  it('it can lead its frame to no page of the sign-in, and the viewer around it stays', async () => {
    const context = await newVisitor();
    const page = await context.newPage();
    const slug = await publish("<h1>Leads away</h1><script>location.href = '/sign-in'</script>");
    const { faults } = watchPage(page, service.url);
    await page.goto(`${service.url}/p/${slug}`);
    await until(() => faults.join().includes('frame-ancestors'), 'the browser says what it refused');
    expect(page.url()).to.equal(`${service.url}/p/${slug}`);
    for (const frame of page.frames()) expect(await frame.locator('form').count()).to.equal(0);
  });

  it('what it tells the viewer by messages is heard by nobody', async () => {
    const context = await newVisitor();
    const page = await context.newPage();
    const html =
      "<h1>Talks</h1><script>for (const word of ['x', { html: '<img>' }, null]) parent.postMessage(word, '*'); document.documentElement.dataset.done = 'yes'</script>";
    const slug = await publish(html);
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(`${service.url}/p/${slug}`);
    const before = await page.content();
    await (await frameIn(page)).waitForSelector('html[data-done=yes]', { state: 'attached' });
    expect(await page.content()).to.equal(before);
    expect(faults).to.deep.equal([]);
  });

  it('by itself it can write another path of ours into the address bar, as browsers let it, and a reload shows the real page', async () => {
    const context = await newVisitor();
    const page = await context.newPage();
    const slug = await publish("<h1>Pretends</h1><script>history.pushState(null, '', '/sign-in')</script>");
    await page.goto(`${service.url}/p/${slug}/raw`);
    await page.waitForURL(`${service.url}/sign-in`);
    expect(await page.evaluate('self.origin'), 'it is the drop still').to.equal('null');
    await page.reload();
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    expect(await page.evaluate('self.origin')).to.equal(service.url);
  });
});
