import type { BrowserContext, Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import type { TestService } from '../support/service.ts';
import { signIn } from './browser.ts';
import type { FormRow, Scene, Who } from './form-row.ts';
import { commentForms } from './form-rows-comments.ts';
import { dashboardForms } from './form-rows-dashboard.ts';
import { operatorForms } from './form-rows-operators.ts';
import { publicForms } from './form-rows-public.ts';

export type { FormRow, Scene };

/** Every form of our pages. */
export const formTable: readonly FormRow[] = [
  ...publicForms,
  ...commentForms,
  ...dashboardForms,
  ...operatorForms,
];

/** @param operator of the service @returns a new drop, and the person whose form it is */
export async function newScene(service: TestService, operator: Dashboard, who: Who): Promise<Scene> {
  const owner =
    who === 'operator' ? await openDashboard(service, operator.owner) : await openDashboard(service);
  const { slug } = await owner.owner.create({ title: 'Before', html: '<title>Before</title><p>One' });
  return { service, owner, slug };
}

/** The form's page in a new profile, to which another page of ours led. */
export async function openForm(context: BrowserContext, scene: Scene, row: FormRow): Promise<Page> {
  const { url } = scene.service;
  if (row.who !== 'nobody') await signIn(context, scene.owner, url);
  const path = await row.make(scene);
  const page = await context.newPage();
  await page.goto(`${url}/sign-in?before`); // Firefox keeps no page in memory that says no-store, and its driver does not see it come back
  await page.goto(url + path);
  await row.reach?.(page, scene);
  await page.evaluate(`for (const details of document.querySelectorAll('main details')) details.open = true`);
  return page;
}

/** Whether the table has a form: one of its buttons, by the path where it leads and its name. */
export function isInTable(path: string, button: string): boolean {
  return formTable.some(({ route, button: name }) => {
    const parts = route.split('/');
    const given = path.split('/');
    const isSame =
      parts.length === given.length && parts.every((part, i) => part.startsWith(':') || part === given[i]);
    return isSame && button.startsWith(name);
  });
}
