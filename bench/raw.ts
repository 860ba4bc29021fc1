// Raw pages of the service, of a bare node:http server and of nginx (if installed): requests a second, latency and CPU.
// Measures both engines if MONGODB_URI and REDIS_URL are set.
// usage: raw.js [seconds of each run, default 3 [rounds, default 5]]
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import { createPlainClient } from '../test/support/client.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { findGenerator, loadPage, type Measured, makePage } from './load.ts';
import { type Runner, type Sample, startBareHttp, startNginx } from './rivals.ts';
import { listEngines, publish, type Served } from './served.ts';
import { formatTable } from './table.ts';

const [, , seconds = '3', roundCount = '5'] = process.argv;
const secondsPerRun = Number(seconds);
const rounds = Number(roundCount);
/** As browsers send it. */
const acceptEncoding = { br: 'gzip, deflate, br, zstd', identity: 'identity' } as const;
const targets = { 'bare node:http': 0.8, nginx: 0.35 } as const;
const pages = { '30KB': makePage(30_000), '500KB': makePage(500_000) };

interface Case {
  readonly name: string;
  readonly sample: Sample;
}

interface Run extends Measured {
  /** Of the server, all threads, for each request. */
  readonly cpuUs: number;
}

const generator = findGenerator();
const dir = makeTempDir();
const services = await Promise.all(listEngines().map(({ serve }) => serve()));
const slugs = new Map<Served, Map<string, string>>();
for (const service of services) slugs.set(service, await publishAll(service));
const cases = await takeSamples();
const samples = cases.map(({ sample }) => sample);
const nginx = await startNginx(dir, samples);
const rivals = [await startBareHttp(dir, samples), ...(nginx ? [nginx] : [])];
const runners = [...rivals, ...services.map(runnerOf)];

const rows: string[][] = [];
for (const one of cases) rows.push(...(await measure(one)));
for (const { stop } of runners) await stop();
rmSync(dir, { recursive: true, force: true });
const head = ['', '', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'of bare (0.8)', 'of nginx (0.35)'];
process.stdout.write(`
50 connections by ${generator}, ${rounds} runs of ${secondsPerRun} s each in turn; medians, and medians of each round's ratio.
CPU: of the server, all threads, for each request.

${formatTable(head, rows)}
`);

/** The slug of each page, once it is rendered. */
async function publishAll(service: Served): Promise<Map<string, string>> {
  const published = new Map<string, string>();
  for (const [size, html] of Object.entries(pages)) published.set(size, await publish(service, html));
  await pause(3_000);
  return published;
}

async function takeSamples(): Promise<Case[]> {
  const [first] = services;
  const taken: Case[] = [];
  for (const [size, slug] of (first && slugs.get(first)) ?? []) {
    for (const encoding of ['br', 'identity'] as const) {
      const { bytes, headers } = await get(`${first?.url}/p/${slug}/raw`, encoding);
      taken.push({ name: `${size}, ${encoding}`, sample: { slug: size, encoding, bytes, headers } });
    }
  }
  return taken;
}

function runnerOf(service: Served): Runner {
  return {
    name: service.engine,
    urlOf: ({ slug }) => `${service.url}/p/${slugs.get(service)?.get(slug)}/raw`,
    cpuSeconds: service.cpuSeconds,
    stop: service.close,
  };
}

async function get(address: string, encoding: Sample['encoding']) {
  const url = new URL(address);
  const client = createPlainClient(url.origin);
  const answer = await client.get(url.pathname, { headers: { 'accept-encoding': acceptEncoding[encoding] } });
  client.close();
  return answer;
}

/** A page that was read is compressed again a minute later, so compressed bytes may differ. */
function decode(bytes: Buffer, { encoding }: Sample): Buffer {
  return encoding === 'br' ? brotliDecompressSync(bytes) : bytes;
}

/** In turn, so that other work of the machine affects all runners. */
async function measure(one: Case): Promise<string[][]> {
  process.stderr.write(`${one.name} …\n`);
  for (const runner of runners) {
    const { bytes } = await get(runner.urlOf(one.sample), one.sample.encoding);
    if (!decode(bytes, one.sample).equals(decode(one.sample.bytes, one.sample)))
      throw new Error(`${one.name}: ${runner.name} sends another page`);
    await run(runner, one, 1);
  }
  const runs = new Map<string, Run[]>(runners.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const runner of runners) runs.get(runner.name)?.push(await run(runner, one, secondsPerRun));
  }
  return [...runs].map(([name, mine], index) => rowOf(index === 0 ? one : null, name, mine, runs));
}

async function run(runner: Runner, { sample }: Case, seconds: number): Promise<Run> {
  const before = runner.cpuSeconds();
  const headers = { 'accept-encoding': acceptEncoding[sample.encoding] };
  const measured = await loadPage(generator, runner.urlOf(sample), headers, seconds);
  return { ...measured, cpuUs: ((runner.cpuSeconds() - before) / (measured.rate * seconds)) * 1e6 };
}

function rowOf(
  one: Case | null,
  name: string,
  mine: readonly Run[],
  all: ReadonlyMap<string, Run[]>,
): string[] {
  const ratios = Object.entries(targets).map(([rival, target]) => ratio(mine, all.get(rival), target));
  return [
    one === null ? '' : `${one.name} (${one.sample.bytes.length} bytes)`,
    name,
    middle(mine.map(({ rate }) => rate)).toFixed(0),
    middle(mine.map(({ p50 }) => p50)).toFixed(1),
    middle(mine.map(({ p99 }) => p99)).toFixed(1),
    middle(mine.map(({ cpuUs }) => cpuUs)).toFixed(0),
    ...(name in targets ? ['', ''] : ratios),
  ];
}

/** Of the rates, round by round. */
function ratio(mine: readonly Run[], theirs: readonly Run[] | undefined, target: number): string {
  if (theirs === undefined) return '';
  const value = middle(mine.map(({ rate }, round) => rate / (theirs[round]?.rate ?? Number.NaN)));
  return `${value.toFixed(2)} ${value >= target ? 'met' : 'MISSED'}`;
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
