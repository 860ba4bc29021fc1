import { expect } from 'chai';
import { dashboardPathsOf, openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { openSignedIn, overflowOf, useBrowser } from './browser.ts';
import { createInspector } from './inspect.ts';

const long = 'A title that is long, '.repeat(9);

describe('The dashboard, in Chromium', function () {
  this.timeout(400_000);
  const browser = useBrowser();
  const service = useService();

  it('every page is accessible, has valid markup and fits its window, however long the texts are', async () => {
    const dashboard = await openDashboard(service);
    const { owner } = dashboard;
    await owner.create({ title: `\u202e<b>${'W'.repeat(150)}`, passcode: 'open-sesame' });
    const metadata = { project: 'demo', 'a.long.key': 'and a long value '.repeat(10) };
    const html = `<p>${'y'.repeat(2_000)}`;
    const fields = { title: long, description: 'Why', metadata, context: '# Why' };
    const { slug } = await owner.create({ html, ...fields });
    await owner.put(slug, { html: `<h1>Two</h1><p>${'x'.repeat(2_000)}` });
    const { id } = (await owner.get('/api/me')).body.token ?? {};
    const { page } = await openSignedIn(browser, dashboard, service.url, '/drops');
    const { inspect } = createInspector(page, service.url);
    const routes = dashboardPathsOf(service, 'GET', slug, id);
    const variants = [
      '?view=list',
      '?q=nothing-has-this',
      `/delete?drop=${slug}`,
      `/${slug}/compare?format=side`,
    ];
    const faults: string[] = [];
    const others: string[] = [];
    for (const path of [...routes, ...variants.map((rest) => `/drops${rest}`)]) {
      const { status, headers } = await dashboard.get(path);
      if (status !== 200 || headers['content-disposition']) {
        if (!path.startsWith('/operators')) others.push(`${status} ${path.replace(slug, ':slug')}`);
        continue;
      }
      await page.goto(service.url + path);
      // A difference may have thousands of rows.
      const options = { omitsEndTags: /\/compare$/.test(path) };
      const inspected = inspect(`dashboard${path.replaceAll(/\W+/g, '-')}`, options);
      await inspected.catch((error: unknown) => faults.push(String(error)));
      await page.setViewportSize({ width: 1440, height: 800 });
      if ((await overflowOf(page)) > 0) faults.push(`${path}: wider than 1440 px`);
    }
    await page.goto(`${service.url}/account`);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.waitForURL('**/account/tokens/*/new');
    await inspect('dashboard-new-token').catch((error: unknown) => faults.push(String(error)));
    expect(faults).to.deep.equal([]);
    const downloads = ['download', 'compare/diff', 'v/1/html'].map((rest) => `200 /drops/:slug/${rest}`);
    expect(others, 'no pages').to.deep.equal([
      '303 /drops/delete',
      ...downloads,
      `303 /account/tokens/${id}/new`,
      `404 /account/ways/${id}/remove`, // test/browser/linking.test.ts looks at it
    ]);
  });
});
