import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import { HtmlValidate } from 'html-validate';
import type { Page } from 'playwright-core';
import { overflowOf, schemes, takePicture, widths } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const markup = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // We write `<!doctype html>`; the standard allows both.
    'doctype-style': ['error', { style: 'lowercase' }],
    // We write `<br>`, sanitize-html `<br />`; the standard allows both.
    'void-style': 'off',
    // A passcode belongs to a page, not to the viewer: password managers must not save it for the whole site.
    'autocomplete-password': 'off',
    // A button without a type submits, an input without one is text; the next rule does not know that.
    'no-implicit-button-type': 'off',
    'no-implicit-input-type': 'off',
    'wcag/h32': 'off',
    'aria-label-misuse': ['error', { allowAnyNamable: true }], // a list may have a name
    'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'button', 'submit'] }],
    // Titles are as long as their owners write them.
    'long-title': 'off',
    // A part that scrolls needs the focus and a role: a section would be one more landmark.
    'prefer-native-element': 'off',
  },
});

/** axe's rules about colours. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Checks a page for accessibility and for valid markup. */
export interface Inspector {
  /**
   * Validates the markup, runs axe at each width (all rules in the first color scheme, the color rules in the other),
   * checks that no width scrolls sideways, and takes a picture of each. The framed drop is left out.
   * @param options.colorSchemes default: light, then dark
   * @param options.omitsEndTags the validator does not know which end tags may be left out: markup is not checked
   * @param options.colorsOnly only the color rules: for a page whose elements another call has checked
   * @throws Error that names every violation
   */
  inspect(
    name: string,
    options?: { colorSchemes?: readonly ('light' | 'dark')[]; colorsOnly?: boolean; omitsEndTags?: boolean },
  ): Promise<void>;
}

/** @param page before it is opened: the server's markup is validated @param ownUrl of the service */
export function createInspector(page: Page, ownUrl: string): Inspector {
  let sent: Promise<string | null> = Promise.resolve(null);
  page.on('response', (response) => {
    const request = response.request();
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
    // Redirects and other sites' pages are not validated; the body is gone once the next page loads.
    if (response.url().startsWith(ownUrl) && response.status() !== 303)
      sent = response.text().catch(() => null);
  });

  return {
    async inspect(name, { colorSchemes = schemes, colorsOnly = false, omitsEndTags = false } = {}) {
      const faults = await faultsOfMarkup(await sent, omitsEndTags);
      expect(faults, `${name}: markup`).to.deep.equal([]);
      await page.evaluate(axe);
      for (const [width, size] of Object.entries(widths)) {
        for (const colorScheme of colorSchemes) {
          await page.setViewportSize(size);
          await page.emulateMedia({ colorScheme });
          const where = `${name}, ${width}, ${colorScheme}`;
          const isFirst = colorScheme === colorSchemes[0];
          const found = await violations(page, colorsOnly || !isFirst ? colorRules : []);
          if (found.length > 0) throw new Error(`${where}:\n${found.join('\n')}`);
          expect(await overflowOf(page), `${where}: wider than its window`).to.equal(0);
          await takePicture(page, `${name}-${width}-${colorScheme}`);
        }
      }
    },
  };
}

/** @param rules empty: all that axe runs by default */
async function violations(page: Page, rules: readonly string[]): Promise<string[]> {
  const options = {
    iframes: false,
    resultTypes: ['violations'],
    rules: { 'target-size': { enabled: true } }, // WCAG 2.2; axe leaves it off
    ...(rules.length > 0 && { runOnly: { type: 'rule', values: rules } }),
  };
  const found = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id} (${help}): ${node.html} ${node.failureSummary}`),
  );
}

async function faultsOfMarkup(html: string | null, omitsEndTags: boolean): Promise<string[]> {
  if (omitsEndTags) return [];
  if (html === null) throw new Error('there is no page to validate');
  const report = await markup.validateString(html);
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
  );
}
