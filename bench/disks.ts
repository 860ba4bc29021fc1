// Publishes of 30 KB on a usual disk and on one whose flushes take 10 ms, and what readers of raw pages notice beside 60 publishes a
// second; on the embedded engine, in turn with another checkout that is built. Needs a C compiler (cc) and Linux.
// usage: main.js --only disks [--beside CHECKOUT] [--rounds 3] [--publishes 1500]
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlainClient } from '../test/support/client.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { formatTable, quantile, readOptions, say } from './harness.ts';
import { makePage } from './load.ts';
import { startService } from './processes.ts';
import { startSteadyReader } from './steady-reader.ts';

const { values } = readOptions({ beside: '', rounds: '3', publishes: '1500' });
const rounds = Number(values.rounds);
const amount = Number(values.publishes);
const project = resolve(import.meta.dirname, '../..');
const checkouts = [project, ...(values.beside === '' ? [] : [resolve(values.beside)])];
const slowFlushUs = 10_000;
const readingMs = 8_000;
const pageBytes = 30_000;

interface Times {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

interface Round {
  readonly many: Times;
  readonly one: Times;
  readonly raw: Times;
}

const temp = makeTempDir();
try {
  const library = buildSlowDisk(temp);
  for (const flushUs of [0, slowFlushUs]) {
    const disk = { LD_PRELOAD: library, SLOW_DISK_US: String(flushUs) };
    await measureDisk(flushUs === 0 ? 'usual disk' : `disk of ${flushUs / 1_000} ms`, disk);
  }
} finally {
  rmSync(temp, { recursive: true });
}

function buildSlowDisk(dir: string): string {
  const library = join(dir, 'slow-disk.so');
  const source = join(project, 'bench/slow-disk.c');
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']);
  return library;
}

async function measureDisk(name: string, disk: Readonly<Record<string, string>>): Promise<void> {
  const found = checkouts.map(() => [] as Round[]);
  for (let round = 0; round < rounds; round++) {
    for (const [at, checkout] of checkouts.entries()) found[at]?.push(await measureCheckout(checkout, disk));
  }
  const rows = found.flatMap((all, at) => {
    const side = at === 0 ? 'this' : 'beside';
    return [
      rowOf(
        `${side}: publishes, 20 connections`,
        all.map(({ many }) => many),
      ),
      rowOf(
        `${side}: publishes, 1 connection`,
        all.map(({ one }) => one),
      ),
      rowOf(
        `${side}: raw pages beside 60 publishes a second`,
        all.map(({ raw }) => raw),
      ),
    ];
  });
  say(`\n${name}; ${rounds} runs in turn, medians (of rates and of times)\n`);
  say(formatTable(['', 'a second', 'p50 ms', 'p99 ms'], rows));
}

/** A new service with data of its own. */
async function measureCheckout(checkout: string, disk: Readonly<Record<string, string>>): Promise<Round> {
  const dataDir = makeTempDir();
  const env = { ...noLimits, DATA_DIR: dataDir };
  const service = await startService({ ...env, ...disk }, checkout);
  try {
    const command = [join(checkout, 'bin/dropleaf.js'), 'token', '--user', 'bench'];
    const token = execFileSync(process.execPath, command, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    }).trim();
    await publishMany(service.url, token, 20, amount / 3); // not counted: the compiler warms up
    const many = await publishMany(service.url, token, 20, amount);
    const one = await publishMany(service.url, token, 1, amount / 5);
    return { many, one, raw: await readBeside(service.url, token) };
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true });
  }
}

async function publishMany(url: string, token: string, connections: number, count: number): Promise<Times> {
  const client = createPlainClient(url, {}, { maxSockets: connections });
  const times: number[] = [];
  let left = count;
  const publishNext = async () => {
    for (; left > 0; left--) {
      const html = makePage(pageBytes, left * 700);
      const begun = performance.now();
      const { status } = await client.request('POST', '/api/drops', {
        token,
        body: { title: 'A page', html },
      });
      if (status !== 201) throw new Error(`POST /api/drops was answered ${status}`);
      times.push(performance.now() - begun);
    }
  };
  const begunAt = performance.now();
  await Promise.all(Array.from({ length: connections }, publishNext));
  const seconds = (performance.now() - begunAt) / 1_000;
  client.close();
  return { rate: times.length / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

async function readBeside(url: string, token: string): Promise<Times> {
  const client = createPlainClient(url);
  const html = makePage(pageBytes);
  const { body } = await client.request('POST', '/api/drops', { token, body: { title: 'A page', html } });
  client.close();
  const write = { method: 'POST', path: '/api/drops', token, body: { title: 'Another page', html } };
  const writer = startSteadyReader({ url, connections: 'kept', requests: [write], rate: 60 });
  const raw = { path: `/p/${body.slug}/raw` };
  const reader = startSteadyReader({ url, connections: 'kept', requests: [raw], rate: 200 });
  await pause(1_000);
  await Promise.all([reader.take(), writer.take()]);
  await pause(readingMs);
  const reading = await reader.take();
  const writing = await writer.take();
  await Promise.all([reader.stop(), writer.stop()]);
  const failure = [...reading.failures, ...writing.failures][0];
  if (failure !== undefined) throw new Error(`a request failed: ${failure}`);
  return { rate: reading.requests / (readingMs / 1_000), p50: reading.p50, p99: reading.p99 };
}

function rowOf(name: string, all: readonly Times[]): string[] {
  const median = (numbers: readonly number[]) => quantile(numbers, 0.5).toFixed(1);
  return [
    name,
    median(all.map(({ rate }) => rate)),
    median(all.map(({ p50 }) => p50)),
    median(all.map(({ p99 }) => p99)),
  ];
}
