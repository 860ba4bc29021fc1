import { expect } from 'chai';
import type { Locator, Page, Route } from 'playwright-core';
import { type Dashboard, openDashboard, openOperator } from '../support/dashboard.ts';
import { routesOf } from '../support/description.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { describeInBrowsers, overflowOf, schemes, signIn, takePicture, useBrowser } from './browser.ts';
import { type FormRow, formTable, isInTable, newScene, openForm, type Scene } from './form-table.ts';

/** What can come in place of an answer of the service. */
const faults: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  'no network': (route) => route.abort(),
  'a 503': (route) => route.fulfill({ status: 503, contentType: 'text/plain', body: 'Busy' }),
  'a page of something else': (route) =>
    route.fulfill({
      status: 200,
      contentType: 'text/html',
      body: '<main><form>Please sign in to this network',
    }),
};

const titleOf = ({ route, button, wrong = {} }: FormRow) =>
  [route, button, Object.keys(wrong)[0]].filter(Boolean).join(' ');

describeInBrowsers('A form', (browser) => {
  const service = useService({ ...noLimits, TRUST_PROXY: '1' });
  let operator: Dashboard;
  before(async () => {
    operator = await openOperator(service);
  });

  async function open(row: FormRow) {
    const scene = await newScene(service, operator, row.who);
    const page = await openForm(await browser.newContext(), scene, row);
    return { scene, page, form: new OpenForm(page, row, scene) };
  }

  for (const row of formTable.filter(({ isFile }) => !isFile)) {
    it(`${titleOf(row)} keeps what was typed, and is sent by another press`, async () => {
      const { scene, page, form } = await open(row);
      expect(await form.unknown()).to.deep.equal([]);
      await form.fill();
      const before = await form.state();
      for (const [name, act] of Object.entries(faults)) {
        await page.route('**/*', (route) => (isPost(route) ? act(route) : route.continue()));
        await form.press();
        await page.getByText(/Nothing here is lost|connection was lost|answered 503|answered 200/).waitFor();
        expect(await form.state(), name).to.deep.equal(before);
        await page.unroute('**/*');
      }
      const isEnded = row.who !== 'nobody' && !row.endsWithSession;
      if (isEnded) await endAndRenew(page, form, scene, before);
      const sent = watchPosts(page);
      await form.pressTwice();
      // The first answer says that the form is of the session before.
      const expected = isEnded ? 2 : 1;
      await until(async () => sent.answers.length >= expected, 'it was answered');
      expect(sent.answers.at(-1)).to.be.oneOf(row.who === 'nobody' ? [200, 204, 403, 404] : [200, 201, 204]);
      expect(sent.count).to.equal(expected);
      // A browser that is about to load the next page can take minutes to close this one.
      if (sent.answers.at(-1) === 204) await until(() => sent.loads > 0, 'the page is left');
    });
  }

  /** Without a session nothing is lost; with the next one the form is sent. */
  async function endAndRenew(page: Page, form: OpenForm, { owner }: Scene, before: object): Promise<void> {
    await page.context().clearCookies();
    await form.press();
    const link = page.getByRole('link', { name: /sign in in a new tab/i });
    await link.waitFor();
    expect(await link.getAttribute('target')).to.equal('_blank');
    expect(await form.state(), 'an ended session').to.deep.equal(before);
    await signIn(page.context(), await openDashboard(service, owner.owner), service.url);
  }

  for (const row of formTable.filter(({ wrong }) => wrong !== undefined)) {
    it(`${titleOf(row)} that is refused stays in its place of the history`, async () => {
      const { page, form } = await open(row);
      await form.fill(row.wrong);
      const { address, entries } = await form.state();
      await form.press();
      await page.getByRole('alert').first().waitFor();
      await until(() => page.evaluate<boolean>(focusIsOnFault), 'the focus is where the error is');
      const refused = await form.state();
      expect([refused.address, refused.entries]).to.deep.equal([address, entries]);
      const sent = watchPosts(page);
      await page.goBack();
      expect(page.url()).to.not.equal(address);
      await page.goForward();
      expect(page.url()).to.equal(address);
      await form.isThere();
      await page.reload();
      await form.isThere();
      expect(sent.count, 'nothing is sent again').to.equal(0);
    });
  }
});

