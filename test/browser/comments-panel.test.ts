import { expect } from 'chai';
import type { Frame, Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, overflowOf, schemes, signIn, takePicture, watchPage } from './browser.ts';

const report = `<!doctype html><title>Report</title><h1>Visits</h1>
<p>Visits rose by 42 percent in May, which is more than anybody had planned.</p>
<div style="height:2000px"></div>
<p id="late">Costs fell by 7 percent in June, which nobody had planned at all.</p>`;

/** The page asks each second for what others have written, and not each 20 s. */
const askOften = `{
  const { setInterval } = window;
  window.setInterval = (run, ms, ...more) => setInterval(run, ms === 20_000 ? 1_000 : ms, ...more);
}`;

describeInBrowsers('Comments in the viewer', (browser) => {
  const service = useService();

  async function publish(html = report, fields: object = {}) {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create({ html, ...fields });
    return { dashboard, slug };
  }

  async function open(path: string, reader?: Dashboard, size = { width: 1280, height: 800 }) {
    const context = await browser.newContext({ viewport: size });
    await context.addInitScript(askOften);
    if (reader !== undefined) await signIn(context, reader, service.url);
    const page = await context.newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(service.url + path);
    return { page, faults };
  }

  /** The document of the drop. */
  async function pageIn(page: Page): Promise<Frame> {
    const element = await page.waitForSelector('main iframe');
    const frame = await element.contentFrame();
    if (frame === null) throw new Error('the frame holds no page');
    await frame.waitForSelector('h1');
    return frame;
  }

  const panelOf = (page: Page) => page.frameLocator('iframe.comments-panel');
  /** @param isThere of the element in the panel that has the focus; a document that is being loaded has none */
  const focusInPanel = (page: Page, isThere: string) =>
    until(
      () =>
        page.evaluate(
          `(({ id, name, className }) => ${isThere})(document.querySelector('.comments-panel')?.contentDocument?.activeElement ?? {})`,
        ),
      'the focus is there',
    );
  const focusOnPage = (page: Page) =>
    until(
      () => page.evaluate(`document.activeElement === document.querySelector('main iframe')`),
      'the focus is there',
    );
  const button = (page: Page) => page.getByRole('button', { name: 'Comments' });

  /** Selects that text of the paragraph. */
  async function select(page: Page, text: string, selector = 'p'): Promise<void> {
    const frame = await pageIn(page);
    await frame.locator('h1').click();
    await frame.evaluate(`(() => {
      const node = document.querySelector(${JSON.stringify(selector)}).firstChild;
      const from = node.data.indexOf(${JSON.stringify(text)});
      getSelection().setBaseAndExtent(node, from, node, from + ${text.length});
    })()`);
  }

  const painted = (frame: Frame) =>
    frame.evaluate<string[]>(`[...(CSS.highlights?.get('dropleaf-comments') ?? [])].map(String)`);

  /** Opens the panel and writes a comment on that text. */
  async function comment(page: Page, quote: string | null, text: string): Promise<void> {
    await pageIn(page);
    if ((await page.locator('iframe.comments-panel').count()) === 0) await button(page).click();
    const form = panelOf(page).locator('.new-comment');
    await form.waitFor();
    if (quote !== null) {
      await select(page, quote);
      await form.locator('.quote', { hasText: quote }).waitFor();
    }
    await form.getByLabel('New comment').fill(text);
    await form.getByRole('button', { name: 'Send' }).click();
    await panelOf(page).locator('.thread', { hasText: text }).waitFor();
  }

  it('the owner selects text, presses the button, writes and sends: the quote is painted, and each shows the other', async () => {
    const { slug, dashboard } = await publish();
    const { page, faults } = await open(`/p/${slug}`, dashboard);
    const frame = await pageIn(page);
    await select(page, '42 percent');
    await frame.waitForTimeout(400);
    await button(page).click();
    const panel = panelOf(page);
    await panel.locator('.new-comment .quote', { hasText: '42 percent' }).waitFor();
    await focusInPanel(page, "name === 'text'");
    await page.keyboard.type('This number is wrong');
    await panel.getByRole('button', { name: 'Send' }).click();
    const thread = panel.locator('.thread[data-found=here]');
    await thread.waitFor();
    expect(await thread.innerText()).to.include('This number is wrong');
    await page.getByText('Comment sent').waitFor({ state: 'attached' });
    expect(await button(page).innerText()).to.match(/Comments\s*1/);
    if (browser.engine === 'Chromium') expect(await painted(frame)).to.deep.equal(['42 percent']);

    await frame.evaluate('scrollTo(0, 1500)');
    await thread.click();
    await until(() => frame.evaluate('scrollY < 500'), 'the page has scrolled');
    await frame.evaluate('getSelection().removeAllRanges()');
    await panel.locator('h1').click();
    const box = await frame.locator('p').first().boundingBox();
    if (box === null) throw new Error('the paragraph is not shown');
    await page.mouse.click(box.x + 160, box.y + box.height / 2);
    await focusInPanel(page, "className === 'thread'");
    await page.keyboard.press('Escape');
    await page.locator('iframe.comments-panel').waitFor({ state: 'detached' });
    expect(faults).to.deep.equal([]);
  });

  it('an address that names a thread opens it, also in a version without its text, and the history has no more entries', async () => {
    const { slug, dashboard } = await publish();
    const { page } = await open(`/p/${slug}`, dashboard);
    await comment(page, '42 percent', 'Wrong');
    const id = await panelOf(page).locator('.thread').getAttribute('id');
    await dashboard.owner.put(slug, { html: report.replace('42', '43') });
    const other = await open(`/p/${slug}#${id}`, dashboard);
    await panelOf(other.page).locator(`#${id}[data-found=here]`).waitFor();
    await focusInPanel(other.page, `id === '${id}'`);
    expect(await panelOf(other.page).locator(`#${id}`).innerText()).to.include('On version 1');
    await dashboard.owner.put(slug, { html: '<h1>Something else</h1>' });
    await other.page.goto(`${service.url}/p/${slug}?#${id}`);
    await panelOf(other.page).locator(`#${id}[data-found=missing]`).waitFor();
    await panelOf(other.page).getByText('Not in this version').waitFor();
    const length = await other.page.evaluate('history.length');
    expect(length).to.be.at.most(3); // about:blank, and the two addresses
  });

  it('the keyboard alone: c in the page, the form, and Escape, which gives the focus back', async () => {
    const { slug, dashboard } = await publish();
    const { page } = await open(`/p/${slug}`, dashboard);
    const frame = await pageIn(page);
    await frame.locator('p').first().click();
    await select(page, 'anybody');
    await page.keyboard.press('c');
    await panelOf(page).locator('.new-comment .quote', { hasText: 'anybody' }).waitFor();
    await focusInPanel(page, "name === 'text'");
    await page.keyboard.type('Who is');
    await page.keyboard.press('Escape');
    await page.locator('iframe.comments-panel').waitFor({ state: 'hidden' });
    await focusOnPage(page);
    await page.keyboard.press('c');
    await page.locator('iframe.comments-panel').waitFor();
    await focusInPanel(page, "name === 'text'");
    await page.keyboard.type(' that?');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await panelOf(page).locator('.thread', { hasText: 'Who is that?' }).waitFor();
    await focusInPanel(page, "className === 'thread'");
    await page.keyboard.press('Escape');
    await focusOnPage(page);
  });

  it('a guest on a phone sees the page and the panel below it; strangers to a page for its owner get no button and no script', async () => {
    const { slug } = await publish(report, { comments: 'anyone' });
    const phone = { width: 360, height: 740 };
    const { page } = await open(`/p/${slug}`, undefined, phone);
    await button(page).click();
    await select(page, '42 percent');
    const form = panelOf(page).locator('.new-comment');
    await form.locator('.quote', { hasText: '42 percent' }).waitFor();
    await form.getByLabel('Your name').fill('Ada');
    await form.getByLabel('New comment').fill('Really?');
    await form.getByRole('button', { name: 'Send' }).click();
    await panelOf(page).getByText('Only you see this').waitFor();
    expect(await overflowOf(page)).to.equal(0);

    const own = await publish();
    const stranger = await open(`/p/${own.slug}`);
    await stranger.page.waitForLoadState('networkidle');
    expect(await button(stranger.page).count()).to.equal(0);
    const scripts = await stranger.page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
    );
    expect(scripts.map((name) => /assets\/([a-z-]+)-/.exec(name)?.[1]).toSorted()).to.deep.equal([
      'shared',
      'viewer',
    ]);
  });

  it('what others write meanwhile comes into the panel, and nothing that is typed is lost', async function () {
    this.timeout(60_000);
    const { slug, dashboard } = await publish();
    const { page } = await open(`/p/${slug}`, dashboard);
    await comment(page, '42 percent', 'First');
    await panelOf(page).getByLabel('New comment').fill('Half a sentence');
    const thread = await panelOf(page).locator('.thread').getAttribute('id');
    const id = thread?.slice(2);
    await dashboard.owner.request('POST', `/api/comments/${id}/replies`, {
      body: { text: 'An agent answers' },
    });
    await panelOf(page).locator('.replies', { hasText: 'An agent answers' }).waitFor({ timeout: 30_000 });
    await panelOf(page).locator('.thread[data-found=here]').waitFor();
    expect(await panelOf(page).getByLabel('New comment').inputValue()).to.equal('Half a sentence');
  });

  it('text that a script writes late is found', async () => {
    const late = `<!doctype html><h1>Chart</h1><script>setTimeout(() => {
      document.body.append(Object.assign(document.createElement('p'), { textContent: 'Bar of 42 units, drawn late by a script' }));
    }, 700)</script>`;
    const { slug, dashboard } = await publish(late);
    const { page } = await open(`/p/${slug}`, dashboard);
    await (await pageIn(page)).waitForSelector('p');
    await comment(page, '42 units', 'Late');
    await page.reload();
    await button(page).click();
    await panelOf(page).locator('.thread[data-found=here]').waitFor();
  });

  it('looks right at each width', async () => {
    const { slug, dashboard } = await publish();
    for (const width of [360, 768, 1440]) {
      const { page } = await open(`/p/${slug}`, dashboard, { width, height: 900 });
      await button(page).waitFor();
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await comment(page, width === 360 ? '42 percent' : null, `From ${width} in ${colorScheme}`);
        if (browser.engine === 'Chromium') await takePicture(page, `comments-panel-${width}-${colorScheme}`);
        expect(await overflowOf(page)).to.equal(0);
      }
    }
  });
});
