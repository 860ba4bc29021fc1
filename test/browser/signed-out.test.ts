import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';
import { openSignedIn, overflowOf, schemes, takePicture, useBrowser } from './browser.ts';
import { createInspector } from './inspect.ts';

describe('A session that ends while a person types, in Chromium', () => {
  const browser = useBrowser();
  const service = useService(noLimits);

  async function open(path: string, javaScriptEnabled = true) {
    const person = await openDashboard(service);
    const { slug } = await person.owner.create({ title: 'Before' });
    const at = path.replace(':slug', slug);
    const opened = await openSignedIn(browser, person, service.url, at, { javaScriptEnabled });
    return { ...opened, person, slug };
  }

  async function endSessions({ owner }: Dashboard): Promise<void> {
    const operator = { by: 'root', reason: null };
    await service.services.moderation.revokeTokens(await service.accountOf(owner), operator);
  }

  async function signIn(page: Page, { owner }: Dashboard): Promise<void> {
    await page.getByLabel('Name').fill(owner.name);
    await page.getByLabel('Sign-in key').fill(String(service.services.signInKey));
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  it('details come back after the sign-in without scripts, and one press saves them', async () => {
    const { page, person, slug } = await open('/drops/:slug/edit', false);
    await page.getByLabel('Title').fill('Typed \u{1f331}');
    await page.getByLabel('Name of tag 1').fill('color');
    await page.getByLabel('Value of tag 1').fill('green');
    await endSessions(person);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'What you typed comes back' }).waitFor();
    await page.locator('#name:focus').waitFor();
    await signIn(page, person);
    await page.getByRole('alert').filter({ hasText: 'Nothing was saved yet' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/drops/${slug}/edit`);
    await page.reload(); // sends the sealed text again, which only fills in the form
    expect(await page.getByLabel('Title').inputValue()).to.equal('Typed \u{1f331}');
    expect(await page.getByLabel('Value of tag 1').inputValue()).to.equal('green');
    expect((await service.services.pages.find(slug, null)).title).to.equal('Before');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Typed \u{1f331}').first().waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/drops/${slug}`);
  });

  it('a label stays, and is sent after a sign-in in another tab, but not for another account', async () => {
    const { page, person } = await open('/account');
    await page.getByLabel('Label').fill('Typed \u{1f331}');
    const create = page.getByRole('button', { name: 'Create token' });
    for (const who of [await openDashboard(service), person]) {
      await page.context().clearCookies();
      await create.click();
      const link = page.getByRole('link', { name: 'sign in in a new tab' });
      const [tab] = await Promise.all([page.waitForEvent('popup'), link.click()]);
      await signIn(tab, who);
      await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
      await tab.close();
      await create.click();
      if (who !== person) await page.getByRole('alert').filter({ hasText: 'Another account' }).waitFor();
    }
    await page.locator('#token').waitFor();
    const { tokens } = await service.services.tokens.list({ accountId: person.owner.userId }, 9);
    expect(tokens.map(({ label }) => label)).to.include('Typed \u{1f331}');
  });

  it('a form that a script sends stays, and is published after a sign-in in another tab', async () => {
    const { page, person, faults } = await open('/drops/new');
    await page.locator('#html').fill(`<title>Pasted</title>${'x'.repeat(100_000)}`);
    await endSessions(person);
    const publish = page.getByRole('button', { name: 'Publish', exact: true });
    await publish.click();
    const link = page.getByRole('link', { name: 'Sign in in a new tab' });
    const [tab] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await signIn(tab, person);
    await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await tab.close();
    await publish.click();
    await page.waitForURL(/\/drops\/(?!new$)/);
    await page.getByRole('heading', { name: 'Pasted' }).waitFor();
    expect(faults.filter((fault) => !/40[13]/.test(fault))).to.deep.equal([]);
  });

  it('reloading a new token, and going back to it, makes no second one', async () => {
    const { page, person } = await open('/account');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.locator('#token').waitFor();
    await page.reload();
    await page.getByText('This token was shown once').waitFor();
    await page.goBack();
    await page.goForward();
    const listed = await service.services.tokens.list({ accountId: person.owner.userId }, 9);
    expect(listed.tokens).to.have.length(2);
  });

  it('the pages are accessible, and fit each width, light and dark', async () => {
    const { page, person, slug } = await open('/drops/:slug/edit');
    const { inspect } = createInspector(page, service.url);
    const views: [name: string, show: () => Promise<void>][] = [
      [
        'signed-out',
        async () => {
          await page.goto(`${service.url}/drops/${slug}/edit`);
          await endSessions(person);
          await page.evaluate(`document.querySelector('main form').submit()`); // without the script
          await page.getByRole('alert').waitFor();
        },
      ],
      [
        'new-name',
        async () => {
          await page.getByLabel('Name').fill('a-name-that-nobody-has');
          await page.getByLabel('Sign-in key').fill(String(service.services.signInKey));
          await page.getByRole('button', { name: 'Sign in' }).click();
          await page.getByRole('button', { name: 'Create account' }).waitFor();
        },
      ],
    ];
    for (const [name, show] of views) {
      await show();
      await inspect(name);
      for (const width of [320, 768, 1440])
        for (const colorScheme of schemes) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          await takePicture(page, `${name}-${width}-${colorScheme}`);
          expect(await overflowOf(page), `${name} ${width}`).to.equal(0);
        }
    }
  });
});
