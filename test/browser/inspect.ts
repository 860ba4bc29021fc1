import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import { HtmlValidate } from 'html-validate';
import type { Page } from 'playwright-core';
import { overflowOf, schemes, screenshots, widths } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const markup = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // We write `<!doctype html>`; both are the standard's.
    'doctype-style': ['error', { style: 'lowercase' }],
    // We write `<br>`, sanitize-html `<br />`; both are the standard's.
    'void-style': 'off',
    // The passcode of a page is nobody's own: no password manager is to keep it for the service.
    'autocomplete-password': 'off',
  },
});

/** The pages of ours as their reader meets them, for machines that look for barriers and for faults in markup. */
export interface Inspector {
  /**
   * Looks at the page as it stands, at each width, light and dark, and takes a picture of each. The drop in a frame is
   * somebody else's, and is left out.
   * @param colorSchemes unset: both, one after the other
   * @throws AssertionError that names every violation
   */
  inspect(name: string, colorSchemes?: readonly ('light' | 'dark')[]): Promise<void>;
}

/**
 * @param page before it is opened: the markup that is validated is what the server sent
 * @param ownUrl of the service
 */
export function createInspector(page: Page, ownUrl: string): Inspector {
  let sent: Promise<string | null> = Promise.resolve(null);
  page.on('response', (response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    // Redirects and what leads away have none; the body is gone when the next page comes.
    if (response.url().startsWith(ownUrl) && response.status() !== 303)
      sent = response.text().catch(() => null);
  });

  return {
    async inspect(name, colorSchemes = schemes) {
      mkdirSync(screenshots, { recursive: true });
      expect(await faultsOfMarkup(await sent), `${name}: markup`).to.deep.equal([]);
      await page.evaluate(axe);
      for (const [width, size] of Object.entries(widths)) {
        for (const colorScheme of colorSchemes) {
          await page.setViewportSize(size);
          await page.emulateMedia({ colorScheme });
          const where = `${name}, ${width}, ${colorScheme}`;
          const found = await violations(page);
          if (found.length > 0) throw new Error(`${where}:\n${found.join('\n')}`);
          expect(await overflowOf(page), `${where}: wider than its window`).to.equal(0);
          await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) });
        }
      }
    },
  };
}

async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate<AxeResults>("axe.run({ iframes: false, resultTypes: ['violations'] })");
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id} (${help}): ${node.html} ${node.failureSummary}`),
  );
}

async function faultsOfMarkup(html: string | null): Promise<string[]> {
  if (html === null) throw new Error('there is no page to validate');
  const report = await markup.validateString(html);
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
  );
}
