import type { BrowserContext, Page } from 'playwright-core';
import { writeAsGuest, writeComment } from '../support/comments.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { createReportScene } from '../support/report-form.ts';
import type { TestService } from '../support/service.ts';
import { signIn } from './browser.ts';

type Fill = Readonly<Record<string, string>>;

/** Whose form it is: somebody with a session, which can end; somebody without one. */
type Who = 'owner' | 'operator' | 'nobody';

/** A form of our pages. */
export interface FormRow {
  /** Its route, and its button. */
  readonly route: string;
  readonly button: string;
  readonly who: Who;
  /** Makes what the form is about. @returns the address of its page */
  readonly make: (scene: Scene) => Promise<string> | string;
  /** From that address to the form. */
  readonly reach?: (page: Page, scene: Scene) => Promise<void>;
  /** Where a page has several forms with such a button. */
  readonly form?: string;
  /** What is typed. */
  readonly fill?: Fill | ((scene: Scene) => Fill);
  /** What is refused; absent: what the form takes cannot be wrong. */
  readonly wrong?: Fill;
  /** The answer is a file. */
  readonly isFile?: true;
  /** Without the session there is nothing left of what the form is about. */
  readonly endsWithSession?: true;
}

/** The people and the drop of a test. */
export interface Scene {
  readonly service: TestService;
  readonly owner: Dashboard;
  readonly slug: string;
}

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

const long = 'x'.repeat(5_001);
const ofDrop = (part: string) => (scene: Scene) => `/drops/${scene.slug}${part}`;

async function withSecondVersion({ owner, slug }: Scene): Promise<void> {
  await owner.owner.put(slug, { html: '<p>Two' });
}

async function comment({ owner, slug }: Scene): Promise<string> {
  return (await writeComment(owner.owner, slug)).body.id;
}

async function commentsPath(scene: Scene): Promise<string> {
  await comment(scene);
  return `/p/${scene.slug}/comments`;
}

async function lockedDrop({ owner }: Scene): Promise<string> {
  return (await owner.owner.create({ passcode: 'right-passcode' })).slug;
}

async function withReport({ service, slug }: Scene): Promise<string> {
  await createReportScene(service).newReporter('192.0.2.200').report(slug, { text: 'It is a copy' });
  const [report] = await service.services.reports.list({ slug, withClosed: true }, 1);
  return report?.id ?? '';
}

async function otherAccount({ service }: Scene): Promise<string> {
  return (await service.newOwner()).userId;
}

async function codePath({ service }: Scene): Promise<string> {
  const { body } = await service.request('POST', '/api/auth/start');
  return `/sign-in?code=${body.code}`;
}

const press = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).click();
};

const key = (scene: Scene) => String(scene.service.services.signInKey);

/** Of an act of an operator: the reason is asked for. */
function act(route: string, button: string, make: FormRow['make']): FormRow {
  return {
    route,
    button,
    who: 'operator',
    make,
    fill: { '#reason': 'A reason' },
    wrong: { '#reason': long },
  };
}

/** The forms below a comment, on that page. */
function below(route: string, make: FormRow['make']): FormRow[] {
  const form = { route, who: 'owner', make } as const;
  const written = (label: string) => ({
    form: '.thread form',
    fill: { [`textarea[aria-label="${label}"]`]: 'A text that I write' },
    wrong: { [`textarea[aria-label="${label}"]`]: long },
  });
  return [
    { ...form, button: 'Resolve' },
    { ...form, button: 'Delete this comment' },
    { ...form, button: 'Send', ...written('Your reply') },
    { ...form, button: 'Save', ...written('New text') },
  ];
}

