import { expect } from 'chai';
import type { Frame, Page } from 'playwright-core';
import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, signIn } from './browser.ts';

/** Takes what reaches it, and has the keys of the channel. */
const spy = `<!doctype html><title>Spy</title><h1>Visits rose by 42 percent in May</h1>
<script>
const seen = [];
let channel = null;
const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
Object.defineProperty(MessageEvent.prototype, 'data', {
  get() {
    const data = get.call(this);
    if (this.target instanceof MessagePort) channel = this.target;
    seen.push(JSON.stringify(data));
    return data;
  },
});
addEventListener('message', ({ data }) => seen.push(JSON.stringify(data)));
</script>`;

const secretText = 'The secret text of a comment';
const paintedFields = ['id', 'position', 'prefix', 'quote', 'standing', 'suffix'];

describeInBrowsers('A hostile page with comments', (browser) => {
  const service = useService();

  /** The owner in front of the page, with the panel open beside it and one comment in it. */
  async function open(
    html = spy,
  ): Promise<{ page: Page; frame: Frame; slug: string; count: () => Promise<number> }> {
    const dashboard = await openDashboard(service);
    const { owner } = dashboard;
    const { slug } = await owner.create({ html });
    const anchor = { quote: '42 percent' };
    await owner.request('POST', `/api/drops/${slug}/comments`, { body: { text: secretText, anchor } });
    const context = await browser.newContext();
    await signIn(context, dashboard, service.url);
    const page = await context.newPage();
    await page.goto(`${service.url}/p/${slug}`);
    await page.getByRole('button', { name: 'Comments' }).click();
    await page.frameLocator('iframe.comments-panel').locator('.thread[data-found=here]').waitFor();
    const frame = await (await page.waitForSelector('main iframe')).contentFrame();
    if (frame === null) throw new Error('the frame holds no page');
    const count = async () =>
      (await owner.request('GET', `/api/comments?drop=${slug}`)).body.data?.length ?? 0;
    return { page, frame, slug, count };
  }

  const panelOf = (page: Page) => page.frameLocator('iframe.comments-panel');

  /** The reader can still write and send. */
  async function expectUsable(page: Page, text: string): Promise<void> {
    const form = panelOf(page).locator('.new-comment');
    await form.getByLabel('New comment').fill(text);
    await form.getByRole('button', { name: 'Send' }).click();
    await panelOf(page).locator('.thread', { hasText: text }).waitFor();
  }

  it('gets quotes and numbers, and nothing that people wrote, no id, name, token or state', async () => {
    const { page, frame, slug } = await open();
    await panelOf(page).locator('.thread').first().click();
    await until(
      async () => (await frame.evaluate<string[]>('seen')).some((one) => one.includes('show')),
      'all messages',
    );
    const seen = (await frame.evaluate<string[]>('seen')).map((one) => JSON.parse(one));
    for (const message of seen) {
      const { paint = [], ...others } = message;
      expect(Object.keys(others).every((key) => key === 'show')).to.equal(true);
      for (const one of paint) {
        expect(Object.keys(one).toSorted()).to.deep.equal(paintedFields);
        expect(
          Object.values(one.standing)
            .flat()
            .map((value) => typeof value),
        ).to.not.include.oneOf(['string', 'object']);
      }
    }
    expect(JSON.stringify(seen)).to.not.include('secret').and.not.include(slug).and.not.include('open');
    const html = await frame.evaluate<string>('document.documentElement.outerHTML');
    expect(html).to.not.include(secretText);
    for (const what of [
      'parent.document',
      'parent.frames[1].document',
      'parent.frames[1].location.href',
      'parent.frames[1].document.forms[0].submit()',
    ])
      expect(
        await frame.evaluate(
          `(() => { try { return String(${what}) } catch (error) { return error.name } })()`,
        ),
        what,
      ).to.match(/Error$/);
  });

  it('cannot navigate the panel, type into it, or send a form; what it forges writes nothing', async () => {
    const { page, frame, slug, count } = await open();
    await frame.evaluate(`(async () => {
      const attempt = async (run) => { try { await run() } catch {} };
      await attempt(() => { parent.frames[1].location = 'data:text/html,taken' });
      await attempt(() => { parent.frames[1].location.replace('/p/${slug}/raw') });
      await attempt(() => open('/p/${slug}/raw', 'Comments'));
      await attempt(() => parent.frames[1].postMessage({ act: 'add', text: 'forged' }, '*'));
      await attempt(() => fetch('${service.url}/p/${slug}/comments', { method: 'POST', credentials: 'include', mode: 'no-cors', body: new URLSearchParams({ act: 'add', text: 'forged' }) }));
      for (const message of [{ selection: { quote: 'forged', prefix: '', suffix: '', position: 0 } }, { write: true }, { pressed: 0 }, { found: [] },
        { selection: { quote: 'x'.repeat(2000), prefix: '', suffix: '', position: 0 } }, { selection: 'garbage' }, { pressed: 'x' }, null, 7, [], { found: [{}] }])
        channel.postMessage(message);
    })()`);
    await frame.waitForTimeout(500);
    expect(await panelOf(page).locator('h1').innerText()).to.equal('Comments');
    expect(await count()).to.equal(1);
    // The panel has the focus: the page cannot change what the comment is about.
    expect(await panelOf(page).locator('.new-comment .quote').isVisible()).to.equal(false);
    await expectUsable(page, 'Written by the reader');
    expect(await count()).to.equal(2);
  });

  for (const [what, attack] of [
    [
      'on the channel',
      'channel.postMessage({ selection: { quote: "x", prefix: "", suffix: "", position: 1 } })',
    ],
    ['to the viewer', 'parent.postMessage({ dropleaf: "ready", key: location.hash }, "*")'],
    ['of another kind', 'parent.postMessage("x", "*")'],
  ] as const)
    it(`100,000 messages a second ${what}: the viewer stays usable`, async () => {
      const { page, frame } = await open();
      await frame.evaluate(`void setInterval(() => { for (let n = 0; n < 1000; n++) ${attack} }, 10)`);
      await page.waitForTimeout(1000);
      await expectUsable(page, 'Still here');
      await page.keyboard.press('Escape');
      await page.locator('iframe.comments-panel').waitFor({ state: 'detached' });
    });
});
