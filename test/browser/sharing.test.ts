import { expect } from 'chai';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { openKnown, withNames } from '../support/known-people.ts';
import { useService } from '../support/service.ts';
import {
  describeInBrowsers,
  follow,
  openSignedIn,
  overflowOf,
  tabTo,
  takePicture,
  useBrowser,
} from './browser.ts';
import { createInspector } from './inspect.ts';

const settings = { ...withNames, CHANGES_PER_MINUTE: '1000' };

describeInBrowsers('Sharing in the dashboard', (browser) => {
  const service = useService(settings);

  async function openShare(options = {}) {
    const owner = await openDashboard(service);
    const { slug } = await owner.owner.create({ title: 'The plan' });
    const { page, faults } = await openSignedIn(browser, owner, service.url, `/drops/${slug}`, options);
    return { owner, slug, page, faults };
  }

  it(`by keyboard alone, ${browser.withLeastScripts}: people are named, refused and removed`, async () => {
    const { slug, page, faults } = await openShare(browser.leastScripts);
    const { keyboard } = page;
    await page.getByRole('link', { name: 'Share', exact: true }).first().press('Enter');
    await page.getByRole('heading', { name: 'Who can read the page' }).waitFor();
    await tabTo(page, 'Anyone with the link');
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    await tabTo(page, 'Add people');
    await keyboard.type('ada@example.org, nobody');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    const fault = page.getByRole('alert');
    await fault.getByText('“nobody” is none of these').waitFor();
    const field = page.getByLabel('Add people');
    expect(await field.inputValue()).to.equal('ada@example.org, nobody');
    expect(await page.evaluate('document.activeElement.id')).to.equal('people');
    await keyboard.press('Control+A');
    await keyboard.type('ada@example.org, @example.org');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('It is saved').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Everybody at example.org' }).waitFor();
    await page.getByRole('button', { name: 'Remove @example.org' }).press('Enter');
    await page.getByText('The entry is removed').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: '@' }).allInnerTexts()).to.have.length(1);
    await follow(page, 'Back to the drop');
    await page.locator('.drop-title').getByText('1 person').waitFor();
    expect(page.url()).to.equal(`${service.url}/drops/${slug}`);
    expect(faults.filter((fault) => !/status of 400/.test(fault))).to.deep.equal([]);
  });

  it('the owner allows one who asks and declines another, from the inbox', async () => {
    const { owner, slug, page, faults } = await openShare();
    await owner.submit(await owner.open(`/drops/${slug}/share`), { access: 'named', people: '' });
    for (const name of ['ada', 'bob']) {
      const asking = await openKnown(service, { email: `${name}@example.org` });
      const refused = await openSignedIn(browser, asking, service.url, `/p/${slug}`);
      await refused.page.getByText(`your address ${name}@example.org`).waitFor();
      await refused.page.getByRole('button', { name: 'Ask the owner' }).press('Enter');
      await refused.page.getByText('You have asked the owner.').waitFor();
    }
    await page.goto(`${service.url}/comments`);
    await page.getByRole('button', { name: /^Allow .*ada@example\.org/ }).click();
    await page.getByText('Their address is on the list of the page now.').waitFor();
    await page.getByRole('button', { name: /^Decline .*bob@example\.org/ }).click();
    await page.getByText('cannot ask for that page again').waitFor();
    expect(await page.getByRole('button', { name: /^Allow/ }).count()).to.equal(0);
    await page.goto(`${service.url}/drops/${slug}/share`);
    await page.getByRole('button', { name: 'Remove ada@example.org' }).waitFor();
    expect(await page.getByText('bob@example.org').count()).to.equal(0);
    expect(faults).to.deep.equal([]);
  });
});

describe('The pages of sharing, in Chromium', function () {
  this.timeout(240_000);
  const browser = useBrowser();
  const service = useService(settings);

  const longName = `${'very.long.name.'.repeat(8)}@${'sub.'.repeat(20)}example.org`;
  const group = `group:${'Research, '.repeat(20)}`.trim().slice(0, 200);

  /** Ada's drop for many, one that is shared with her, and somebody who asks. */
  async function fill(ada: Dashboard): Promise<string> {
    const { slug } = await ada.owner.create({ title: `The plan ${'W'.repeat(150)}` });
    const path = `/drops/${slug}/share`;
    const people = `ada@example.org, ${longName}, @example.org\n${group}`;
    await ada.submit(await ada.open(path), { access: 'named', people });
    const other = await openKnown(service, { email: longName });
    const shared = await other.owner.create({
      title: `Shared ${'x'.repeat(150)}`,
      description: 'Why '.repeat(90),
    });
    await other.submit(await other.open(`/drops/${shared.slug}/share`), {
      access: 'named',
      people: 'ada@other.example',
    });
    const asking = await openKnown(service, {
      email: `${'asks.'.repeat(10)}@${'sub.'.repeat(20)}example.com`,
    });
    await asking.post(`/p/${slug}/ask`, {});
    return slug;
  }

  it('are accessible, and fit windows from 360 to 1,440 px, light and dark', async () => {
    const ada = await openKnown(service, { email: 'ada@other.example', groups: ['/staff'] });
    const slug = await fill(ada);
    const nobody = await openDashboard(service);
    const { page } = await openSignedIn(browser, ada, service.url, '/drops');
    const { inspect } = createInspector(page, service.url);
    for (const [name, path] of [
      ['share', `/drops/${slug}/share`],
      ['shared', '/shared'],
      ['asking', '/comments'],
      ['share-drop', `/drops/${slug}`],
      ['share-list', '/drops?view=list'],
      ['share-gallery', '/drops?view=gallery'],
      ['share-new', '/drops/new'],
      ['share-account', '/account'],
    ] as const) {
      await page.goto(service.url + path);
      await inspect(name);
      for (const width of [1440, 768, 360]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await overflowOf(page), `${path} at ${width} px`).to.equal(0);
        await takePicture(page, `${name}-${width}`);
      }
    }
    await page.goto(`${service.url}/drops/${slug}/share`);
    await page.getByLabel('Add people').fill('nobody');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
    await inspect('share-refused', { omitsEndTags: true });
    const refused = await openSignedIn(
      browser,
      await openKnown(service, { email: 'b@b.example' }),
      service.url,
      '/shared',
    );
    const { inspect: inspectRefused } = createInspector(refused.page, service.url);
    for (const name of ['ask', 'asked']) {
      await refused.page.goto(`${service.url}/p/${slug}`);
      await inspectRefused(name);
      const button = refused.page.getByRole('button', { name: 'Ask the owner' });
      if (name === 'asked') continue;
      await button.click();
      await refused.page.getByText('You have asked the owner.').waitFor();
    }
    const alone = await openSignedIn(browser, nobody, service.url, '/shared');
    const { inspect: inspectNothing } = createInspector(alone.page, service.url);
    await alone.page.goto(`${service.url}/shared`);
    await inspectNothing('shared-nothing');
  });
});