/** The forms of the pages for owners and readers. */
const forms: readonly FormRow[] = [
  {
    route: '/sign-in',
    button: 'Continue',
    who: 'nobody',
    make: () => '/sign-in',
    fill: { '#code': 'BCDF-GHJK' },
    wrong: { '#code': 'BCDF-GHJK' },
  },
  {
    route: '/sign-in/local',
    button: 'Sign in',
    who: 'nobody',
    make: codePath,
    async reach(page) {
      await press(page, 'Continue');
      await page.waitForURL(/local$/);
    },
    fill: { '#name': 'ada', '#key': 'not the key' },
    wrong: { '#key': 'wrong' },
  },
  {
    route: '/sign-in/browser',
    button: 'Sign in',
    who: 'nobody',
    make: () => '/sign-in/browser',
    fill: { '#name': 'ada', '#key': 'not the key' },
    wrong: { '#key': 'wrong' },
  },
  {
    route: '/sign-in/browser',
    button: 'Create account',
    who: 'nobody',
    make: () => '/sign-in/browser',
    async reach(page, scene) {
      await page.locator('#name').fill(`new-${scene.slug.toLowerCase()}`);
      await page.locator('#key').fill(key(scene));
      await press(page, 'Sign in');
      await page.getByRole('button', { name: 'Create account' }).waitFor();
    },
  },
  {
    route: '/sign-in/approve',
    button: 'Deny',
    who: 'owner',
    endsWithSession: true,
    make: codePath,
    async reach(page) {
      await press(page, 'Continue');
      await page.waitForURL(/approve$/);
    },
  },
  { route: '/sign-out', button: 'Sign out', who: 'owner', make: () => '/drops' },
  {
    route: '/p/:slug',
    button: 'Show page',
    who: 'nobody',
    make: async (scene) => `/p/${await lockedDrop(scene)}`,
    fill: { '#passcode': 'right-passcode' },
    wrong: { '#passcode': 'wrong' },
  },
  {
    route: '/report/:slug',
    button: 'Send report',
    who: 'nobody',
    make: ({ slug }) => `/report/${slug}`,
    fill: { '#text': 'It is a copy', 'input[value=other]': 'on' },
    wrong: { '#contact': 'x'.repeat(201) },
  },
  {
    route: '/p/:slug/comments',
    button: 'Send',
    who: 'owner',
    make: commentsPath,
    form: '.new-comment',
    fill: { textarea: 'A comment that I write' },
    wrong: { textarea: long },
  },
  ...below('/p/:slug/comments', commentsPath),
  ...below('/comments', async (scene) => {
    await comment(scene);
    return '/comments';
  }),
  {
    route: '/p/:slug/comments',
    button: 'Open again',
    who: 'owner',
    async make(scene) {
      const id = await comment(scene);
      await scene.owner.owner.request('PATCH', `/api/comments/${id}`, { body: { state: 'resolved' } });
      return `/p/${scene.slug}/comments?filter=resolved`;
    },
  },
  {
    route: '/p/:slug/comments',
    button: 'Approve',
    who: 'owner',
    async make({ service, owner, slug }) {
      await writeAsGuest(service, { owner: owner.owner, slug }, 'Held');
      return `/p/${slug}/comments`;
    },
  },
  {
    route: '/drops/new',
    button: 'Publish',
    who: 'owner',
    make: () => '/drops/new',
    fill: { '#html': '<title>New</title><p>One', '#title': 'A title that I write' },
    wrong: { '#tags': 'a tag' },
  },
  {
    route: '/drops/:slug/new-version',
    button: 'Publish version 2',
    who: 'owner',
    make: ofDrop('/new-version'),
    fill: { '#html': '<title>New</title><p>One' },
  },
  {
    route: '/drops/:slug/edit',
    button: 'Save',
    who: 'owner',
    make: ofDrop('/edit'),
    fill: { '#title': 'After', '#description': 'A description that I write' },
    wrong: { '#description': 'x'.repeat(501) },
  },
  {
    route: '/drops/:slug/passcode',
    button: 'Set passcode',
    who: 'owner',
    make: ofDrop('/passcode'),
    fill: { '#passcode': 'a-passcode' },
    wrong: { '#passcode': 'x' },
  },
  {
    route: '/drops/:slug/passcode',
    button: 'Remove passcode',
    who: 'owner',
    make: async (scene) => `/drops/${await lockedDrop(scene)}/passcode`,
  },
  {
    route: '/drops/:slug/context',
    button: 'Publish version 2',
    who: 'owner',
    make: ofDrop('/context'),
    fill: { '#context': 'How it was made' },
    wrong: { '#context': 'x'.repeat(65 * 1024) },
  },
  { route: '/drops/:slug/delete', button: 'Delete the drop', who: 'owner', make: ofDrop('/delete') },
  {
    route: '/drops/delete',
    button: 'Delete this drop',
    who: 'owner',
    make: ({ slug }) => `/drops/delete?drop=${slug}`,
  },
  {
    route: '/drops/:slug/v/:n/restore',
    button: 'Restore',
    who: 'owner',
    async make(scene) {
      await withSecondVersion(scene);
      return `/drops/${scene.slug}/v/1`;
    },
  },
  {
    route: '/drops/:slug/v/:n/delete',
    button: 'Delete version 1',
    who: 'owner',
    async make(scene) {
      await withSecondVersion(scene);
      return `/drops/${scene.slug}/v/1/delete`;
    },
  },
  {
    route: '/account/tokens',
    button: 'Create token',
    who: 'owner',
    make: () => '/account',
    fill: { '#label': 'A label' },
    wrong: { '#label': 'x'.repeat(101) },
  },
  {
    route: '/account/tokens/:id',
    button: 'Save',
    who: 'owner',
    make: tokenPath,
    fill: { '#label': 'A label' },
    wrong: { '#label': 'x'.repeat(101) },
  },
  { route: '/account/tokens/:id/revoke', button: 'Revoke token', who: 'owner', make: tokenPath },
  { route: '/account/sessions', button: 'Sign out of this browser', who: 'owner', make: () => '/account' },
  {
    route: '/account/export',
    button: 'Download everything',
    who: 'owner',
    make: () => '/account',
    isFile: true,
  },
  {
    route: '/account/delete',
    button: 'Delete the account and all drops',
    who: 'owner',
    make: () => '/account/delete',
    fill: ({ owner }) => ({ '[name=confirm]': owner.owner.name }),
    wrong: { '[name=confirm]': 'not my name' },
  },
];

