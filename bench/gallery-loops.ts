// The gallery of 30 pages, some of which loop for ever: how long until five and until all others near the window have been seen, at the
// first visit and at later ones of the same browser, how long none was to be seen afterwards, and what is called slow.
// usage: main.js --only gallery-loops [--loops 1] [--visits 3] [--stay SECONDS] (places in the list, from 1, by comma)
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type BrowserContext, chromium } from 'playwright-core';
import { createPlainClient } from '../test/support/client.ts';
import { harmfulPages } from '../test/support/gallery-pages.ts';
import { readOptions, say, tellMisses } from './harness.ts';
import { type Served, serve, signIn } from './served.ts';

const { values } = readOptions({ loops: '1', visits: '3', stay: '25' });
const pageCount = 30;
const enough = 5;
const limitsMs = { first: 12_000, later: 4_000 };
const loops = values.loops.split(',').map(Number);

/** Runs before the dashboard's own scripts. */
const observe = `if (top === self && location.pathname === '/drops') {
  window.seen = { titles: [], fiveAt: null, lastAt: 0, blankMs: 0, slow: [] };
  let looked = performance.now();
  setInterval(() => {
    const now = performance.now();
    const shown = [...document.querySelectorAll('.card:has(.thumbnail > .shown) h2')].map((title) => title.textContent);
    for (const title of shown)
      if (title !== 'Endless loop' && !seen.titles.includes(title)) {
        seen.titles.push(title);
        seen.lastAt = now;
      }
    if (seen.fiveAt === null && seen.titles.length >= ${enough}) seen.fiveAt = now;
    if (seen.fiveAt !== null && shown.length === 0) seen.blankMs += now - looked;
    looked = now;
    for (const title of document.querySelectorAll('.card:has([data-reason]) h2'))
      if (!seen.slow.includes(title.textContent)) seen.slow.push(title.textContent);
  }, 20);
}`;

interface Seen {
  readonly titles: readonly string[];
  readonly fiveAt: number | null;
  readonly lastAt: number;
  readonly blankMs: number;
  readonly slow: readonly string[];
}

const service: Served = await serve('embedded');
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await publishAll();
  const context = await openContext();
  const misses: string[] = [];
  for (let visit = 1; visit <= Number(values.visits); visit++) misses.push(...(await look(context, visit)));
  tellMisses(misses);
} finally {
  await browser.close();
  await service.close();
}

/** The first of the list is published last. */
async function publishAll(): Promise<void> {
  const client = createPlainClient(service.url);
  for (let place = pageCount; place > 0; place--) {
    const plain = {
      title: `Page ${place}`,
      html: `<!doctype html><title>${place}</title><h1>Page ${place}</h1>`,
    };
    const body = loops.includes(place) ? harmfulPages.loop : plain;
    await client.request('POST', '/api/drops', { token: service.token, body: { ...body } });
  }
  client.close();
}

async function openContext(): Promise<BrowserContext> {
  const [name = '', value = ''] = (await signIn(service, 'bench')).split('=');
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addCookies([{ name, value, url: service.url }]);
  await context.addInitScript(observe);
  return context;
}

/** A visit in a tab of its own. @returns the targets that it missed */
async function look(context: BrowserContext, visit: number): Promise<string[]> {
  const page = await context.newPage();
  await page.goto(`${service.url}/drops`);
  await pause(Number(values.stay) * 1_000);
  const { titles, fiveAt, lastAt, blankMs, slow } = await page.evaluate<Seen>('seen');
  await page.close();
  const five = fiveAt === null ? 'never' : `${fiveAt.toFixed(0)} ms`;
  say(
    `visit ${visit}: ${enough} others after ${five}, ${titles.length} after ${lastAt.toFixed(0)} ms, then ${blankMs.toFixed(0)} ms without any; called slow: ${slow.join(', ') || 'none'}; load ${loadavg()[0]?.toFixed(1)}`,
  );
  const limitMs = visit === 1 ? limitsMs.first : limitsMs.later;
  const isLate = fiveAt === null || fiveAt > limitMs;
  const neighbours = slow.filter((title) => title !== 'Endless loop');
  const late = isLate ? [`visit ${visit}: ${enough} others within ${limitMs} ms`] : [];
  return [...late, ...neighbours.map((title) => `visit ${visit}: ${title} is called slow`)];
}