describe('What stands beside the button of a form that was not sent, in Chromium', () => {
  const browser = useBrowser();
  const service = useService(noLimits);

  /** One of each layout. */
  const shown = [
    '/drops/:slug/edit',
    '/p/:slug',
    '/sign-out',
    '/p/:slug/comments',
    '/drops/:slug/v/:n/restore',
  ];

  it('fits each width, light and dark, and the button keeps the focus', async () => {
    for (const route of shown) {
      const row = formTable.find((each) => each.route === route);
      if (row === undefined) throw new Error(`there is no ${route}`);
      const scene = await newScene(service, await openDashboard(service), row.who);
      const page = await openForm(await browser.newContext(), scene, row);
      const form = new OpenForm(page, row, scene);
      await form.fill();
      await page.route('**/*', (to) => (isPost(to) ? to.abort() : to.continue()));
      await form.press();
      await page.getByRole('alert').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).to.equal(
        await form.button().textContent(),
      );
      for (const width of [360, 768, 1_440])
        for (const colorScheme of schemes) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          await takePicture(page, `notice-${route.replaceAll(/\W/g, '')}-${width}-${colorScheme}`);
          expect(await overflowOf(page), `${route} ${width}`).to.equal(0);
        }
    }
  });

  it('says that the service did not answer in time, and the next press is answered', async () => {
    const row = formTable.find(({ route }) => route === '/drops/:slug/edit');
    if (row === undefined) throw new Error('there is no such form');
    const scene = await newScene(service, await openDashboard(service), row.who);
    const context = await browser.newContext();
    await context.clock.install();
    const page = await openForm(context, scene, row);
    const form = new OpenForm(page, row, scene);
    await form.fill();
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await page.route('**/*', (to) => (isPost(to) ? undefined : to.continue()));
    await form.press();
    await asked;
    await page.clock.fastForward(60_000);
    await page.getByRole('alert').filter({ hasText: 'did not answer in time' }).waitFor();
    await page.unroute('**/*');
    await form.press();
    await page.waitForURL(/\/drops\/[^/]+$/);
  });

  for (const [route, heading] of [
    ['/report/:slug', 'Report sent'],
    ['/account/delete', 'Your account is deleted'],
  ] as const) {
    it(`${route}: once it is accepted, the answer takes the place of the page, though it has no form`, async () => {
      const row = formTable.find((each) => each.route === route);
      if (row === undefined) throw new Error('there is no such form');
      const scene = await newScene(service, await openDashboard(service), row.who);
      const page = await openForm(await browser.newContext(), scene, row);
      const form = new OpenForm(page, row, scene);
      await form.fill();
      await form.press();
      await page.getByRole('heading', { name: heading }).waitFor();
      expect(await page.locator('main form').count()).to.equal(0);
    });
  }

  it('keeps what is typed into a comment when another form of the page is sent, or refused', async () => {
    const row = formTable.find(({ route, button }) => route === '/p/:slug/comments' && button === 'Resolve');
    if (row === undefined) throw new Error('there is no such form');
    const scene = await newScene(service, await openDashboard(service), row.who);
    const page = await openForm(await browser.newContext(), scene, row);
    const typed = page.locator('.new-comment textarea');
    await typed.fill('Half a sentence');
    await page.locator('details').evaluateAll((all) => {
      for (const each of all) each.setAttribute('open', '');
    });
    const edit = page.locator('form').filter({ has: page.getByLabel('New text') });
    await edit.getByLabel('New text').evaluate((element) => element.removeAttribute('maxlength'));
    await edit.getByLabel('New text').fill('x'.repeat(5_001));
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').first().waitFor();
    expect(await typed.inputValue()).to.equal('Half a sentence');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.locator('.thread').waitFor({ state: 'detached' }); // it is in another list now
    expect(await typed.inputValue()).to.equal('Half a sentence');
  });
});

