import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { useService } from '../support/service.ts';
import { openSignedIn, takePicture, useBrowser } from './browser.ts';

/** Forms that are longer than the screen, and a field far below the place of the error. */
const forms = [
  { path: '/report/SLUG', field: 'contact', fill: { '#contact': 'x'.repeat(201) }, button: 'Send report' },
  { path: '/drops/new', field: 'tags', fill: { '#tags': 'a tag', '#html': '<p>One' }, button: 'Publish' },
  {
    path: '/drops/SLUG/edit',
    field: 'description',
    fill: { '#description': 'x'.repeat(501) },
    button: 'Save',
  },
] as const;

describe('A form that is refused, on a phone and without scripts', () => {
  const browser = useBrowser();
  const service = useService();

  for (const { path, field, fill, button } of forms) {
    it(`${path} shows the wrong field and the error on one screen`, async () => {
      const me = await openDashboard(service);
      const { slug } = await me.owner.create();
      const { page } = await openSignedIn(browser, me, service.url, path.replace('SLUG', slug), {
        viewport: { width: 360, height: 640 },
        javaScriptEnabled: false,
      });
      const more = page.locator('details.more:not([open]) > summary');
      if ((await more.count()) > 0) await more.first().click();
      if (path.startsWith('/report')) await page.getByLabel('It breaks the law').check();
      for (const [selector, text] of Object.entries(fill)) {
        // The page's own limit would keep the browser from sending it.
        await page.locator(selector).evaluate((element) => element.removeAttribute('maxlength'));
        await page.locator(selector).fill(text);
      }
      await page.getByRole('button', { name: button }).first().click();
      const fault = page.getByRole('alert');
      await fault.waitFor();
      const of = await fault.boundingBox();
      const at = await page.locator(`[name=${field}]`).boundingBox();
      await takePicture(page, `refused-${field}`);
      expect(of?.y).to.be.within(0, 600);
      expect(at?.y).to.be.within((of?.y ?? 0) + (of?.height ?? 0), 600);
    });
  }
});
