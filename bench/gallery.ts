// The gallery of 48 varied pages in Chromium: time until eight are shown, long tasks of the dashboard, processor and memory of
// all renderers, and frames a second while scrolling with a processor that is four times as slow. With pages that harm
// (--harmful) and with origins of their own (--own-origins).
// usage: main.js --only gallery [--harmful] [--own-origins]
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { createPlainClient } from '../test/support/client.ts';
import { galleryPages } from '../test/support/gallery-pages.ts';
import { readOptions, say, tellMisses } from './harness.ts';
import { type Served, serve, signIn } from './served.ts';

const { values } = readOptions({ harmful: false, 'own-origins': false });
const pageCount = 48;
const observedMs = 5_000;
const targetFps = 50;

/** Runs before the dashboard's own scripts. */
const observe = `if (top === self && location.pathname === '/drops') {
  window.seen = { longTasks: [], eight: null, frames: 0 };
  new PerformanceObserver((list) => seen.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
  (function look() {
    seen.frames++;
    if (seen.eight === null && document.querySelectorAll('.thumbnail > .shown').length >= 8) seen.eight = performance.now();
    requestAnimationFrame(look);
  })();
}`;

interface Seen {
  readonly longTasks: readonly number[];
  readonly eight: number | null;
  readonly frames: number;
}

const gateway = createServer((socket) => {
  const onward = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.pipe(onward).pipe(socket);
  for (const side of [socket, onward]) side.on('error', () => [socket, onward].map((one) => one.destroy()));
});
await new Promise<void>((resolve) => gateway.listen(0, 'localhost', resolve));
const { port } = gateway.address() as AddressInfo; // proof: it listens on a port
const own = values['own-origins'] ? { CONTENT_ORIGIN: `http://*.drops.localhost:${port}` } : {};
const service: Served = await serve('embedded', own);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-features=HttpsUpgrades'],
});
try {
  await publishAll();
  await measure(await openGallery(browser));
} finally {
  await browser.close();
  await service.close();
  gateway.close();
}

/** The first of the list is published last. */
async function publishAll(): Promise<void> {
  const all = galleryPages(values.harmful ? pageCount : 2 * pageCount);
  const pages = values.harmful ? all : all.filter((_, n) => n % 4 !== 3).slice(0, pageCount);
  const client = createPlainClient(service.url);
  for (const body of pages.toReversed())
    await client.request('POST', '/api/drops', { token: service.token, body: { ...body } });
  client.close();
  await pause(observedMs); // until the renders are made
}

async function openGallery(from: Browser): Promise<Page> {
  const [name = '', value = ''] = (await signIn(service, 'bench')).split('=');
  const context = await from.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addCookies([{ name, value, url: service.url }]);
  await context.addInitScript(observe);
  const page = await context.newPage();
  await page.goto(`${service.url}/drops`);
  return page;
}

async function measure(page: Page): Promise<void> {
  const all = await browser.newBrowserCDPSession();
  const read = () => page.evaluate<Seen>('seen');
  const since = performance.now();
  while ((await read()).eight === null && performance.now() - since < 60_000) await pause(100);
  const { eight } = await read();
  say(`eight pages are shown after ${eight === null ? 'more than a minute' : `${eight.toFixed(0)} ms`}`);
  await pause(observedMs);
  const before = await renderers(all);
  await pause(observedMs);
  const after = await renderers(all);
  const cpu = ((after.cpu - before.cpu) / (observedMs / 1_000)) * 100;
  const mib = after.pids.map(memoryMib).reduce((sum, each) => sum + each, 0);
  const frames = await page.locator('.thumbnail > iframe').count();
  say(
    `${frames} frames: ${after.pids.length} renderers, ${mib.toFixed(0)} MiB, ${cpu.toFixed(0)} % of a core`,
  );
  const { longTasks } = await read();
  say(
    `long tasks of the dashboard: ${longTasks.length}, the longest ${Math.max(0, ...longTasks).toFixed(0)} ms`,
  );
  const fps = await scrollFps(page);
  await page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
  await page.reload();
  const without = await scrollFps(page);
  say(
    `frames a second while scrolling, 4 times slower: ${fps.toFixed(0)}, without pages ${without.toFixed(0)}`,
  );
  tellMisses(fps < targetFps ? [`at least ${targetFps} frames a second`] : []);
}

async function scrollFps(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  const frames = async () => (await page.evaluate<Seen>('seen')).frames;
  await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const begun = performance.now();
  const before = await frames();
  for (const yDistance of [-4_000, 4_000])
    await client.send('Input.synthesizeScrollGesture', { x: 700, y: 500, yDistance, speed: 800 });
  const fps = ((await frames()) - before) / ((performance.now() - begun) / 1_000);
  await client.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await client.detach();
  return fps;
}

/** Processor time in seconds. */
async function renderers(session: CDPSession): Promise<{ pids: number[]; cpu: number }> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const own = processInfo.filter(({ type }) => type === 'renderer');
  return { pids: own.map(({ id }) => id), cpu: own.reduce((sum, { cpuTime }) => sum + cpuTime, 0) };
}

/** Shared pages are counted in part. */
function memoryMib(pid: number): number {
  const [, kib] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kib) / 1_024;
}