describe('The table of forms', () => {
  const service = useService({ ...noLimits, TRUST_PROXY: '1' });

  it('has each route of a form', async () => {
    await openOperator(service);
    const posts = routesOf(service.services).routes.filter(
      ({ method, path, access }) => method === 'POST' && access === 'open' && !/^\/(api|mcp)\b/.test(path),
    );
    const routes = formTable.map(({ route }) => route);
    expect([...new Set(routes)].sort()).to.deep.equal(posts.map(({ path }) => path).sort());
  });
});

/** A form on its page. */
class OpenForm {
  readonly #page: Page;
  readonly #row: FormRow;
  readonly #form: Locator;
  readonly #scene: Scene;

  constructor(page: Page, row: FormRow, scene: Scene) {
    this.#page = page;
    this.#row = row;
    this.#form = page.locator(row.form ?? 'form');
    this.#scene = scene;
  }

  async fill(wrong: FormRow['wrong'] = {}): Promise<void> {
    const { fill = {} } = this.#row;
    const fields = { ...(typeof fill === 'function' ? fill(this.#scene) : fill), ...wrong };
    for (const [selector, value] of Object.entries(fields)) {
      const field = this.#form.locator(selector).first();
      // The page's own limits would keep the browser from sending it.
      await field.evaluate((element) => {
        for (const name of ['maxlength', 'required']) element.removeAttribute(name);
      });
      if (value === 'on') await field.check();
      else await field.fill(value);
    }
  }

  button(): Locator {
    return this.#form.getByRole('button', { name: new RegExp(`^${this.#row.button}`) }).first();
  }

  /** The forms of the page that the table does not have. */
  async unknown(): Promise<string[]> {
    const forms = await this.#page.evaluate<[path: string, name: string][][]>(buttonsOfForms);
    const isKnown = (buttons: [string, string][]) => buttons.some(([path, name]) => isInTable(path, name));
    return forms
      .filter((buttons) => buttons.length > 0 && !isKnown(buttons))
      .map((buttons) => buttons.join(' '));
  }

  async isThere(): Promise<void> {
    await this.#form.first().waitFor({ state: 'attached' });
  }

  async press(): Promise<void> {
    await this.button().click();
  }

  async pressTwice(): Promise<void> {
    await this.button().dblclick();
  }

  /** What must not change. */
  state(): Promise<{ address: string; entries: number; fields: string }> {
    return this.#page.evaluate(`({
      address: location.href,
      entries: history.length,
      fields: JSON.stringify([...document.querySelectorAll('main :is(input:not([type=hidden]), textarea, select)')]
        .map(({ value, checked }) => [value, checked])),
    })`);
  }
}

/** Of each form that is posted, where each of its buttons leads, and its name. */
const buttonsOfForms = `[...document.querySelectorAll('form[method=post]')].map((form) =>
  [...form.querySelectorAll('button:not([type=button])')].map((button) =>
    [
      new URL(button.getAttribute('formaction') ?? form.getAttribute('action') ?? '', location.href).pathname,
      button.ariaLabel ?? button.textContent.trim(),
    ]))`;

const focusIsOnFault = `document.activeElement.matches('[aria-invalid=true], [autofocus], [role=alert]')`;

const isPost = (route: Route) => route.request().method() === 'POST';

/** The forms that are sent from now on, the statuses of the answers, and how many pages were loaded. */
function watchPosts(page: Page): { count: number; answers: number[]; loads: number } {
  const seen = { count: 0, answers: [] as number[], loads: 0 };
  page.on('load', () => {
    seen.loads++;
  });
  page.on('request', (request) => {
    if (request.method() === 'POST') seen.count++;
  });
  page.on('response', (response) => {
    if (response.request().method() === 'POST') seen.answers.push(response.status());
  });
  return seen;
}
