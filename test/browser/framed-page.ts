import type { Frame, Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import type { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { signIn, type TestBrowser, watchPage } from './browser.ts';

/** Readers in front of pages, with their comments. */
export function createFramedPages(browser: TestBrowser, service: ReturnType<typeof useService>) {
  async function publish(html: string, fields: object = {}) {
    const dashboard = await openDashboard(service);
    const { slug } = await dashboard.owner.create({ html, ...fields });
    return { dashboard, slug };
  }

  /** @param script runs before those of each document */
  async function open(path: string, reader?: Dashboard, script = '') {
    const context = await browser.newContext();
    if (script !== '') await context.addInitScript(script);
    if (reader !== undefined) await signIn(context, reader, service.url);
    const page = await context.newPage();
    const { faults } = watchPage(page, service.url);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/(raw|review)\b/.test(request.url())) asked.push(request.url());
    });
    await page.goto(service.url + path);
    return { page, faults, asked };
  }

  return { publish, open };
}

export async function frameOf(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector('main iframe')).contentFrame();
  if (frame === null) throw new Error('the frame holds no page');
  await frame.waitForSelector('body', { state: 'attached' });
  return frame;
}

const panelOf = (page: Page) => page.frameLocator('iframe.comments-panel');

export async function openPanel(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Comments' });
  await button.waitFor();
  await until(
    () => page.evaluate<boolean>(`'channel' in document.querySelector('main iframe')`),
    'the channel',
  );
  await button.click();
  await panelOf(page).locator('.new-comment').waitFor();
}

/** Selects the whole text of that element, as a reader would. */
export async function selectText(page: Page, selector: string): Promise<void> {
  const frame = await frameOf(page);
  await frame.locator(selector).click();
  await frame.evaluate(
    `getSelection().selectAllChildren(document.querySelector(${JSON.stringify(selector)}))`,
  );
}

/** The quote that the form shows. */
export const quoteIn = (page: Page, text: string) =>
  panelOf(page).locator('.new-comment .quote', { hasText: text });