async function tokenPath({ service, owner }: Scene): Promise<string> {
  const { tokens } = await service.services.tokens.list({ accountId: owner.owner.userId }, 1);
  return `/account/tokens/${tokens[0]?.id}`;
}

/** The forms of the pages for operators. */
const operatorForms: readonly FormRow[] = [
  {
    route: '/operators/find',
    button: 'Find',
    who: 'operator',
    make: () => '/operators/find',
    fill: { '#what': 'Something' },
    wrong: { '#what': 'x'.repeat(1_001) },
  },
  {
    route: '/operators/pages/:slug/inspect',
    button: 'Look',
    who: 'operator',
    make: ({ slug }) => `/operators/pages/${slug}`,
  },
  act('/operators/pages/:slug/takedown', 'Take down', ({ slug }) => `/operators/pages/${slug}/takedown`),
  act('/operators/pages/:slug/restore', 'Restore', async ({ service, slug }) => {
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'A reason' });
    return `/operators/pages/${slug}/restore`;
  }),
  act('/operators/pages/:slug/close-reports', 'Close all', async (scene) => {
    await withReport(scene);
    return `/operators/pages/${scene.slug}/close-reports`;
  }),
  act(
    '/operators/reports/:id/close',
    'Close report',
    async (scene) => `/operators/reports/${await withReport(scene)}/close`,
  ),
  act(
    '/operators/comments/:id/delete',
    'Delete',
    async (scene) => `/operators/comments/${await comment(scene)}/delete`,
  ),
  act(
    '/operators/accounts/:id/suspend',
    'Suspend',
    async (scene) => `/operators/accounts/${await otherAccount(scene)}/suspend`,
  ),
  act('/operators/accounts/:id/unsuspend', 'End the suspension', async (scene) => {
    const { service } = scene;
    const owner = await service.newOwner();
    await service.services.moderation.suspend(await service.accountOf(owner), { by: 'root', reason: null });
    return `/operators/accounts/${owner.userId}/unsuspend`;
  }),
  act(
    '/operators/accounts/:id/revoke-tokens',
    'Revoke and end all',
    async (scene) => `/operators/accounts/${await otherAccount(scene)}/revoke-tokens`,
  ),
];

export const formTable: readonly FormRow[] = [...forms, ...operatorForms];

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
