import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startGitHubDouble } from '../support/github-double.ts';
import { startOidcServer } from '../support/oidc-server.ts';
import { useServiceBeside } from '../support/service.ts';
import { describeInBrowsers, follow, overflowOf, schemes, takePicture } from './browser.ts';
import { signInAtProvider, withoutFonts } from './provider-pages.ts';

async function startProviders() {
  const github = await startGitHubDouble();
  const oidc = await startOidcServer();
  const close = () => Promise.all([github.close(), oidc.close()]);
  const settings = { SIGN_IN: 'oidc,github,local', SIGN_INS_PER_ACCOUNT: '1000' };
  return { github, oidc, env: { ...github.env, ...oidc.env, ...settings }, close };
}

describeInBrowsers('Signing in by one of several ways', (browser) => {
  const [service, providers] = useServiceBeside(startProviders);
  beforeEach(() => {
    providers.oidc.claims = { sub: 'ada-1', preferred_username: 'ada' };
  });

  async function open(path: string, options = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    await withoutFonts(page);
    await page.goto(service.url + path);
    return page;
  }

  async function expectHeading(page: Page, name: string | RegExp): Promise<void> {
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }

  it(`at the OpenID provider, and out of it again, by keyboard alone; ${browser.withLeastScripts}`, async () => {
    const page = await open('/sign-in/browser?next=/account', browser.leastScripts);
    await follow(page, 'Continue with Example');
    await signInAtProvider(page, 'ada-1');
    await expectHeading(page, 'ada');
    expect(page.url()).to.equal(`${service.url}/account`);
    await page.getByText('with Example').waitFor();
    await follow(page, 'Sign out');
    await expectHeading(page, 'You are signed out');
    expect(page.url()).to.equal(`${service.url}/sign-in/out?from=oidc`);
    await page.goto(`${service.url}/drops`);
    await expectHeading(page, 'Sign in');
    await page.goBack();
    await follow(page, 'Sign out of Example, too');
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.waitForURL('**/session/end/success'); // or its navigation interrupts the next one
    await page.goto(`${service.url}/sign-in/browser`);
    await page.getByRole('button', { name: 'Continue with Example' }).click();
    await page.locator('input[name=login]').waitFor(); // the provider asks again
  });

  it('a person who cancels at the provider reads so, and tries again', async () => {
    const page = await open('/sign-in/browser');
    await page.getByRole('button', { name: 'Continue with Example' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await expectHeading(page, 'Not signed in');
    await page.getByText('You did not agree at Example').waitFor();
    await page.getByRole('link', { name: 'Try again' }).click();
    await expectHeading(page, 'Sign in');
  });

  it('a device, with another account at the provider than the one that it knows', async () => {
    const { code } = (await service.request('POST', '/api/auth/start')).body;
    const page = await open(`/sign-in?code=${code}`);
    await page.getByRole('button', { name: 'Continue with Example' }).click();
    await signInAtProvider(page, 'ada-1');
    await page.getByText('You are signed in as ada').waitFor();
    providers.oidc.claims = { sub: 'grace-1', preferred_username: 'grace' };
    await page.getByRole('link', { name: 'Use another account' }).click();
    await page.getByRole('button', { name: 'Continue with Example' }).click();
    await signInAtProvider(page, 'grace-1');
    await page.getByText('You are signed in as grace').waitFor();
  });

  it('at GitHub, which sends the browser back at once', async () => {
    const page = await open('/sign-in/browser?next=/account');
    await page.getByRole('button', { name: /^Continue with 127/ }).click();
    await expectHeading(page, 'octocat');
  });

  it('with the sign-in key, below the providers; a wrong key keeps the name and all ways', async () => {
    await service.newOwner('keyed');
    const page = await open('/sign-in/browser?next=/account');
    await page.getByLabel('Name').fill('keyed');
    await page.getByLabel('Sign-in key').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Name').inputValue()).to.equal('keyed');
    expect(await page.getByRole('button', { name: /^Continue with/ }).count()).to.equal(2);
    await page.getByLabel('Sign-in key').fill(String(service.services.signInKey));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expectHeading(page, 'keyed');
  });

  it('no page is wider than its window, and buttons are large enough for fingers', async () => {
    const { code } = (await service.request('POST', '/api/auth/start')).body;
    for (const [name, path] of [
      ['ways', '/sign-in/browser'],
      ['code', `/sign-in?code=${code}`],
      ['out', '/sign-in/out?from=oidc'],
    ] as const) {
      const page = await open(path);
      for (const width of [360, 768, 1440]) {
        for (const colorScheme of schemes) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          expect(await overflowOf(page), `${name} at ${width}`).to.equal(0);
          await takePicture(page, `${name}-${browser.engine}-${width}-${colorScheme}`);
        }
      }
      for (const button of await page.locator('main :is(button, .button)').all())
        expect((await button.boundingBox())?.height).to.be.at.least(44);
    }
  });
});

describeInBrowsers('Signing in while the OpenID provider is down', (browser) => {
  const [service] = useServiceBeside(async () => {
    const { env, close } = await startOidcServer();
    await close();
    return { env, close: async () => undefined };
  });

  for (const options of [{}, browser.leastScripts]) {
    it(`says so, and the button can be pressed again; scripts: ${JSON.stringify(options)}`, async () => {
      const page = await (await browser.newContext(options)).newPage();
      await page.goto(`${service.url}/sign-in/browser`);
      await page.getByRole('button', { name: 'Continue with Example' }).click();
      await page.getByText('Example is unavailable').waitFor();
      await page.getByText('The identity provider cannot be reached.').waitFor();
      await page.getByText(/^(Try again|Continue with Example)$/).click();
      await page.getByRole('button', { name: 'Continue with Example' }).waitFor();
    });
  }
});
