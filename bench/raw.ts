// What raw pages cost beside the least that node:http can do, and beside nginx, in one run on the same cores. Both
// engines where MONGODB_URI and REDIS_URL are set; nginx where there is one.
// usage: raw.js [seconds of each run, 3 unless told [rounds, 5 unless told]]
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dropleaf } from '../test/bin/command.ts';
import { makeData } from '../test/bin/home.ts';
import { makeChartReport } from '../test/browser/chart-report.ts';
import { createPlainClient } from '../test/support/client.ts';
import { openCluster } from '../test/support/cluster.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { findGenerator, loadPage, type Measured } from './load.ts';
import { makePage } from './page.ts';
import { cpuSeconds, startService } from './processes.ts';
import { type Sample, startBare, startNginx } from './rivals.ts';
import { openEmbeddedStores, openScaleOutStores, settlePage } from './stores.ts';
import { formatTable } from './table.ts';

const [, , seconds = '3', roundCount = '5'] = process.argv;
const secondsPerRun = Number(seconds);
const rounds = Number(roundCount);

const forms = {
  br: { 'accept-encoding': 'gzip, deflate, br, zstd' }, // as browsers say it
  identity: { 'accept-encoding': 'identity' },
} as const;

const targets = { bare: 0.8, nginx: 0.35, wire: 0.3 };

/** One who answers a case. */
interface Runner {
  readonly name: string;
  urlOf(sample: Sample): string;
  cpuSeconds(): number;
  stop(): Promise<void>;
}

interface Case {
  readonly name: string;
  readonly html: string;
  readonly sample: Sample;
}

interface Run extends Measured {
  /** Of the server, all threads. */
  readonly cpuUs: number;
}

const generator = findGenerator();
const dir = makeTempDir();
const embedded = await openEmbedded();
const cases: Case[] = [];
for (const [size, html] of [
  ['30 KB', makePage(30_000)],
  ['500 KB', makePage(500_000)],
] as const) {
  const slug = await embedded.publish(html);
  for (const form of ['br', 'identity'] as const)
    cases.push({ name: `${size}, ${form}`, html, sample: await takeSample(slug, form) });
}
const chart = makeChartReport();
const wire = await countWire(embedded.url, `/p/${await embedded.publish(chart)}/raw`);
const wireAtFirst = await countWire(embedded.url, `/p/${await publish(embedded, chart)}/raw`);
const runners = await openRunners();

const rows: string[][] = [];
for (const one of cases) rows.push(...(await measure(one)));
for (const { stop } of runners) await stop();
rmSync(dir, { recursive: true, force: true });
print();

async function openEmbedded() {
  const dataDir = makeTempDir();
  await makeData(dataDir);
  const token = (await dropleaf(['token', '--user', 'bench'], { DATA_DIR: dataDir })).stdout.trim();
  const service = { ...(await startService({ DATA_DIR: dataDir })), token };
  const publishAndSettle = async (html: string) => {
    const slug = await publish(service, html);
    const stores = openEmbeddedStores(dataDir);
    await settlePage(stores, slug).finally(stores.close);
    return slug;
  };
  return { ...service, publish: publishAndSettle };
}

/** @returns the slug */
async function publish({ url, token }: { url: string; token: string }, html: string): Promise<string> {
  const client = createPlainClient(url);
  const body = { title: 'A page to measure with', html };
  const answer = await client.request('POST', '/api/drops', { token, body });
  client.close();
  if (answer.status !== 201) throw new Error(`${url} took no page: ${answer.text}`);
  return answer.body.slug;
}

async function takeSample(slug: string, form: Sample['form']): Promise<Sample> {
  const client = createPlainClient(embedded.url);
  const { bytes, headers } = await client.get(`/p/${slug}/raw`, { headers: forms[form] });
  client.close();
  if ((headers['content-encoding'] ?? 'identity') !== form) throw new Error(`no ${form} came`);
  return { slug, form, bytes, headers };
}

async function openRunners(): Promise<Runner[]> {
  const samples = cases.map(({ sample }) => sample);
  const bare = await startBare(dir, samples);
  const nginx = await startNginx(dir, samples);
  return [
    { ...bare, name: 'bare node:http' },
    ...(nginx === null ? [] : [{ ...nginx, name: 'nginx' }]),
    { ...embedded, name: 'embedded', urlOf: ({ slug }) => `${embedded.url}/p/${slug}/raw` },
    ...(process.env.MONGODB_URI && process.env.REDIS_URL ? [await openScaleOut()] : []),
  ];
}

