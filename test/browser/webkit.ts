import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { findDeadUrl } from '../support/listen.ts';
import { findProgram, skipBecause } from '../support/programs.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

/** A window of WebKit. Its calls wait for what they name, in the page or in the frame of `inFrame`. */
export interface WebKitWindow {
  go(url: string): Promise<void>;
  /** Runs the body of a function in the page. */
  run<T>(body: string): Promise<T>;
  /** Waits until an expression is true. */
  waitFor(expression: string): Promise<void>;
  /** Clicks as a person does on the button or link with this text or label. */
  click(name: string): Promise<void>;
  /** Types into the field with this label. */
  type(label: string, text: string): Promise<void>;
  /** Presses a key wherever the focus is. @param key its code in WebDriver */
  press(key: string): Promise<void>;
  /** What the calls do until its end, they do in the page's first frame. */
  inFrame(act: () => Promise<void>): Promise<void>;
  /** The calls after it are about the window that the page has opened. */
  toNewWindow(): Promise<void>;
}

/**
 * Debian's WebKitGTK in its MiniBrowser, by WebDriver: playwright-core drives only a WebKit of its own, and
 * selenium-webdriver asks for a later Node than we do. Without WebKit the suite is skipped, in CI, too.
 */
export function useWebKit(): {
  /** One for each test, with an empty profile. */
  open(): Promise<WebKitWindow>;
  /** The names of the files that were saved. */
  saved(): readonly string[];
} {
  const home = makeTempDir();
  let url = '';
  let end: () => unknown = () => undefined;
  let session = '';

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { method, ...sent });
    const { value } = (await response.json()) as { value: T }; // the test fails if it is not what WebDriver says
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  }
  const post = <T>(path: string, body: object = {}) => call<T>('POST', session + path, body);
  const run: WebKitWindow['run'] = (script) => post('/execute/sync', { script, args: [] });

  /** Tries until it succeeds: while a page takes the place of another, elements come, go and cannot be reached. */
  async function retry(what: string, act: () => Promise<unknown>): Promise<void> {
    let reason: unknown;
    const succeeds = async () => {
      try {
        await act();
        return true;
      } catch (error) {
        reason = error;
        return false;
      }
    };
    await until(succeeds, what).catch(({ message }: Error) => {
      throw new Error(message, { cause: reason });
    });
  }

  const find = (value: string) => post<object>('/element', { using: 'xpath', value });
  const actOn = (what: string, xpath: string, act: string, body?: object) =>
    retry(what, async () => {
      const [id] = Object.values(await find(xpath));
      await post(`/element/${id}/${act}`, body);
    });

  const window: WebKitWindow = {
    go: (address) => post('/url', { url: address }),
    run,
    waitFor: (expression) =>
      retry(expression, async () => {
        if (!(await run(`return ${expression}`))) throw new Error('It is false');
      }),
    click: (name) =>
      actOn(
        `click ${name}`,
        `//*[self::a or self::button][normalize-space()='${name}' or @aria-label='${name}']`,
        'click',
      ),
    type: (label, text) =>
      actOn(`type ${label}`, `//*[@id=//label[normalize-space()='${label}']/@for]`, 'value', { text }),
    press: (value) => {
      const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value }));
      return post('/actions', { actions: [{ type: 'key', id: 'keys', actions }] });
    },
    async inFrame(act) {
      await retry('the frame', async () => post('/frame', { id: await find('//iframe') }));
      await act();
      await post('/frame', { id: null });
    },
    toNewWindow: () =>
      retry('the new window', async () => {
        const current = await call<string>('GET', `${session}/window`);
        const handles = await call<string[]>('GET', `${session}/window/handles`);
        const handle = handles.find((each) => each !== current);
        if (handle === undefined) throw new Error('There is none');
        await post('/window', { handle });
      }),
  };

  before(async function () {
    const driver = findProgram('WebKitWebDriver');
    const display = findProgram('xvfb-run');
    if (driver === null || display === null || findProgram('xauth') === null)
      return skipBecause(this, 'WebKit needs the packages webkit2gtk-driver, xvfb and xauth');
    url = await findDeadUrl();
    const child = spawn(display, ['-a', driver, `--port=${new URL(url).port}`], {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        TMPDIR: home,
        WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', // root has no user namespaces; the pages are the tests' own
      },
      detached: true, // a group of its own: xvfb-run passes on no signal
      stdio: 'ignore',
    });
    end = () => child.pid !== undefined && process.kill(-child.pid);
    await retry('WebKitWebDriver answers', () => call('GET', '/status'));
  });
  afterEach(async () => {
    if (session !== '') await call('DELETE', session);
    session = '';
  });
  after(() => end());

  return {
    async open() {
      const { sessionId } = await call<{ sessionId: string }>('POST', '/session', { capabilities: {} });
      session = `/session/${sessionId}`;
      return window;
    },
    saved: () => readdirSync(home),
  };
}
