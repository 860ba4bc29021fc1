// How long after its 201 a page's rendering is stored, at a steady rate of writes. Nobody reads the pages: that would
// render them at once. The store itself is asked, over a connection of its own. Both engines where MONGODB_URI and
// REDIS_URL are set.
// usage: render-lag.js [seconds of each run, 15 unless told [writes a second, 20 unless told [part of the names]]]
import { setTimeout as pause } from 'node:timers/promises';
import { rendererVersion } from '../shared/html/plan.ts';
import { type Client, createPlainClient } from '../test/support/client.ts';
import { makePage } from './page.ts';
import { listEngines, type Served } from './served.ts';
import { type OpenStores, versionIdOf } from './stores.ts';
import { formatTable } from './table.ts';

const [, , seconds = '15', rate = '20', part = ''] = process.argv;
const writesASecond = Number(rate);
const writes = Math.round(Number(seconds) * writesASecond);
const lookEveryMs = 10;
const givenUpAfterMs = 120_000;
const targetMs = 300;

interface Outcome {
  /** Milliseconds from the 201 to the look that found the rendering. */
  readonly lags: readonly number[];
  readonly postMs: readonly number[];
  /** Writes that were answered 503. */
  readonly refused: number;
  /** The most that were accepted and not rendered. */
  readonly backlog: number;
  /** From the last 201 until all were rendered. */
  readonly drainMs: number;
}

const rows: string[][] = [];
for (const { engine, serve } of listEngines()) {
  for (const [size, bytes] of [
    ['30 KB', 30_000],
    ['500 KB', 500_000],
  ] as const) {
    const name = `${engine}, ${size}`;
    if (!name.includes(part)) continue;
    process.stderr.write(`${name} …\n`);
    const served = await serve();
    const outcome = await measure(served, makePage(bytes)).finally(served.close);
    rows.push(rowOf(name, outcome, bytes === 30_000));
  }
}
const head = [
  '',
  'POST p50 ms',
  'p99',
  'stored after p50 ms',
  'p99',
  'max',
  '503s',
  'backlog',
  'drained after s',
  '',
];
process.stdout.write(
  `\n${writes} new drops, ${writesASecond} a second; looked for every ${lookEveryMs} ms.\n\n${formatTable(head, rows)}\n`,
);

/** @throws Error when a page is not rendered in time, or a write is answered what it should not be */
async function measure(served: Served, html: string): Promise<Outcome> {
  const stores = await served.openStores();
  return measureWith(served, stores, html).finally(stores.close);
}

async function measureWith({ url, token }: Served, stores: OpenStores, html: string): Promise<Outcome> {
  const client = createPlainClient(url);
  const pending = new Map<string, number>();
  const lags: number[] = [];
  const postMs: number[] = [];
  let refused = 0;
  let backlog = 0;
  let lastAt = 0;

  async function write(n: number): Promise<void> {
    const from = performance.now();
    const slug = await post(client, token, `${html}<!-- ${n} -->`);
    if (slug === null) {
      refused += 1;
      return;
    }
    lastAt = performance.now();
    postMs.push(lastAt - from);
    const acceptedAt = lastAt;
    pending.set(await versionIdOf(stores, slug), acceptedAt);
  }

  async function look(): Promise<void> {
    backlog = Math.max(backlog, pending.size);
    const rendered = await stores.renders.listRendered([...pending.keys()], rendererVersion);
    const now = performance.now();
    for (const id of rendered) {
      lags.push(now - (pending.get(id) ?? now));
      pending.delete(id);
    }
  }

  await write(-1); // the first of a process takes longer
  while (pending.size > 0) await look();
  lags.length = 0;
  postMs.length = 0;

  const started = performance.now();
  let isOver = false;
  const all = Promise.all(
    Array.from({ length: writes }, async (_, n) => {
      await pause((n * 1_000) / writesASecond);
      await write(n);
    }),
  ).finally(() => {
    isOver = true;
  });
  all.catch(() => undefined); // thrown below
  while (!isOver || pending.size > 0) {
    if (performance.now() - started > Number(seconds) * 1_000 + givenUpAfterMs)
      throw new Error(`${pending.size} pages are still not rendered`);
    await pause(lookEveryMs);
    if (pending.size > 0) await look();
  }
  await all;
  client.close();
  return { lags, postMs, refused, backlog, drainMs: performance.now() - lastAt };
}

/** @returns the slug; null: 503 */
async function post(client: Client, token: string, html: string): Promise<string | null> {
  const answer = await client.request('POST', '/api/drops', { token, body: { title: 'A page', html } });
  if (answer.status === 503) return null;
  if (answer.status !== 201)
    throw new Error(`a write was answered ${answer.status}: ${answer.text.slice(0, 200)}`);
  return answer.body.slug;
}

function rowOf(
  name: string,
  { lags, postMs, refused, backlog, drainMs }: Outcome,
  hasTarget: boolean,
): string[] {
  const p99 = percentile(lags, 0.99);
  const verdict = `p99 at most ${targetMs}: ${p99 <= targetMs ? 'met' : 'MISSED'}`;
  return [
    name,
    percentile(postMs, 0.5).toFixed(0),
    percentile(postMs, 0.99).toFixed(0),
    percentile(lags, 0.5).toFixed(0),
    p99.toFixed(0),
    Math.max(...lags).toFixed(0),
    String(refused),
    String(backlog),
    (drainMs / 1_000).toFixed(2),
    hasTarget ? verdict : '',
  ];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