/** One web process, with the same pages. */
async function openScaleOut(): Promise<Runner> {
  const cluster = await openCluster();
  const web = await cluster.startWeb();
  const worker = await cluster.startWorker();
  const token = await cluster.makeToken('bench');
  const stores = await openScaleOutStores(cluster.servers.env.MONGODB_URI);
  const slugs = new Map<string, string>();
  for (const { html, sample } of cases) {
    if (slugs.has(sample.slug)) continue;
    const slug = await publish({ url: web.url, token }, html);
    await settlePage(stores, slug);
    slugs.set(sample.slug, slug);
  }
  await stores.close();
  worker.kill('SIGKILL'); // it has done its work
  return {
    name: 'scale-out',
    urlOf: ({ slug }) => `${web.url}/p/${slugs.get(slug)}/raw`,
    cpuSeconds: () => cpuSeconds(web.pid),
    stop: cluster.close,
  };
}

/** By turns, so that what else the machine does falls on all. */
async function measure(one: Case): Promise<string[][]> {
  process.stderr.write(`${one.name} …\n`);
  for (const runner of runners) {
    await checkSame(runner, one);
    await run(runner, one, 1);
  }
  const runs = new Map<string, Run[]>(runners.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const runner of runners) runs.get(runner.name)?.push(await run(runner, one, secondsPerRun));
  }
  for (const runner of runners) await checkSame(runner, one);
  return [...runs].map(([name, mine], index) => rowOf(index === 0 ? one : null, name, mine, runs));
}

async function run(runner: Runner, { sample }: Case, seconds: number): Promise<Run> {
  const before = runner.cpuSeconds();
  const measured = await loadPage(generator, runner.urlOf(sample), forms[sample.form], seconds);
  return { ...measured, cpuUs: ((runner.cpuSeconds() - before) / (measured.rate * seconds)) * 1e6 };
}

/** @throws Error where it sends other bytes: then nothing could be compared */
async function checkSame(runner: Runner, { name, sample }: Case): Promise<void> {
  const url = new URL(runner.urlOf(sample));
  const client = createPlainClient(url.origin);
  const { bytes, headers } = await client.get(url.pathname, { headers: forms[sample.form] });
  client.close();
  const isSame = bytes.equals(sample.bytes) && (headers['content-encoding'] ?? 'identity') === sample.form;
  if (!isSame) throw new Error(`${name}: ${runner.name} does not send the same ${sample.bytes.length} bytes`);
}

function rowOf(
  one: Case | null,
  name: string,
  mine: readonly Run[],
  all: ReadonlyMap<string, Run[]>,
): string[] {
  const rate = middle(mine.map((each) => each.rate));
  return [
    one === null ? '' : `${one.name} (${one.sample.bytes.length} bytes)`,
    name,
    rate.toFixed(0),
    middle(mine.map((each) => each.p50)).toFixed(1),
    middle(mine.map((each) => each.p99)).toFixed(1),
    middle(mine.map((each) => each.cpuUs)).toFixed(0),
    ...(name === 'embedded' || name === 'scale-out'
      ? [ratio(mine, all.get('bare node:http'), targets.bare), ratio(mine, all.get('nginx'), targets.nginx)]
      : ['', '']),
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

/** All bytes of one answer, its head included, as a browser gets them. */
function countWire(url: string, path: string): Promise<number> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    let count = 0;
    const socket = connect(Number(port), hostname, () => {
      const fields = [
        `Host: ${host}`,
        `Accept-Encoding: ${forms.br['accept-encoding']}`,
        'Connection: close',
      ];
      socket.write(`GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
    });
    socket.on('data', (bytes) => {
      count += bytes.length;
    });
    socket.on('end', () => resolve(count));
    socket.on('error', reject);
  });
}

function print(): void {
  const head = ['', '', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'of bare (0.8)', 'of nginx (0.35)'];
  const original = Buffer.byteLength(chart);
  const share = wireAtFirst / original;
  process.stdout.write(`
50 connections by ${generator}, ${rounds} runs of ${secondsPerRun} s each by turns; medians, ratios round by round.
CPU: of the server, for each request, all threads. Pages in their smallest form, as a minute after the first reader.

${formatTable(head, rows)}

The chart report, ${original} bytes, in brotli with the answer's head: ${wireAtFirst} bytes on the wire at first, ${share.toFixed(3)} (at most ${targets.wire}: ${share <= targets.wire ? 'met' : 'MISSED'}); ${wire} a minute later, ${(wire / original).toFixed(3)}.
`);
}
