import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { signIn, useBrowser } from './browser.ts';
import { createInspector, type Inspector } from './inspect.ts';

const long = 'A title that is long, '.repeat(9);

describe('The pages of the dashboard are accessible and have valid markup', function () {
  this.timeout(120_000);
  const browser = useBrowser();
  const service = useService();
  let open: (path: string) => Promise<void>;
  let inspect: Inspector['inspect'];
  let slug: string;

  before(async () => {
    const dashboard = await openDashboard(service);
    const { owner } = dashboard;
    await owner.create({ title: `\u202e<b>${'W'.repeat(150)}`, passcode: 'open-sesame' });
    const metadata = { project: 'demo', 'a.long.key': 'and a long value '.repeat(10) };
    const drop = await owner.create({ title: long, description: 'Why', metadata, context: '# Why' });
    slug = drop.slug;
    await owner.put(slug, { html: '<h1>Two</h1><p>New text' });
    const context = await browser.newContext();
    await signIn(context, dashboard, service.url);
    const page = await context.newPage();
    ({ inspect } = createInspector(page, service.url));
    open = async (path) => {
      await page.goto(service.url + path);
    };
  });

  const pages: Readonly<Record<string, () => string>> = {
    drops: () => '/drops',
    'drops-list': () => '/drops?view=list',
    'drops-none': () => '/drops?q=nothing-has-this',
    'drops-delete': () => `/drops/delete?drop=${slug}`,
    new: () => '/drops/new',
    drop: () => `/drops/${slug}`,
    edit: () => `/drops/${slug}/edit`,
    passcode: () => `/drops/${slug}/passcode`,
    'new-version': () => `/drops/${slug}/new-version`,
    compare: () => `/drops/${slug}/compare`,
    version: () => `/drops/${slug}/v/1`,
    restore: () => `/drops/${slug}/v/1/restore`,
    account: () => '/account',
    'account-delete': () => '/account/delete',
    delete: () => `/drops/${slug}/delete`,
  };
  for (const [name, path] of Object.entries(pages)) {
    it(name, async () => {
      await open(path());
      // A difference may have thousands of rows.
      await inspect(`dashboard-${name}`, { omitsEndTags: name === 'compare' });
    });
  }
});
