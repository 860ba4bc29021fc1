// What metrics cost. First the time of counting one answer, beside a histogram of prom-client; then raw pages from memory,
// answered by two listeners of one process in turn, without and with metrics: CPU for each request. Two listeners without
// metrics tell how exact that is. Needs wrk: the load must come from another process.
// usage: metrics.js [pairs of runs of a second, default 30]
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Histogram, Registry } from 'prom-client';
import { createListener } from '../api/server/listener.ts';
import { createRequestMetrics } from '../shared/adapters/prometheus/request-metrics.ts';
import { readConfig } from '../shared/config/config.ts';
import { openServices, type Services } from '../shared/open-services.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { loadPage, makePage } from './load.ts';
import { formatTable } from './table.ts';

const nothing = () => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const pairs = Number(process.argv[2] ?? 30);

process.stdout.write(`${formatTable(['one answer', 'ns'], measureCounting())}\n\n`);
process.stdout.write(`${await measureListeners()}\n`);

/** Nanoseconds of one answer, the two readings of the clock included. */
function measureCounting(): string[][] {
  const counter = createRequestMetrics(new Registry()).route('GET', '/p/:slug/raw');
  const labelNames = ['method', 'route'] as const;
  const histogram = new Histogram({ name: 'h', help: 'h', labelNames, registers: [new Registry()] });
  const child = histogram.labels('GET', '/p/{slug}/raw');
  const labels = { method: 'GET', route: '/p/{slug}/raw' };
  const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1_000;
  const ways: Record<string, (startedAt: number) => void> = {
    'the clock alone': (startedAt) => void secondsSince(startedAt),
    RouteCounter: (startedAt) => counter.answered(200, secondsSince(startedAt)),
    'prom-client, child made before': (startedAt) => child.observe(secondsSince(startedAt)),
    'prom-client, labels each time': (startedAt) => histogram.observe(labels, secondsSince(startedAt)),
  };
  return Object.entries(ways).map(([name, count]) => {
    const times = Array.from({ length: 7 }, () => time(count));
    return [name, quantile(times, 0.5).toFixed(0)];
  });
}

function time(count: (startedAt: number) => void): number {
  const times = 1_000_000;
  const begunAt = performance.now();
  for (let n = 0; n < times; n++) count(performance.now());
  return ((performance.now() - begunAt) / times) * 1e6;
}

async function measureListeners(): Promise<string> {
  const dataDir = makeTempDir();
  const config = readConfig({ DATA_DIR: dataDir, METRICS_PORT: '0', LOG_RAW_SAMPLE: '0' });
  const services = await openServices(config, { log: silent });
  const withMetrics = await listen(services);
  const without = await listen({ ...services, metrics: null });
  const same = await listen({ ...services, metrics: null });
  const slug = await publish(services, withMetrics.url);
  const rows = [
    await compare('metrics', withMetrics, without, slug),
    await compare('nothing (exactness)', same, without, slug),
  ];
  for (const { close } of [withMetrics, without, same]) close();
  await services.close();
  rmSync(dataDir, { recursive: true });
  const head = ['CPU µs of a raw page', 'without', 'with', 'median difference', 'quartiles'];
  return formatTable(head, rows);
}

async function publish({ signIns, tokens }: Services, url: string): Promise<string> {
  const account = await signIns.signInWith({ provider: 'local', subject: 'bench', name: 'bench' });
  const headers = {
    authorization: `Bearer ${await tokens.mint(account.id, null)}`,
    'content-type': 'text/html',
  };
  const answer = await fetch(`${url}/api/drops?title=A`, { method: 'POST', headers, body: makePage(30_000) });
  return ((await answer.json()) as { slug: string }).slug; // proof: the answer to a POST of a drop
}

interface Listening {
  readonly url: string;
  close(): void;
}

async function listen(services: Services): Promise<Listening> {
  const server = createServer(createListener(services));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // proof: it listens on a port
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function compare(name: string, one: Listening, other: Listening, slug: string): Promise<string[]> {
  process.stderr.write(`${name} …\n`);
  const cpu = { with: [] as number[], without: [] as number[], difference: [] as number[] };
  for (let pair = -2; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? [one, other] : [other, one];
    const measured = new Map<Listening, number>();
    for (const listening of order) measured.set(listening, await cpuOfPage(`${listening.url}/p/${slug}/raw`));
    if (pair < 0) continue; // warms up
    const [mine, theirs] = [measured.get(one) ?? Number.NaN, measured.get(other) ?? Number.NaN];
    cpu.with.push(mine);
    cpu.without.push(theirs);
    cpu.difference.push(mine - theirs);
  }
  return [
    name,
    quantile(cpu.without, 0.5).toFixed(2),
    quantile(cpu.with, 0.5).toFixed(2),
    quantile(cpu.difference, 0.5).toFixed(2),
    `${quantile(cpu.difference, 0.25).toFixed(2)} to ${quantile(cpu.difference, 0.75).toFixed(2)}`,
  ];
}

/** Of this process, all threads, in microseconds. */
async function cpuOfPage(url: string): Promise<number> {
  await pause(20);
  const before = process.cpuUsage();
  const { rate } = await loadPage('wrk', url, { 'accept-encoding': 'gzip, deflate, br, zstd' }, 1);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / rate;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
