import { expect } from 'chai';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { copyComment } from '../support/comments.ts';
import { createCommentScene } from '../support/comments-page.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, overflowOf, schemes, signIn, takePicture, watchPage } from './browser.ts';

const report = `<!doctype html><title>Report</title><h1>Visits</h1>
<p>Visits rose by 42 percent in May, which is more than anybody had planned.</p>
<div style="height:2000px"></div>`;

/** In the viewer: the test says what the page says, `say(message)`, and `said` has what the viewer says to the page. */
const takeChannel = `if (self === top) {
  const { prototype } = MessagePort;
  window.said = [];
  prototype.postMessage = (data) => said.push(data);
  Object.defineProperty(prototype, 'onmessage', {
    set(hear) { window.say = (data) => hear({ data }); },
  });
}`;

const box = { left: 40, top: 60, right: 140, bottom: 80 };
const quote = { quote: '42 percent', prefix: 'by ', suffix: ' in', position: 20 };

describeInBrowsers('What the page says to the viewer about comments', (browser) => {
  const service = useService();

  async function publish(html = report) {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create({ html });
    return { dashboard, slug };
  }

  /** The owner in front of the page, which has a channel. */
  async function open(slug: string, owner: Dashboard, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    await context.addInitScript(takeChannel);
    await signIn(context, owner, service.url);
    const page = await context.newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(`${service.url}/p/${slug}`);
    await until(() => page.evaluate(`typeof say === 'function'`), 'the page has a channel');
    const frame = await (await page.waitForSelector('main > iframe')).contentFrame();
    await frame?.waitForLoadState('load');
    return { page, faults };
  }

  /** @param message an expression */
  const say = (page: Page, message: string) => page.evaluate(`say(${message})`);
  const select = (page: Page, at: object | string = box, more: object = quote) => {
    const place = typeof at === 'string' ? at : JSON.stringify(at);
    return say(page, `{ selection: { ...${JSON.stringify(more)}, at: ${place} } }`);
  };
  const comment = (page: Page) => page.locator('.comment-here');
  const panelOf = (page: Page) => page.frameLocator('iframe.comments-panel');
  const composer = (page: Page) => panelOf(page).locator('.new-comment');
  const focusInText = (page: Page) =>
    until(
      () =>
        page.evaluate(
          `document.querySelector('.comments-panel')?.contentDocument?.activeElement?.name === 'text'`,
        ),
      'the focus is in the text',
    );

  async function boxOf(page: Page, selector: string) {
    const found = await page.locator(selector).boundingBox();
    if (found === null) throw new Error(`${selector} is not shown`);
    return found;
  }

  async function expectInsideFrame(page: Page, what: string): Promise<void> {
    const inner = await boxOf(page, '.comment-here');
    const outer = await boxOf(page, 'main');
    const isInside =
      inner.x >= outer.x &&
      inner.y >= outer.y &&
      inner.x + inner.width <= outer.x + outer.width &&
      inner.y + inner.height <= outer.y + outer.height;
    expect(isInside, `${what}: ${JSON.stringify(inner)}`).to.equal(true);
  }

  it('a button stands below what is selected; it opens the panel with the quote, which can be taken out again', async () => {
    const { slug, dashboard } = await publish();
    const { page, faults } = await open(slug, dashboard);
    expect(await comment(page).isVisible()).to.equal(false);
    await select(page);
    await comment(page).waitFor();
    const frame = await boxOf(page, 'main > iframe');
    const { x, y, width, height } = await boxOf(page, '.comment-here');
    expect(y).to.be.within(frame.y + box.bottom, frame.y + box.bottom + 12);
    expect(x + width / 2).to.be.closeTo(frame.x + 90, 1);
    expect([width, height].every((size) => size >= 44)).to.equal(true);
    if (browser.engine === 'Chromium') await takePicture(page, 'comment-button');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await composer(page).locator('.quote', { hasText: '42 percent' }).waitFor();
    await focusInText(page);
    expect(await comment(page).isVisible()).to.equal(false);
    const sent = (name: string) => composer(page).locator(`input[name=${name}]`).inputValue();
    expect(await sent('position')).to.equal('20');
    if (browser.engine === 'Chromium') await takePicture(page, 'comment-composer');

    await composer(page).getByRole('button', { name: 'Comment on the whole page' }).click();
    await composer(page).locator('.about').waitFor({ state: 'hidden' });
    await focusInText(page);
    expect([await sent('quote'), await sent('prefix'), await sent('suffix')]).to.deep.equal(['', '', '']);
    await page.keyboard.type('About all of it');
    await composer(page).getByRole('button', { name: 'Send' }).click();
    const thread = panelOf(page).locator('.thread', { hasText: 'About all of it' });
    await thread.waitFor();
    expect(await thread.locator('.quote').count()).to.equal(0);
    expect(faults).to.deep.equal([]);
  });

  it('the quote stays in the form if the selection goes while the panel opens', async () => {
    const { slug, dashboard } = await publish();
    const { page } = await open(slug, dashboard);
    await select(page);
    await comment(page).waitFor();
    await page.evaluate(`document.querySelector('.comment-here').click(); say({ selection: null })`);
    await focusInText(page);
    expect(await composer(page).locator('.quote').innerText()).to.equal('42 percent');
    await page.frameLocator('main > iframe').locator('h1').click();
    await say(page, '{ selection: null }');
    await composer(page).locator('.about').waitFor({ state: 'hidden' });
  });

  it('a selection without a place shows no button, and one that goes hides it, as do another size and another page', async () => {
    const { slug, dashboard } = await publish();
    const { page } = await open(slug, dashboard);
    const hidden = () => comment(page).waitFor({ state: 'hidden' });
    for (const hide of [
      () => say(page, '{ selection: null }'),
      () => say(page, '{ selection: null, isUnquotable: true }'),
      () => select(page, 'undefined'),
      () => select(page, { left: 40, top: -80, right: 90, bottom: -20 }),
      () => page.setViewportSize({ width: 1000, height: 700 }),
      () => page.evaluate(`document.querySelector('main > iframe').src = '/docs'`),
    ]) {
      await select(page);
      await comment(page).waitFor();
      await hide();
      await hidden();
    }
  });

  it('no place that a page says puts the button outside of its frame', async () => {
    const { slug, dashboard } = await publish();
    for (const size of [
      { width: 1280, height: 800 },
      { width: 360, height: 740 },
      { width: 300, height: 120 },
    ]) {
      const { page } = await open(slug, dashboard, { viewport: size });
      for (const at of [
        { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 },
        { left: size.width - 1, top: 0, right: 1e300, bottom: 1 },
        { left: -1e300, top: 0, right: 1, bottom: 1e300 },
        { left: 10, top: size.height - 60, right: 20, bottom: size.height - 50 },
      ]) {
        await select(page, at);
        await comment(page).waitFor();
        await expectInsideFrame(page, JSON.stringify(at));
        await say(page, '{ selection: null }');
        await comment(page).waitFor({ state: 'hidden' });
      }
    }
  });

  it('what is no place, or has no place in the window, shows no button', async () => {
    const { slug, dashboard } = await publish();
    const { page } = await open(slug, dashboard);
    for (const at of [
      '{ left: NaN, top: 0, right: 9, bottom: 9 }',
      '{ left: -Infinity, top: 0, right: Infinity, bottom: 9 }',
      '{ left: "1", top: 0, right: 9, bottom: 9 }',
      '{ left: 0, top: 0, right: 0, bottom: 0 }',
      '{ left: 50, top: 50, right: 10, bottom: 10 }',
      '{ left: 5000, top: 10, right: 6000, bottom: 20 }',
      '[1, 2, 3, 4]',
      '7',
    ]) {
      await select(page);
      await comment(page).waitFor();
      await select(page, at);
      await comment(page).waitFor({ state: 'hidden' });
    }
  });

  it('with the keyboard it is behind the page, and above the selection where there is no room below', async () => {
    const { slug, dashboard } = await publish();
    const { page } = await open(slug, dashboard);
    await page.frameLocator('main > iframe').locator('h1').click();
    await select(page, { left: 40, top: 700, right: 140, bottom: 740 });
    await comment(page).waitFor();
    const frame = await boxOf(page, 'main > iframe');
    const { y, height } = await boxOf(page, '.comment-here');
    expect(y + height).to.be.within(frame.y + 688, frame.y + 700);
    await page.keyboard.press('Tab');
    await until(
      () => page.evaluate(`document.activeElement.className === 'comment-here'`),
      'the button has the focus',
    );
    await page.keyboard.press('Enter');
    await composer(page).locator('.quote', { hasText: '42 percent' }).waitFor();
    await focusInText(page);
  });

  it('on a touch screen it leaves room for the handles of the selection, also in "Desktop width"', async () => {
    browser.needsChromium('touches');
    const { slug, dashboard } = await publish();
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await open(slug, dashboard, phone);
    await select(page);
    await comment(page).waitFor();
    const frame = await boxOf(page, 'main > iframe');
    expect((await boxOf(page, '.comment-here')).y).to.be.within(frame.y + 104, frame.y + 112);
    await takePicture(page, 'comment-button-phone');
    await select(page, { left: 40, top: 700, right: 140, bottom: 1000 });
    await until(async () => (await boxOf(page, '.comment-here')).y > 600, 'it has moved');
    await expectInsideFrame(page, 'at the lower edge');
    await comment(page).tap();
    await composer(page).locator('.quote', { hasText: '42 percent' }).waitFor();
    expect(await overflowOf(page)).to.equal(0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Desktop width' }).click();
    await select(page, { left: 600, top: 400, right: 680, bottom: 440 });
    await comment(page).waitFor();
    const { x, y, width } = await boxOf(page, '.comment-here');
    const scale = 390 / 1280;
    expect(x + width / 2).to.be.closeTo(640 * scale, 1);
    expect(y).to.be.closeTo(frame.y + 440 * scale + 28, 2);
  });

  it('in full screen a press leaves it, because the panel is beside the page', async () => {
    browser.needsChromium('windows that fill the screen');
    const { slug, dashboard } = await publish();
    const { page } = await open(slug, dashboard);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Full screen' }).click();
    await until(() => page.evaluate('document.fullscreenElement !== null'), 'the page fills the screen');
    await until(async () => {
      await select(page);
      return comment(page).isVisible();
    }, 'the button is there after the change of the size');
    await comment(page).click();
    await until(() => page.evaluate('document.fullscreenElement === null'), 'the bar is there again');
    await composer(page).locator('.quote', { hasText: '42 percent' }).waitFor();
  });

  it('the form says that what is selected cannot be quoted, until something else is', async () => {
    const { slug, dashboard } = await publish();
    const { page } = await open(slug, dashboard);
    await say(page, '{ selection: null, isUnquotable: true }');
    await page.getByRole('button', { name: 'Comments' }).click();
    const refusal = composer(page).getByText('What is selected cannot be quoted');
    await refusal.waitFor();
    expect(await composer(page).locator('.about').isVisible()).to.equal(false);
    if (browser.engine === 'Chromium') await takePicture(page, 'comment-unquotable');
    await page.frameLocator('main > iframe').locator('h1').click();
    await select(page);
    await composer(page).locator('.quote', { hasText: '42 percent' }).waitFor();
    expect(await refusal.isVisible()).to.equal(false);
    await say(page, '{ selection: null, isUnquotable: true }');
    await refusal.waitFor();
    expect(await composer(page).locator('.about').isVisible()).to.equal(false);
    await page.getByText('What is selected cannot be quoted').waitFor({ state: 'attached' });
    await say(page, '{ selection: null }');
    await refusal.waitFor({ state: 'hidden' });
  });

  it('a thread whose place stays hidden says so, after the reader has pressed it', async () => {
    const { slug, dashboard } = await publish();
    const path = `/api/drops/${slug}/comments`;
    for (const text of ['One', 'Two'])
      await dashboard.owner.request('POST', path, { body: { text, anchor: { quote: '42 percent' } } });
    const { page } = await open(slug, dashboard);
    await page.getByRole('button', { name: 'Comments' }).click();
    const threads = panelOf(page).locator('.thread');
    const sentenceOf = (n: number) => threads.nth(n).getByText('The page hides this place');
    await until(() => page.evaluate('said.some(({ paint }) => paint?.length === 2)'), 'quotes are asked for');
    await say(page, '{ found: [0, 1] }');
    await panelOf(page).locator('.thread[data-found=here]').first().waitFor();
    await threads.nth(0).click();
    await until(() => page.evaluate('said.some(({ show }) => show === 0)'), 'the place is asked for');
    await say(page, '{ shown: 1, isHidden: true }');
    await say(page, '{ shown: 0, isHidden: true }');
    await sentenceOf(0).waitFor();
    expect(await sentenceOf(1).isVisible()).to.equal(false);
    await page.getByText('The page hides this place').waitFor({ state: 'attached' });
    await say(page, '{ shown: 0, isHidden: false }');
    await sentenceOf(0).waitFor({ state: 'hidden' });
  });

  it('after Resolve the focus is on the next thread, and the list keeps its filter', async () => {
    const { slug, dashboard } = await publish();
    const path = `/api/drops/${slug}/comments`;
    for (const text of ['One', 'Two', 'Three'])
      await dashboard.owner.request('POST', path, { body: { text } });
    const { page } = await open(slug, dashboard);
    await page.getByRole('button', { name: 'Comments' }).click();
    const second = panelOf(page).locator('.thread', { hasText: 'Two' });
    await second.getByRole('button', { name: 'Resolve' }).click();
    await second.waitFor({ state: 'detached' });
    const text = `document.querySelector('.comments-panel').contentDocument?.activeElement?.textContent ?? ''`;
    await until(async () => (await page.evaluate<string>(text)).includes('One'), 'the next thread is there');
    await panelOf(page).getByRole('link', { name: 'Resolved 1' }).click();
    await second.waitFor();
  });
});

describeInBrowsers('A long list of comments in the panel', (browser) => {
  const service = useService({ TRUST_PROXY: '1', CHANGES_PER_MINUTE: '1000' });
  const { guest, publish } = createCommentScene(service);

  it('420 threads: 50 at once, no target below 44 px, and a row of acts keeps its height when one is opened', async function () {
    this.timeout(120_000);
    const { slug, owner, dashboard } = await publish({ comments: 'anyone', html: report });
    const id = await owner.write(slug, 'Is that right? I had expected less.', { quote: '42 percent' });
    for (let n = 0; n < 5; n++) await owner.act(slug, 'reply', id, { text: `Reply ${n}` });
    await copyComment(service, id, Array<object>(419).fill({}));
    await guest().write(slug, 'It waits');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await signIn(context, dashboard, service.url);
    const page = await context.newPage();
    await page.goto(`${service.url}/p/${slug}`);
    await page.getByRole('button', { name: 'Comments' }).click();
    const panel = page.frameLocator('iframe.comments-panel');
    await panel.locator('.thread').first().waitFor();
    expect(await panel.locator('.thread').count()).to.equal(50);
    const inPanel = (expression: string) =>
      page.evaluate<number>(
        `(({ contentDocument }) => ${expression})(document.querySelector('.comments-panel'))`,
      );
    const smallest = () =>
      inPanel(`Math.min(...[...contentDocument.querySelectorAll('a, button, summary, textarea')]
        .filter((target) => target.closest('.hint') === null && target.checkVisibility())
        .flatMap((target) => [target.getBoundingClientRect().height, target.getBoundingClientRect().width]))`);
    expect(await smallest()).to.be.at.least(44);
    expect(await inPanel('contentDocument.documentElement.scrollHeight')).to.be.below(25_000);
    const thread = panel.locator('.thread').nth(1);
    const acts = thread.locator(':scope > .acts');
    const reply = acts.locator('summary', { hasText: 'Reply' });
    const more = acts.locator(':scope > .rest > summary');
    const before = [await reply.boundingBox(), await more.boundingBox()].map((found) => found?.x);
    await more.click();
    await acts.getByText('Delete', { exact: false }).first().waitFor();
    expect([await reply.boundingBox(), await more.boundingBox()].map((found) => found?.x)).to.deep.equal(
      before,
    );
    await acts.locator('summary', { hasText: 'Edit' }).click();
    expect(await smallest()).to.be.at.least(44);
    await thread.getByRole('link', { name: '2 earlier replies' }).click();
    await panel.locator('.words', { hasText: 'Reply 0' }).waitFor();
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      if (browser.engine === 'Chromium') await takePicture(page, `comments-thread-${colorScheme}`);
    }
  });
});
