import { expect } from 'chai';
import { createCommentScene } from '../support/comments-page.ts';
import { openOperator } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { follow, openSignedIn, overflowOf, schemes, tabTo, takePicture, useBrowser } from './browser.ts';
import { createInspector } from './inspect.ts';

const long = `${'A comment that is long, with a word that is longer: '.repeat(6)}${'x'.repeat(300)}`;

describe('The page of comments, in Chromium', function () {
  this.timeout(200_000);
  const browser = useBrowser();
  const service = useService({ TRUST_PROXY: '1', CHANGES_PER_MINUTE: '1000' });
  const { guest, member, publish } = createCommentScene(service);

  /** A drop with threads of every kind. */
  async function withThreads() {
    const scene = await publish({ comments: 'anyone', title: 'Orders of week 46' });
    const { slug, owner, dashboard } = scene;
    const anchor = { quote: `the orders ${'rose '.repeat(60)}`, prefix: 'a', suffix: 'b', position: '9' };
    const ada = await member();
    const first = await ada.write(slug, `Is that right?\n\nהאם זה נכון?\n${long}`, anchor);
    await owner.act(slug, 'reply', first, { text: 'Yes.\nSee the second table.' });
    await ada.act(slug, 'reply', first, { text: long });
    await guest().write(slug, 'I wait. \u202e', { name: 'Eve \u202e, owner' });
    const done = await owner.write(slug, 'Please use euros.');
    await dashboard.owner.put(slug, { resolves: [done] });
    await owner.act(slug, 'resolve', done);
    await owner.write(slug, 'About the new one.', { quote: 'Another' });
    return { ...scene, ada };
  }

  it('is accessible, has valid markup and fits its window, for each reader and for errors', async () => {
    const { slug, dashboard } = await withThreads();
    const { page } = await openSignedIn(browser, dashboard, service.url, '/');
    const { inspect } = createInspector(page, service.url);
    const show = async (name: string, path = `/p/${slug}/comments`) => {
      await page.goto(service.url + path);
      for (const summary of await page.locator('summary').all()) await summary.click();
      await page.evaluate('scrollTo(0, 0)');
      await inspect(name);
    };
    await show('comments-owner');
    await page.goto(`${service.url}/p/${slug}/comments`);
    await inspect('comments-owner-closed');
    await show('comments-all', '/comments?state=all');
    await show('comments-none', '/comments?state=resolved&after=999999999999999');
    await page.goto(`${service.url}/drops/${slug}`);
    await inspect('comments-drop', { colorsOnly: true });
    await page.goto(`${service.url}/drops?view=list`);
    await inspect('comments-list', { colorsOnly: true });
    await page.goto(`${service.url}/drops?view=gallery`);
    await inspect('comments-gallery', { colorsOnly: true });
    await page.goto(`${service.url}/drops/${slug}/edit`);
    await inspect('comments-edit', { colorsOnly: true });
    await page.goto(`${service.url}/p/${slug}/comments`);
    await page.locator('#text').fill(' ');
    await page.getByRole('button', { name: 'Send', exact: true }).first().click();
    await page.getByRole('alert').waitFor();
    await inspect('comments-error');
    await page.context().clearCookies();
    await show('comments-guest');
    await show('comments-refused', `/p/${(await publish({})).slug}/comments`);
  });

  it('fits a window of 320 px, and the panel beside a page', async () => {
    const { slug, dashboard } = await withThreads();
    const operator = await openOperator(service);
    for (const [person, path] of [
      [dashboard, `/p/${slug}/comments`],
      [dashboard, '/comments?state=all'],
      [dashboard, `/drops/${slug}/edit`],
      [operator, '/comments'],
    ] as const) {
      const { page } = await openSignedIn(browser, person, service.url, path);
      for (const summary of await page.locator('summary').all()) await summary.click();
      for (const width of [320, 360, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          expect(await overflowOf(page), `${path} ${width}`).to.equal(0);
          await takePicture(
            page,
            `comments${path.replace(slug, '').replaceAll(/\W+/g, '-')}-${width}-${colorScheme}`,
          );
        }
      }
    }
  });

  it('the header of the dashboard has one row at 768 px, also with the longest name', async () => {
    const { dashboard } = await publish();
    const { page } = await openSignedIn(browser, dashboard, service.url, '/comments');
    await page.setViewportSize({ width: 768, height: 800 });
    await page.locator('.who').evaluate('(name) => name.append("x".repeat(60))');
    const box = await page.locator('.topbar').boundingBox();
    expect(box?.height).to.be.below(60);
    expect(await overflowOf(page)).to.equal(0);
  });

  it('without scripts a guest comments, the owner approves, replies, resolves and deletes, all with a keyboard', async () => {
    const { slug, dashboard } = await publish();
    const path = `/p/${slug}/comments`;
    const options = { javaScriptEnabled: false };
    const eve = await (await browser.newContext(options)).newPage();
    await eve.goto(service.url + path);
    await tabTo(eve, 'Your name');
    await eve.keyboard.type('Eve');
    await tabTo(eve, 'New comment');
    await eve.keyboard.type('It is\nwrong');
    await follow(eve, 'Send');
    expect(new URL(eve.url()).hash).to.match(/^#t-[0-9a-f]{32}$/);
    await eve.setViewportSize({ width: 320, height: 740 });
    const held = eve.getByText('Only you see this until the owner approves it');
    expect((await held.boundingBox())?.height, 'the text is in two lines').to.be.above(30);
    expect(await eve.getByLabel('Your name').inputValue()).to.equal('Eve');
    const { page } = await openSignedIn(browser, dashboard, service.url, path, options);
    await follow(page, 'Approve');
    await tabTo(page, 'Reply');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Your reply');
    await page.keyboard.type('You are right');
    await follow(page, 'Send');
    await follow(page, 'Resolve');
    await eve.reload();
    await follow(eve, 'Resolved 1');
    await eve.getByText('You are right').waitFor();
    await follow(eve, 'Open again');
    await follow(eve, 'Open 1');
    await eve.getByText('You are right').waitFor();
    await page.goto(service.url + path);
    const remove = async (what: string) => {
      await tabTo(page, 'More');
      await page.keyboard.press('Enter');
      await tabTo(page, 'Delete');
      await page.keyboard.press('Enter');
      await follow(page, `Delete this ${what}`);
    };
    await remove('reply');
    expect(await page.locator(':focus').getAttribute('data-state')).to.equal('open');
    await remove('comment');
    expect(await page.locator(':focus').textContent()).to.equal('Open comments');
  });
});
