import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, signIn } from './browser.ts';

/** Ways to ask for a page of the dashboard in the background: no cookie may go with any of them. */
const background: Readonly<Record<string, string>> = {
  fetch: "fetch(path, { credentials: 'include' }).catch(() => 0)",
  opaque: "fetch(path, { mode: 'no-cors', credentials: 'include' })",
  image: 'new Image().src = path',
  frame: "document.body.append(Object.assign(document.createElement('iframe'), { src: path }))",
  script: "document.body.append(Object.assign(document.createElement('script'), { src: path }))",
  form: "submit('get', path, {}, 'sink')",
};

/** A drop that asks for pages, and sends forms with the right form token, which it cannot know. */
function forger(slug: string, formToken: string): string {
  const asks = Object.entries(background).map(
    ([name, code]) => `((path) => ${code})('/drops/by-${name}/delete');`,
  );
  return `<!doctype html><title>Forger</title><iframe name="sink" title="sink"></iframe><script>
const submit = (method, action, fields, target) => {
  const form = document.body.appendChild(document.createElement('form'));
  Object.assign(form, { method, action, target });
  for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement('input'), { name, value }));
  HTMLFormElement.prototype.submit.call(form);
};
addEventListener('load', async () => {
  ${asks.join('\n  ')}
  const fields = { form_token: '${formToken}', title: 'x', end: 'others' };
  for (const path of ['/drops/${slug}/delete', '/account/sessions', '/sign-out']) {
    fetch(path, { method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams(fields) });
    navigator.sendBeacon(path, new URLSearchParams(fields));
    submit('post', path, fields, '_blank');
  }
  window.opened = open('/drops/by-window/delete');
  document.documentElement.dataset.done = 'yes';
});
</script>`;
}

describeInBrowsers('A hostile drop and the dashboard', (browser) => {
  const service = useService();

  async function openSignedIn(): Promise<{ person: Dashboard; page: Page }> {
    const person = await openDashboard(service);
    const context = await browser.newContext();
    await signIn(context, person, service.url);
    return { person, page: await context.newPage() };
  }

  /** The log lines of that request, once there are so many. */
  async function linesOf(method: string, path: string, count: number, from: number): Promise<string[]> {
    const find = () =>
      service.logs.slice(from).filter((line) => line.includes(`'${method}'`) && line.includes(`'${path}'`));
    await until(() => find().length >= count, `${method} ${path}`);
    return find();
  }

  /** Opens the forger in a signed-in browser. @returns whose drop it attacks, and where the log of it begins */
  async function attack(
    pathOf: (slug: string) => string,
    prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  ) {
    const { person, page } = await openSignedIn();
    const { slug } = await person.owner.create({ title: 'Kept' });
    // Of the person themselves, so that their dashboard shows it: somebody else may have written it.
    const hostile = await person.owner.create({ html: forger(slug, person.formToken) });
    await prepare(page);
    const from = service.logs.length;
    await page.goto(service.url + pathOf(hostile.slug));
    return { person, page, slug, from };
  }

  async function expectNoSession(from: number): Promise<void> {
    for (const name of Object.keys(background)) {
      for (const line of await linesOf('GET', `/drops/by-${name}/delete`, 1, from)) {
        expect(line, name).to.not.include('session:');
      }
    }
  }

  /** @param count how many forms to each address arrive at least */
  async function expectRefused(person: Dashboard, slug: string, count: number, from: number): Promise<void> {
    for (const path of [`/drops/${slug}/delete`, '/account/sessions', '/sign-out']) {
      for (const line of await linesOf('POST', path, count, from)) expect(line).to.include('status: 403');
    }
    expect((await person.owner.get(`/api/drops/${slug}`)).body.title).to.equal('Kept');
    expect((await person.get('/')).status, 'still signed in').to.equal(303);
  }

  it('by itself it sends no request in the background with the session, no form that is accepted, and reads no window', async () => {
    const { person, page, slug, from } = await attack((slug) => `/p/${slug}/raw`);
    await expectNoSession(from);
    await expectRefused(person, slug, 3, from);
    const [window] = await linesOf('GET', '/drops/by-window/delete', 1, from);
    expect(window, 'a browser sends the cookie to a window').to.include(`session: '${person.sessionId}'`);
    // Until its page is there it is an empty one, which may be read. To Firefox the window is closed then (COOP).
    const got = `(() => {
      try { return opened.document.title || (opened.closed && 'closed') } catch (error) { return error.name }
    })()`;
    await page.waitForFunction(got);
    expect(await page.evaluate(got)).to.equal(browser.engine === 'Chromium' ? 'SecurityError' : 'closed');
  });

  for (const [where, path] of [
    ['viewer', '/p'],
    ['dashboard of its owner', '/drops'],
  ] as const) {
    it(`in the ${where} it gets no further`, async () => {
      const { person, slug, from } = await attack((hostile) => `${path}/${hostile}`);
      await expectNoSession(from);
      await expectRefused(person, slug, 2, from); // a frame opens no window without a click
    });
  }

  it('what is dragged from it to the list of drops is not published: only files are', async () => {
    const { person, page } = await openSignedIn();
    await page.goto(`${service.url}/drops`);
    await page.locator('[data-drop-target]').waitFor({ state: 'attached' });
    const isTaken = await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/html', '<h1>Hostile</h1>');
      dataTransfer.setData('text/uri-list', '/p/hostile/raw');
      const send = (type) => document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      return !['dragenter', 'dragover', 'drop'].every(send);
    })()`);
    expect(isTaken).to.equal(false);
    expect((await person.owner.get('/api/me')).body.drop_count).to.equal(0);
  });

  it('without the sandbox it signs the person out: the attacks are real', async () => {
    browser.needsChromium('answers that a test changes');
    const { person } = await attack(
      (slug) => `/p/${slug}/raw`,
      (page) =>
        page.route(/\/raw$/, async (route) => {
          const answer = await route.fetch();
          const { 'content-security-policy': _, ...headers } = answer.headers();
          await route.fulfill({ response: answer, headers });
        }),
    );
    await until(async () => (await person.get('/')).status === 200, 'the drop has signed the person out');
  });
});
