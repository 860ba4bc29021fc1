import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  firefox,
  type Page,
} from 'playwright-core';
import type { Dashboard } from '../support/dashboard.ts';
import { isLanding } from '../support/landing.ts';
import { requireProgram, skipTest } from '../support/programs.ts';
import { atRunEnd } from '../support/run-end.ts';
import { until } from '../support/until.ts';

const flags = [
  '--no-sandbox', // the machines of CI run tests as root
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Debian's Firefox, which playwright-core 1.64 drives by WebDriver BiDi: 1.65 asks for a command that Firefox ESR 153 lacks.
 */
const firefoxOptions = {
  channel: 'moz-firefox',
  firefoxUserPrefs: {
    'dom.events.testing.asyncClipboard': true, // scripts read the clipboard without a question
    'ui.primaryPointerCapabilities': 6, // a mouse, which machines of CI lack: fine, and hovers
    'ui.allPointerCapabilities': 6,
  },
};

/** For pages that have an origin: the driver sends no input to a frame in another process. */
const oneProcess = {
  ...firefoxOptions,
  firefoxUserPrefs: { ...firefoxOptions.firefoxUserPrefs, 'fission.webContentIsolationStrategy': 0 },
};

/** How long a step may take. Machines of CI run four browsers at once on two cores. */
const patienceMs = process.env.CI ? 90_000 : 30_000;

export type Engine = 'Chromium' | 'Firefox';

/** What the tests of a suite use of a browser. */
export interface TestBrowser {
  readonly engine: Engine;
  readonly newContext: Browser['newContext'];
  /** For flows that need no script: options of a context without scripts in Chromium, with them in Firefox. */
  readonly leastScripts: { readonly javaScriptEnabled: boolean };
  /** Ends the title of such a test. */
  readonly withLeastScripts: 'with scripts' | 'without scripts';
  /** Skips the test in Firefox, whose driver lacks it. */
  readonly needsChromium: (what: string) => void;
  /** The suite runs with CONTENT_ORIGIN, too: these are the settings of its service. */
  readonly hasContentOrigin: boolean;
  readonly settings: (port: number) => Readonly<Record<string, string>>;
}

export const widths = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } } as const;
export const schemes = ['light', 'dark'] as const;

/** The running browsers, by engine or flags. */
const running = new Map<string, Browser>();

// Suites share a browser: it takes long to start, and each context has an empty profile.
atRunEnd(async () => {
  for (const browser of running.values()) await browser.close();
  running.clear();
});

/** A suite that runs in several browsers. */
interface Subject {
  readonly title: string;
  /** Beside those that every suite has. */
  readonly chromiumFlags?: readonly string[];
  /** It runs in both again where each page has an origin of its own. */
  readonly withContentOrigin?: boolean;
}

/** Browsers find all names below localhost on this machine. */
const contentOrigin = (port: number) => ({ CONTENT_ORIGIN: `http://*.localhost:${port}` });

/** The suite in Chromium, and by `npm run test:all` again in Firefox. */
export function describeInBrowsers(subject: string | Subject, suite: (browser: TestBrowser) => void): void {
  const { title, chromiumFlags, withContentOrigin } =
    typeof subject === 'string' ? { title: subject } : subject;
  describe(`${title}, in Chromium`, () => suite(useBrowser(chromiumFlags)));
  if (isLanding) return;
  describe(`${title}, in Firefox`, () => suite(useBrowser([], 'Firefox')));
  if (!withContentOrigin) return;
  for (const engine of ['Chromium', 'Firefox'] as const)
    describe(`${title} with CONTENT_ORIGIN, in ${engine}`, () =>
      suite({
        ...useBrowser(chromiumFlags, engine, oneProcess),
        hasContentOrigin: true,
        settings: contentOrigin,
      }));
}

/**
 * A context has an empty profile and is closed after its test. Without the browser the suite is skipped; in CI it fails.
 * @param more flags of Chromium beside those that every suite has
 */
