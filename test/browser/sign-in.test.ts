import { expect } from 'chai';
import { useService } from '../support/service.ts';
import { describeInBrowsers, follow } from './browser.ts';

describeInBrowsers('Signing in and out', (browser) => {
  const service = useService();

  for (const javaScriptEnabled of [true, false]) {
    it(`works by keyboard alone; scripts: ${javaScriptEnabled}`, async () => {
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(service.url);
      await follow(page, 'Sign in');
      await page.locator('#name:focus').waitFor();
      await page.keyboard.type(javaScriptEnabled ? 'ada' : 'grace');
      await page.keyboard.press('Tab');
      await page.keyboard.type('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await page.locator('#key:focus').waitFor();
      await page.keyboard.type(String(service.services.signInKey));
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Create account' }).waitFor();
      await follow(page, 'Create account');
      await page.waitForURL(/\/drops/);
      await page.goto(service.url);
      expect(new URL(page.url()).pathname, 'the home page of a person who is signed in').to.match(/^\/drops/);
      await follow(page, 'Sign out');
      expect(page.url()).to.equal(`${service.url}/sign-in/out`);
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      expect(await context.cookies()).to.deep.equal([]);
      await page.goto(`${service.url}/drops`);
      expect(page.url()).to.equal(`${service.url}/sign-in/browser?next=%2Fdrops`);
    });
  }
});
