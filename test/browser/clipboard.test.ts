import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { openSignedIn, useBrowser } from './browser.ts';

/** Runs before the scripts of the page. Each way by which a page can write the clipboard is noted. */
const noteWrites = `window.written = [];
  for (const name of ['write', 'writeText']) {
    const original = navigator.clipboard[name].bind(navigator.clipboard);
    navigator.clipboard[name] = (what) => {
      written.push(what);
      return original(what);
    };
  }
  document.execCommand = (command) => written.push(command);
  addEventListener('copy', (event) => setTimeout(() => event.defaultPrevented && written.push('copy event')));`;

describe("The person's clipboard, in Chromium", () => {
  const browser = useBrowser();
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  async function open(person: Dashboard, path: string): Promise<Page> {
    const { page } = await openSignedIn(browser, person, service.url, '/account', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.evaluate("navigator.clipboard.writeText('mine')");
    await page.addInitScript(noteWrites);
    await page.goto(service.url + path);
    return page;
  }

  const read = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
  const written = (page: Page) => page.evaluate<string[]>('written');

  /** Each button that copies is pressed once. @returns how many there are */
  async function pressAll(page: Page, found: Locator): Promise<number> {
    const buttons = await found.all();
    const texts: string[] = [];
    for (const button of buttons) {
      const text = (await button.getAttribute('data-copy')) ?? '';
      texts.push(text);
      await button.dispatchEvent('click'); // some are in closed menus
      await until(async () => (await read(page)) === text, 'it is copied');
    }
    expect(await written(page)).to.deep.equal(texts);
    return buttons.length;
  }

  for (const path of ['/drops', '/drops/new'])
    it(`three files that are dropped on ${path} leave it as it is; Copy beside each copies its address`, async () => {
      const ada = await openDashboard(service);
      await ada.owner.create();
      const page = await open(ada, path);
      const dataTransfer = await page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        for (const name of ['one', 'two', 'three'])
          data.items.add(new File(['<!doctype html><title>' + name + '</title><p>Hi'], name + '.html', { type: 'text/html' }));
        return data;
      })()`);
      await page.dispatchEvent('h1', 'drop', { dataTransfer });
      const added = page.getByRole('region', { name: 'Published files' }).getByRole('listitem');
      await added.nth(2).getByRole('button', { name: 'Copy' }).waitFor();
      expect(await written(page)).to.deep.equal([]);
      expect(await read(page)).to.equal('mine');
      expect(await pressAll(page, added.locator('[data-copy]'))).to.equal(3);
    });

  it('no page writes it by itself, and each button that copies writes its own text', async () => {
    const ada = await openDashboard(service);
    const { slug } = await ada.owner.create();
    const paths = {
      '/drops': 1,
      '/drops?view=list': 1,
      [`/drops/${slug}?notice=new`]: 3,
      [`/drops/${slug}/share`]: 2,
      [`/drops/${slug}/comments`]: 0,
      [`/p/${slug}`]: 1,
      '/account': 0,
      '/': 1,
    };
    for (const [path, least] of Object.entries(paths)) {
      const page = await open(ada, path);
      await page.waitForLoadState('networkidle');
      expect(await written(page), path).to.deep.equal([]);
      expect(await read(page), path).to.equal('mine');
      expect(await pressAll(page, page.locator('[data-copy]:not([hidden])')), path).to.be.at.least(least);
      await page.context().close();
    }
  });
});
