import type { Page } from 'playwright-core';

/** Signs in and agrees on the pages of test/support/oidc-server.ts. @param subject whom as */
export async function signInAtProvider(page: Page, subject: string): Promise<void> {
  await page.locator('input[name=login]').fill(subject);
  await page.locator('input[name=password]').fill('x');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Its pages ask for a font of another server, which no test waits for. */
export async function withoutFonts(page: Page): Promise<void> {
  await page.route(/fonts\.googleapis\.com/, (route) => route.abort());
}
