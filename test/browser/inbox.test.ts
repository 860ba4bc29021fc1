import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { replyTo, writeAsGuest } from '../support/comments.ts';
import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { describeInBrowsers, openSignedIn, overflowOf, schemes, takePicture, watchPage } from './browser.ts';

const widths = [360, 768, 1440] as const;

/** Looks at the page at each width, light and dark. @param look gets the width */
async function lookAt(page: Page, name: string, look: (width: number) => Promise<void>): Promise<void> {
  for (const width of widths) {
    for (const colorScheme of schemes) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await overflowOf(page), `${name} at ${width}`).to.equal(0);
      await look(width);
      await takePicture(page, `${name}-${width}-${colorScheme}`);
    }
  }
}

describeInBrowsers('What waits, for people', (browser) => {
  const service = useService();

  async function publish() {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create({ comments: 'anyone', title: 'A report' });
    return { dashboard, owner: dashboard.owner, slug };
  }

  it('the number stands beside Comments in the header at every width, and in the title of the tab', async () => {
    const { dashboard, owner, slug } = await publish();
    for (const text of ['One', 'Two', 'Three']) await writeAsGuest(service, { owner, slug }, text);
    const { page, faults } = await openSignedIn(browser, dashboard, service.url, '/drops');
    expect(await page.title()).to.equal('(3) Drops · Dropleaf');
    const link = page.getByRole('link', { name: 'Comments 3 waiting' });
    await lookAt(page, 'inbox-drops', async (width) => {
      const box = await link.boundingBox();
      expect(box?.height).to.be.at.least(44);
      expect((box?.x ?? 0) + (box?.width ?? 0)).to.be.at.most(width);
    });
    await link.click();
    await page.getByText('3 comments wait for you. None is new since you last looked here.').waitFor();
    await lookAt(page, 'inbox-comments', async () => undefined);
    expect(faults).to.deep.equal([]);
  });

  it('a list that a script reads anew shows the new number, also in the title', async () => {
    const { dashboard, owner, slug } = await publish();
    const { page } = await openSignedIn(browser, dashboard, service.url, '/drops');
    expect(await page.title()).to.equal('Drops · Dropleaf');
    await writeAsGuest(service, { owner, slug }, 'One');
    const dataTransfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['<!doctype html><title>New</title>'], 'new.html', { type: 'text/html' }));
      return data;
    })()`);
    await page.dispatchEvent('h1', 'dragenter', { dataTransfer });
    await page.dispatchEvent('h1', 'drop', { dataTransfer });
    await page.getByRole('link', { name: 'Comments 1 waiting' }).waitFor();
    expect(await page.title()).to.equal('(1) Drops · Dropleaf');
  });

  it('a guest who comes back sees at the button that there is an answer, until they open the comments', async () => {
    const { owner, slug } = await publish();
    const page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(`${service.url}/p/${slug}/comments`);
    await page.getByLabel('Your name').fill('Eve');
    await page.getByLabel('New comment').fill('A question');
    await page.getByRole('button', { name: 'Send' }).click();
    const thread = page.locator('.thread', { hasText: 'A question' });
    const id = (await thread.getAttribute('id'))?.slice(2) ?? '';
    await replyTo(owner, id, { text: 'An answer' });
    await page.goto(`${service.url}/p/${slug}`);
    const button = page.getByRole('button', { name: '1 answer' });
    await button.waitFor();
    await lookAt(page, 'inbox-viewer', async (width) => {
      expect(await button.isVisible()).to.equal(true);
      const box = await button.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).to.be.at.most(width);
    });
    expect(await button.innerText(), 'no other number').to.equal('1 answer');
    await page.setViewportSize({ width: 360, height: 740 });
    await button.click();
    const panel = page.frameLocator('iframe.comments-panel');
    await panel.locator('#list:focus').waitFor();
    expect(await panel.getByRole('link', { name: 'Mine' }).getAttribute('aria-current')).to.equal('page');
    const left = await panel.getByText('An answer').evaluate((answer) => {
      const view = answer.ownerDocument.defaultView;
      return (view?.innerHeight ?? 0) - answer.getBoundingClientRect().bottom;
    });
    expect(left, 'the answer is in the panel').to.be.at.least(0);
    await page.getByRole('button', { name: 'Comments' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Comments' }).waitFor();
    expect(await page.getByRole('button', { name: '1 answer' }).count()).to.equal(0);

    await replyTo(owner, id, { text: 'Another answer' });
    await page.reload();
    await button.waitFor();
    await page.locator('.bar h1 button').focus();
    await page.keyboard.press('c');
    await panel.locator('textarea:focus').waitFor();
    await page.getByRole('button', { name: 'Comments' }).waitFor();
    expect(faults).to.deep.equal([]);
  });
});

describeInBrowsers('The first sign-in', (browser) => {
  const service = useService();

  it('a name is derived or asked for, and the key is typed once', async () => {
    const page = await (await browser.newContext()).newPage();
    const { faults } = watchPage(page, service.url);
    await page.goto(`${service.url}/sign-in/browser`);
    await page.getByLabel('Name').fill('李明');
    await page.getByLabel('Sign-in key').fill(String(service.services.signInKey));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Choose a name' }).waitFor();
    await page.locator('#name:focus').waitFor();
    await lookAt(page, 'sign-in-name', async () => undefined);
    await page.getByLabel('Name').fill('Maria López');
    await page.keyboard.press('Enter');
    await page.getByText('The new account is called maria-lopez').waitFor();
    await lookAt(page, 'sign-in-create', async () => undefined);
    await page.getByRole('button', { name: 'Other name' }).click();
    await page.getByLabel('Name').fill('Maria');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL(/\/drops$/);
    expect(await page.locator('.who').textContent()).to.equal('maria');
    expect(faults.filter((fault) => !fault.includes('400'))).to.deep.equal([]);
  });
});
