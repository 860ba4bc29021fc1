import type { Page } from 'playwright-core';
import { byNobody, byOwner, field, lockedDrop, press, type Scene } from './form-row.ts';

const wrongKey = { fill: { '#name': 'ada', '#key': 'not the key' }, wrong: { '#key': 'wrong' } };

/** The forms of the sign-in, and those that readers see. */
export const publicForms = [
  byNobody('/sign-in', 'Continue', '/sign-in', field('#code', 'BCDF-GHJK', 'BCDF-GHJK')),
  byNobody('/sign-in/local', 'Sign in', codePath, { reach: continueTo(/local$/), ...wrongKey }),
  byNobody('/sign-in/browser', 'Sign in', '/sign-in/browser', wrongKey),
  byNobody('/sign-in/browser', 'Create account', '/sign-in/browser', { reach: signInAsNew }),
  byOwner('/sign-in/approve', 'Deny', codePath, { reach: continueTo(/approve$/), endsWithSession: true }),
  byOwner('/sign-out', 'Sign out', '/drops'),
  byNobody(
    '/p/:slug',
    'Show page',
    async (scene) => `/p/${await lockedDrop(scene)}`,
    field('#passcode', 'right-passcode', 'wrong'),
  ),
  byNobody('/report/:slug', 'Send report', ({ slug }) => `/report/${slug}`, {
    fill: { '#text': 'It is a copy', 'input[value=other]': 'on' },
    wrong: { '#contact': 'x'.repeat(201) },
  }),
];

async function codePath({ service }: Scene): Promise<string> {
  const { body } = await service.request('POST', '/api/auth/start');
  return `/sign-in?code=${body.code}`;
}

function continueTo(address: RegExp) {
  return async (page: Page) => {
    await press(page, 'Continue');
    await page.waitForURL(address);
  };
}

async function signInAsNew(page: Page, { service, slug }: Scene): Promise<void> {
  await page.locator('#name').fill(`new-${slug.toLowerCase()}`);
  await page.locator('#key').fill(String(service.services.signInKey));
  await press(page, 'Sign in');
  await page.getByRole('button', { name: 'Create account' }).waitFor();
}
