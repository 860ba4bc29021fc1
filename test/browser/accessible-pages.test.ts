import type { Page } from 'playwright-core';
import { restrict } from '../support/access.ts';
import { openDashboard } from '../support/dashboard.ts';
import { startGitHubDouble } from '../support/github-double.ts';
import { startOidcServer } from '../support/oidc-server.ts';
import { startService, type TestService, useOwner, useService } from '../support/service.ts';
import { clickApprove, signIn, useBrowser } from './browser.ts';
import { createInspector, type Inspector } from './inspect.ts';
import { signInAtProvider, withoutFonts } from './provider-pages.ts';

const context = `# Why

Because **numbers** say so, [as told](https://a.example/), and \`code\`.

> A quote

1. one
2. two

| a | b |
|---|---|
| c | d |

\`\`\`
a line of code
\`\`\`

---
`;

describe('Our own pages are accessible and have valid markup', function () {
  this.timeout(120_000);
  const browser = useBrowser();
  const service = useService({ PASSCODE_TRIES: '1', CODE_TRIES: '3' });
  const owner = useOwner(service);

  /** A browser page and its inspector. */
  async function open(path: string, at: TestService = service): Promise<{ page: Page } & Inspector> {
    const page = await (await browser.newContext()).newPage();
    const inspector = createInspector(page, at.url);
    await page.goto(at.url + path);
    return { page, ...inspector };
  }

  async function startSignIn(at: TestService = service): Promise<string> {
    const headers = { 'user-agent': 'a-client/1.0' };
    const body = { label: "Ada's laptop \u202e" };
    return (await at.request('POST', '/api/auth/start', { body, headers })).body.code;
  }

  describe('viewer, passcode and report', () => {
    it('a public page with metadata, an old version and context', async () => {
      const { slug } = await owner.create({
        title: 'Orders of week 46 & others',
        description: 'Three charts',
        metadata: { project: 'demo' },
        context,
      });
      await owner.put(slug, { context });
      const { page, inspect } = await open(`/p/${slug}?v=1`);
      await inspect('viewer');
      for (const menu of ['Version 1 of 2', 'Share', 'More', 'Orders of week 46 & others']) {
        await page.getByRole('button', { name: menu }).click();
        await inspect(`viewer-menu-${menu}`, { colorsOnly: menu === 'More' });
      }
    });

    it('a public page with nothing but a title', async () => {
      const { slug } = await (await service.newOwner()).create({ title: 'T' });
      const { inspect } = await open(`/p/${slug}`);
      await inspect('viewer-bare');
    });

    it('the passcode: empty, wrong, too many', async () => {
      const { slug } = await (await service.newOwner()).create({ passcode: 'open-sesame' });
      const { page, inspect } = await open(`/p/${slug}`);
      await inspect('passcode');
      for (const [name, message] of [
        ['passcode-wrong', 'The passcode is wrong.'],
        ['passcode-too-often', 'Too many wrong attempts.'],
      ] as const) {
        await page.getByLabel('Passcode').fill('wrong');
        await page.getByRole('button').click();
        await page.getByRole('alert').filter({ hasText: message }).waitFor();
        await inspect(name);
      }
    });

    it('a page for named people: signed out, signed in, by itself', async () => {
      const ada = await openDashboard(service);
      const { slug } = await ada.owner.create();
      await restrict(service, ada.owner, slug, { access: 'named', people: ['ada@team.example'] });
      const { page, inspect } = await open(`/p/${slug}`);
      await inspect('no-right-signed-out');
      await page.goto(`${service.url}/p/${slug}/raw`);
      await inspect('no-right-raw');
      await signIn(page.context(), await openDashboard(service), service.url);
      await page.goto(`${service.url}/p/${slug}`);
      await inspect('no-right-signed-in');
      await signIn(page.context(), ada, service.url);
      await page.goto(`${service.url}/p/${slug}`);
      await page.getByRole('button', { name: 'Share' }).click();
      await inspect('viewer-restricted-share', { colorsOnly: true });
    });

    it('a report: empty, invalid, sent', async () => {
      const { slug } = await (await service.newOwner()).create();
      const { page, inspect } = await open(`/report/${slug}`);
      await inspect('report-form');
      await page.getByLabel('Something else').check();
      await page.getByRole('button', { name: 'Send report' }).click();
      await page.getByRole('alert').waitFor();
      await inspect('report-faulty');
      await page.getByLabel('Details').fill('It is not right.');
      await page.getByRole('button', { name: 'Send report' }).click();
      await page.getByRole('heading', { name: 'Report sent' }).waitFor();
      await inspect('report-thanks');
    });
  });

  describe('the sign-in', () => {
    it('code, wrong code, name and key, wrong key, request, approved', async () => {
      const { page, inspect } = await open('/sign-in');
      await inspect('sign-in-code');
      await page.getByLabel('Code').fill('BCDF-GHJK');
      await page.getByRole('button').click();
      await page.getByRole('alert').waitFor();
      await inspect('sign-in-code-wrong');
      await page.goto(`${service.url}/sign-in?code=${await startSignIn()}`);
      await inspect('sign-in-confirm');
      await page.getByRole('button').click();
      await page.getByLabel('Name').waitFor(); // a script leads to the page
      await inspect('sign-in-local');
      await page.getByLabel('Name').fill('ada');
      await page.getByLabel('Sign-in key').fill('wrong');
      await page.getByRole('button').click();
      await page.getByRole('alert').waitFor();
      await inspect('sign-in-local-wrong');
      await page.getByLabel('Sign-in key').fill(service.services.signInKey ?? '');
      await page.getByRole('button').click();
      await page.getByRole('button', { name: 'Create account' }).waitFor();
      await inspect('sign-in-new-name');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      await inspect('sign-in-request');
      await clickApprove(page);
      await page.getByRole('heading', { name: 'Approved' }).waitFor();
      await inspect('sign-in-approved');
    });

    it('denied, and no sign-in in progress', async () => {
      await service.newOwner('ada');
      const { page, inspect } = await open('/sign-in/approve');
      await inspect('sign-in-nothing');
      await page.goto(`${service.url}/sign-in?code=${await startSignIn()}`);
      await page.getByRole('button').click();
      await page.getByLabel('Name').fill('ada');
      await page.getByLabel('Sign-in key').fill(service.services.signInKey ?? '');
      await page.getByRole('button').click();
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByRole('heading', { name: 'Denied' }).waitFor();
      await inspect('sign-in-denied');
    });

    it('several ways, a refusal, a provider that is down, and signed out', async () => {
      const provider = await startOidcServer();
      const double = await startGitHubDouble();
      const ways = { ...provider.env, ...double.env, SIGN_IN: 'oidc,github,local' };
      const behind = await startService({ env: { ...ways, OIDC_ALLOWED_GROUPS: '/staff' } });
      const { page, inspect } = await open('/sign-in/browser', behind);
      await withoutFonts(page);
      await inspect('sign-in-ways');
      await page.goto(`${behind.url}/sign-in?code=${await startSignIn(behind)}`);
      await inspect('sign-in-code-ways');
      provider.claims = {
        sub: 'eve',
        preferred_username: 'e'.repeat(100),
      };
      await page.goto(`${behind.url}/sign-in/browser`);
      await page.getByRole('button', { name: 'Continue with Example' }).click();
      await signInAtProvider(page, 'eve');
      await page.getByRole('heading', { name: 'Not for this account' }).waitFor();
      await inspect('sign-in-outsider');
      await provider.close();
      await page.goto(`${behind.url}/sign-in/browser`);
      double.faults = { user: 'status 500' };
      await page.getByRole('button', { name: /Continue with 127/ }).click();
      await page.getByRole('heading', { name: /is unavailable/ }).waitFor();
      await inspect('sign-in-down');
      await page.goto(`${behind.url}/sign-in/out?from=oidc`);
      await inspect('sign-in-out');
      await page.context().close();
      await behind.stop();
      await double.close();
    });

    it('the page that leads to the identity provider', async () => {
      const double = await startGitHubDouble();
      const behind = await startService({ env: double.env });
      const { page, inspect } = await open(`/sign-in?code=${await startSignIn(behind)}`, behind);
      await inspect('sign-in-provider');
      // Without its refresh, which leads away while the page is looked at.
      await page.route(`${behind.url}/sign-in*`, async (route) => {
        const answer = await route.fetch({ maxRedirects: 0 });
        const body = (await answer.text()).replace(/<meta http-equiv="refresh"[^>]*>/, '');
        await route.fulfill({ response: answer, body });
      });
      // As without our script, which does not show this page.
      await page.locator('form').evaluate((form: { submit(): void }) => form.submit());
      await page.getByRole('heading', { name: /^Continue to/ }).waitFor();
      await inspect('sign-in-leaving');
      await page.context().close();
      await behind.stop();
      await double.close();
    });
  });

  describe('other pages', () => {
    for (const [name, path, options] of [
      ['home', '/', {}],
      ['error-404', '/p/nosuchslug00', {}],
      ['error-404-raw', '/p/nosuchslug00/raw', {}],
      ['help', '/help', {}],
      ['docs', '/docs', { colorSchemes: ['light'] }], // the longest page; its colours are those of the others
    ] as const) {
      it(name, async () => {
        const { inspect } = await open(path);
        await inspect(name, options);
      });
    }

    it('a missing version, a locked raw page, and a page that was taken down', async () => {
      const { slug } = await owner.create();
      const locked = await owner.create({ passcode: 'open-sesame' });
      const { page, inspect } = await open(`/p/${slug}?v=9`);
      await inspect('error-version');
      await page.goto(`${service.url}/p/${locked.slug}/raw`);
      await inspect('error-403');
      await service.services.moderation.takeDown(slug, { by: 'root', reason: 'spam' });
      await page.goto(`${service.url}/p/${slug}`);
      await inspect('error-410');
    });
  });
});
