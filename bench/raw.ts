// Raw pages of the service in memory, beside a bare node:http server and nginx (if installed): requests a second, latency
// and CPU. Measures both engines if MONGODB_URI and REDIS_URL are set.
// usage: raw.js [seconds of each run, default 3 [rounds, default 5 [case: br or identity, default both]]]
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlainClient } from '../test/support/client.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { formatTable, quantile } from './harness.ts';
import { findGenerator, loadPage, type Measured, makePage } from './load.ts';
import { type Runner, type Sample, startBareHttp, startNginx } from './rivals.ts';
import { listEngines, publish } from './served.ts';

const [, , seconds = '3', roundCount = '5', onlyCase] = process.argv;
const secondsPerRun = Number(seconds);
const rounds = Number(roundCount);
/** As browsers send it. */
const acceptEncoding = { br: 'gzip, deflate, br, zstd', identity: 'identity' } as const;
/** The least share of another runner's rate, and the greatest multiple of its p99. */
const targets = [
  { of: 'bare, same headers', rate: 0.85, p99: 2 },
  { of: 'bare, 4 headers', rate: 0.65 },
  { of: 'nginx', rate: 0.35 },
  { of: 'embedded', rate: 0.8 },
];

interface Run extends Measured {
  /** CPU time of all threads of the server for each request. */
  readonly cpuUs: number;
}

const generator = findGenerator();
const dir = makeTempDir();
const services = await startServices();
const samples = await takeSamples();
const nginx = await startNginx(dir, samples);
const rivals = [...(await startBareHttp(dir, samples)), ...(nginx ? [nginx] : [])];
const runners = [...rivals, ...services];

const rows: string[][] = [];
for (const sample of samples) rows.push(...(await measure(sample)));
for (const { stop } of runners) await stop();
rmSync(dir, { recursive: true, force: true });
const head = ['30 KB', '', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', ...targets.map(({ of }) => `of ${of}`)];
process.stdout.write(`
50 connections by ${generator}, ${rounds} runs of ${secondsPerRun} s each in turn; medians, and medians of each round's ratio.
CPU: of the server, all threads, for each request.

${formatTable(head, rows)}
`);

/** Each with a rendered page. */
async function startServices(): Promise<Runner[]> {
  const started = await Promise.all(listEngines().map(({ serve }) => serve()));
  const page = makePage(30_000);
  const slugs = await Promise.all(started.map((service) => publish(service, page)));
  await pause(3_000);
  return started.map(({ engine, url, cpuSeconds, close }, index) => ({
    name: engine,
    cpuSeconds,
    stop: close,
    urlOf: () => `${url}/p/${slugs[index]}/raw`,
  }));
}

async function takeSamples(): Promise<Sample[]> {
  const encodings = (['br', 'identity'] as const).filter((name) => name === (onlyCase ?? name));
  return Promise.all(encodings.map((encoding) => get(services[0]?.urlOf({ encoding }) ?? '', encoding)));
}

async function get(address: string, encoding: Sample['encoding']): Promise<Sample> {
  const url = new URL(address);
  const client = createPlainClient(url.origin);
  const answer = await client.get(url.pathname, { headers: { 'accept-encoding': acceptEncoding[encoding] } });
  client.close();
  return { encoding, bytes: answer.bytes, headers: answer.headers };
}

/** In turn, so that other work of the machine affects all runners. */
async function measure(sample: Sample): Promise<string[][]> {
  process.stderr.write(`${sample.encoding} …\n`);
  for (const runner of runners) {
    const { bytes } = await get(runner.urlOf(sample), sample.encoding);
    if (!bytes.equals(sample.bytes)) throw new Error(`${sample.encoding}: ${runner.name} sends another page`);
    await run(runner, sample, 1);
  }
  const runs = new Map<string, Run[]>(runners.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const runner of runners) runs.get(runner.name)?.push(await run(runner, sample, secondsPerRun));
  }
  return [...runs].map(([name, mine], index) => [
    index === 0 ? `${sample.encoding} (${sample.bytes.length} bytes)` : '',
    ...rowOf(name, mine, runs),
  ]);
}

async function run(runner: Runner, sample: Sample, forSeconds: number): Promise<Run> {
  const before = runner.cpuSeconds();
  const headers = { 'accept-encoding': acceptEncoding[sample.encoding] };
  const measured = await loadPage(generator, runner.urlOf(sample), headers, forSeconds);
  return { ...measured, cpuUs: ((runner.cpuSeconds() - before) / (measured.rate * forSeconds)) * 1e6 };
}

function rowOf(name: string, mine: readonly Run[], all: ReadonlyMap<string, Run[]>): string[] {
  const isRival = rivals.some((rival) => rival.name === name);
  return [
    name,
    middle(mine.map(({ rate }) => rate)).toFixed(0),
    middle(mine.map(({ p50 }) => p50)).toFixed(1),
    middle(mine.map(({ p99 }) => p99)).toFixed(1),
    middle(mine.map(({ cpuUs }) => cpuUs)).toFixed(0),
    ...targets.map((target) =>
      isRival || target.of === name ? '' : compare(mine, all.get(target.of), target),
    ),
  ];
}

/** The ratio of the rates, and of p99 if it has a target, round by round. */
function compare(
  mine: readonly Run[],
  theirs: readonly Run[] | undefined,
  target: (typeof targets)[number],
): string {
  if (theirs === undefined) return '';
  const ratioOf = (field: 'rate' | 'p99') =>
    middle(mine.map((run, round) => run[field] / (theirs[round]?.[field] ?? Number.NaN)));
  const rate = ratioOf('rate');
  const p99 = ratioOf('p99');
  const isMet = rate >= target.rate && p99 <= (target.p99 ?? Number.POSITIVE_INFINITY);
  const latency = target.p99 === undefined ? '' : `, p99 ×${p99.toFixed(1)} of ${target.p99}`;
  return `${rate.toFixed(2)} of ${target.rate}${latency}: ${isMet ? 'met' : 'MISSED'}`;
}

function middle(values: readonly number[]): number {
  return quantile(values, 0.5);
}
