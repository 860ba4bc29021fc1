import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import { openDashboard } from '../support/dashboard.ts';
import type { useService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { signIn, type TestBrowser } from './browser.ts';

/** What the page says to the viewer. */
export interface Heard {
  readonly selection?: {
    readonly quote: string;
    readonly prefix: string;
    readonly suffix: string;
    readonly position: number;
    readonly at: Readonly<Record<'left' | 'top' | 'right' | 'bottom', number>>;
  } | null;
  readonly isUnquotable?: true;
  readonly found?: readonly number[];
  readonly shown?: number;
  readonly isHidden?: boolean;
  readonly pressed?: number;
  readonly write?: true;
}

/** A page in the viewer of its owner, and the channel between them. */
export interface FramedPage {
  readonly page: Page;
  readonly frame: Frame;
  /** What the viewer has heard since `say` or `forget`. */
  heard(): Promise<readonly Heard[]>;
  forget(): Promise<void>;
  /** Sends as the viewer does. */
  say(message: object): Promise<void>;
  /** The last such message. */
  hear(isIt: (message: Heard) => boolean, what: string): Promise<Heard>;
}

/** Keeps the channel of the viewer, and what comes through it. */
const listen = `{
  const property = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
  window.testChannel = { port: null, heard: [] };
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    ...property,
    set(run) {
      testChannel.port = this;
      property.set.call(this, (event) => {
        testChannel.heard.push(event.data);
        run.call(this, event);
      });
    },
  });
}`;

export async function openFramed(
  browser: TestBrowser,
  service: ReturnType<typeof useService>,
  html: string,
  options: BrowserContextOptions = {},
): Promise<FramedPage> {
  const dashboard = await openDashboard(service);
  const { slug } = await dashboard.owner.create({ html });
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, ...options });
  await context.addInitScript(listen);
  await signIn(context, dashboard, service.url);
  const page = await context.newPage();
  await page.goto(`${service.url}/p/${slug}`);
  const heard = () => page.evaluate<readonly Heard[]>('testChannel.heard');
  const forget = async () => {
    await page.evaluate('void testChannel.heard.splice(0)');
  };
  const framed: Omit<FramedPage, 'frame'> = {
    page,
    heard,
    forget,
    async say(message) {
      await forget();
      await page.evaluate(`testChannel.port.postMessage(${JSON.stringify(message)})`);
    },
    async hear(isIt, what) {
      let last: Heard | undefined;
      await until(async () => {
        last = (await heard()).findLast(isIt);
        return last !== undefined;
      }, what);
      return last as Heard; // proof: the line above
    },
  };
  await framed.hear(({ found }) => found !== undefined, 'the page has a channel');
  const frame = await (await page.waitForSelector('main iframe')).contentFrame();
  if (frame === null) throw new Error('the frame holds no page');
  await frame.waitForFunction("document.readyState === 'complete'");
  return { ...framed, frame };
}