export function useBrowser(
  more: readonly string[] = [],
  engine: Engine = 'Chromium',
  ofFirefox = firefoxOptions,
): TestBrowser {
  let browser: Browser | undefined;
  let opened: readonly BrowserContext[] = [];
  let current: Mocha.Test | undefined;
  const contexts = () => browser?.contexts() ?? [];

  before(async function () {
    const program = requireProgram(this, engine === 'Chromium' ? 'chromium' : 'firefox-esr');
    browser = await launch(engine, program, [...flags, ...more], ofFirefox);
  });

  beforeEach(function () {
    current = this.currentTest;
    opened = contexts();
  });
  afterEach(async () => {
    for (const context of contexts()) if (!opened.includes(context)) await context.close();
  });
  after(async () => {
    for (const context of contexts()) await context.close();
  });

  const needsChromium = (what: string) => {
    if (engine !== 'Chromium' && current !== undefined) skipTest(current, `${what} need Chromium`);
  };

  return {
    engine,
    leastScripts: { javaScriptEnabled: engine !== 'Chromium' },
    withLeastScripts: engine === 'Chromium' ? 'without scripts' : 'with scripts',
    newContext: async ({ permissions, ...options } = {}) => {
      if (browser === undefined) throw new Error('the browser runs only while tests run');
      if (options.javaScriptEnabled === false) needsChromium('contexts without scripts');
      // Firefox has other names for them, and asks for none.
      const context = await browser.newContext(
        engine === 'Chromium' && permissions ? { ...options, permissions } : options,
      );
      context.setDefaultTimeout(patienceMs);
      return context;
    },
    needsChromium,
    hasContentOrigin: false,
    settings: () => ({}),
  };
}

/** The running browser with these flags, or a new one. */
async function launch(
  engine: Engine,
  executablePath: string,
  args: string[],
  ofFirefox: typeof firefoxOptions,
): Promise<Browser> {
  const key = engine === 'Chromium' ? args.join(' ') : JSON.stringify(ofFirefox);
  const known = running.get(key);
  if (known?.isConnected()) return known;
  const started =
    engine === 'Chromium'
      ? await chromium.launch({ executablePath, args })
      : await firefox.launch({ executablePath, ...ofFirefox });
  running.set(key, started);
  return started;
}

/** Gives the browser the session of a person who is signed in. @param url of the service */
export async function signIn(context: BrowserContext, { cookie }: Dashboard, url: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
}

/** A page of the dashboard in a new profile that is signed in, and its faults (`watchPage`). @param url of the service */
export async function openSignedIn(
  browser: { newContext: Browser['newContext'] },
  person: Dashboard,
  url: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext(options);
  await signIn(context, person, url);
  const page = await context.newPage();
  const { faults } = watchPage(page, url);
  await page.goto(url + path);
  return { page, faults };
}

/** The name of the element that has the focus, as a screen reader says it. */
const focusedName = `(({ activeElement: element }) => {
  const ids = element.getAttribute('aria-labelledby')?.split(' ');
  const parts = ids?.map((id) => document.getElementById(id)) ?? [element.labels?.[0] ?? element];
  return element.getAttribute('aria-label') ?? parts.map((part) => part.textContent.trim()).join(' ');
})(document)`;

/** Presses Tab until the focus is on an element whose name begins so. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 100; n++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>(focusedName)).startsWith(name)) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** Presses Tab until the focus is on that element, and Enter, which leads to another page. */
export async function follow(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** Collects errors in the console, exceptions, and requests to other hosts. */
export function watchPage(page: Page, ownUrl: string): { faults: string[] } {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`threw: ${error.message}`));
  page.on('console', (message) => {
    const { url } = message.location();
    if (message.type() === 'error' && !url.endsWith('/favicon.ico')) faults.push(`${url}: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(ownUrl))
      faults.push(`asked ${request.url()}`);
  });
  return { faults };
}

/** Saves a screenshot in the folder SCREENSHOTS, if that is set. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS: folder } = process.env;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Opens the address at each width, light and dark, and takes a screenshot of each. `look` can check the page. */
export async function photograph(
  browser: { newContext: Browser['newContext'] },
  name: string,
  url: string,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await (await browser.newContext()).newPage();
  for (const [width, size] of Object.entries(widths)) {
    for (const colorScheme of schemes) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.goto(url);
      await look(page);
      await takePicture(page, `${name}-${width}-${colorScheme}`);
    }
  }
}

/** Clicks Approve when the pointer has been over the button for 0.8 s: then nothing covers it. */
export async function clickApprove(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Approve' });
  await button.hover({ force: true }); // the cover over the button would fail the check of playwright
  const visibility = "getComputedStyle(document.querySelector('.guarded'), '::after').visibility";
  await until(async () => (await page.evaluate(visibility)) === 'hidden', 'the cover is gone');
  await button.click();
}

/** How many pixels the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
