import { expect } from 'chai';
import { createCommentScene } from '../support/comments-page.ts';
import { useService } from '../support/service.ts';
import { openSignedIn, useBrowser } from './browser.ts';
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
    const { slug, dashboard, owner } = await withThreads();
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
    expect(owner).to.not.equal(undefined);
  });
});
