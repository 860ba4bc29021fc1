import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { startGitHubDouble } from '../support/github-double.ts';
import { startOidcServer } from '../support/oidc-server.ts';
import { useServiceBeside } from '../support/service.ts';
import {
  describeInBrowsers,
  follow,
  openSignedIn,
  overflowOf,
  schemes,
  takePicture,
  useBrowser,
} from './browser.ts';
import { createInspector } from './inspect.ts';
import { signInAtProvider, withoutFonts } from './provider-pages.ts';

async function startProviders() {
  const github = await startGitHubDouble();
  const oidc = await startOidcServer();
  const close = () => Promise.all([github.close(), oidc.close()]);
  return { github, oidc, env: { ...github.env, ...oidc.env, SIGN_IN: 'oidc,github,local' }, close };
}

describeInBrowsers('Ways to sign in, on the account page', (browser) => {
  let people = 0;
  const [service, providers] = useServiceBeside(startProviders);

  for (const [scripts, options] of [
    ['with scripts', {}],
    [`least: ${browser.withLeastScripts}`, browser.leastScripts],
  ] as const)
    it(`one is added at the OpenID provider and the first is removed, by keyboard alone; ${scripts}`, async () => {
      const sub = `ada-${++people}`;
      providers.oidc.claims = { ...providers.oidc.claims, sub, preferred_username: sub };
      const me = await openDashboard(service);
      const { page, faults } = await openSignedIn(browser, me, service.url, '/account', options);
      await withoutFonts(page);
      await follow(page, 'Add another way…');
      await follow(page, 'Continue with Example');
      await signInAtProvider(page, sub);
      await page.getByText('The account has another way to sign in.').waitFor();
      await follow(page, `Remove the sign-in key, ${me.owner.name}`);
      await page.getByRole('heading', { name: 'Remove this way to sign in?' }).waitFor();
      await follow(page, 'Remove');
      await page.getByText('The way to sign in is removed').waitFor();
      await page.getByRole('heading', { level: 1, name: sub }).waitFor();
      // The provider's pages ask for fonts.
      const own = faults.filter((each) => !each.includes(providers.oidc.issuer) && !each.includes('fonts'));
      expect(own).to.deep.equal([]);
    });
});

describe('The pages of ways to sign in, in Chromium', () => {
  const browser = useBrowser();
  const [service, providers] = useServiceBeside(startProviders);

  it('fit each width, light and dark, and are accessible', async () => {
    const me = await openDashboard(service);
    const identity = { provider: `oidc:${providers.oidc.issuer}`, subject: 'x', name: 'W'.repeat(100) };
    const email = `${'e'.repeat(60)}@${'d'.repeat(60)}.example.org`;
    const person = { identity, email, groups: [], refreshToken: null };
    await service.services.identities.link(me.owner.userId, person);
    const { page } = await openSignedIn(browser, me, service.url, '/account');
    const { inspect } = createInspector(page, service.url);
    const removal = (await page.getByRole('link', { name: 'Remove Example' }).getAttribute('href')) ?? '';
    for (const [name, path] of [
      ['account', '/account'],
      ['ways', '/account/ways'],
      ['remove', removal],
    ] as const) {
      await page.goto(service.url + path);
      await inspect(`ways-${name}`);
      for (const width of [360, 768, 1_440])
        for (const colorScheme of schemes) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          if (name === 'account') await page.locator('#ways').scrollIntoViewIfNeeded();
          await takePicture(page, `ways-${name}-${width}-${colorScheme}`);
          expect(await overflowOf(page), `${path} ${width}`).to.equal(0);
        }
    }
  });
});
