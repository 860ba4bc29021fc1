import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropleaf } from '../test/bin/command.ts';
import { makeData } from '../test/bin/home.ts';
import { createPlainClient } from '../test/support/client.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import type { BareAnswers } from './bare-server.ts';
import { load, type Measured, median, type Scenario } from './load.ts';
import { makePage } from './page.ts';
import { startBareServer, startService } from './processes.ts';
import { formatTable } from './table.ts';

const rounds = 3;
const secondsPerRun = Number(process.argv[2] ?? 4);
const rawGetsBeforeRss = 100_000;
const rssTargetMib = 200;

const settings = {
  ...noLimits,
  BUFFERED_BYTES: String(256 * 1024 * 1024), // 50 times 2 MB at once are meant here
};

/** What a first release aims at. `ratio`: of the bare server's rate; `rate`: requests a second. */
const targets: Readonly<Record<string, { ratio?: number; rate?: number }>> = {
  'GET raw, 30 KB': { ratio: 0.8 },
  'GET drop': { ratio: 0.6 },
  'GET list of 50': { ratio: 0.3 },
  'POST 30 KB': { rate: 800 },
};

const { service, token, dataDir } = await startWithToken();
const answersFile = join(dataDir, 'answers.json');
const { scenarios, answers } = await prepare(service.url, token);
writeFileSync(answersFile, JSON.stringify(answers));
const bare = await startBareServer(answersFile);

const rows: string[][] = [];
for (const scenario of scenarios) rows.push(rowOf(scenario.name, await measure(scenario)));
print(rows);
await Promise.all([service.stop(), bare.stop()]);
rmSync(dataDir, { recursive: true });
await printResident();

async function startWithToken() {
  const dataDir = makeTempDir();
  await makeData(dataDir);
  const token = (await dropleaf(['token', '--user', 'bench'], { DATA_DIR: dataDir })).stdout.trim();
  return { service: await startService({ ...settings, DATA_DIR: dataDir }), token, dataDir };
}

/** Ours and the bare one by turns, so that what else the machine does falls on both. */
async function measure(scenario: Scenario): Promise<{ ours: Measured; theirs: Measured }> {
  process.stderr.write(`${scenario.name} …\n`);
  const warmUp = { ...scenario, amount: Math.min(scenario.amount ?? 2_000, 2_000) };
  for (const url of [bare.url, service.url]) await load(url, warmUp, 1);
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await load(bare.url, scenario, secondsPerRun));
    ours.push(await load(service.url, scenario, secondsPerRun));
  }
  return { ours: median(ours), theirs: median(theirs) };
}

async function prepare(url: string, token: string): Promise<{ scenarios: Scenario[]; answers: BareAnswers }> {
  const client = createPlainClient(url);
  const page = makePage(30_000);
  const create = (title: string) =>
    client.request('POST', '/api/drops', {
      token,
      body: {
        title,
        html: page,
        description: 'A page to measure with',
        metadata: { project: 'bench', run: '1' },
      },
    });
  const { body: drop } = await create('The page that is read');
  for (let n = 1; n < 50; n++) await create(`Another page, the ${n}th`);
  const list = (await client.get('/api/drops', { token })).body;
  const raw = await client.get(`/p/${drop.slug}/raw`);
  client.close();
  const authorization = { authorization: `Bearer ${token}` };
  const posting = { ...authorization, 'content-type': 'application/json' };
  const body = (html: string) => JSON.stringify({ title: 'A page', html });
  return {
    answers: { page: raw.bytes.toString('base64'), drop, list },
    scenarios: [
      { name: 'GET raw, 30 KB', method: 'GET', path: `/p/${drop.slug}/raw`, headers: {} },
      { name: 'GET drop', method: 'GET', path: `/api/drops/${drop.slug}`, headers: authorization },
      { name: 'GET list of 50', method: 'GET', path: '/api/drops', headers: authorization },
      { name: 'POST 30 KB', method: 'POST', path: '/api/drops', headers: posting, body: body(page) },
      {
        name: 'POST 2 MB',
        method: 'POST',
        path: '/api/drops',
        headers: posting,
        body: body(makePage(2 * 1024 * 1024)),
        amount: 150,
      },
    ],
  };
}

function rowOf(name: string, { ours, theirs }: { ours: Measured; theirs: Measured }): string[] {
  const ratio = ours.rate / theirs.rate;
  const { ratio: wantedRatio, rate: wantedRate } = targets[name] ?? {};
  const isMet = ratio >= (wantedRatio ?? 0) && ours.rate >= (wantedRate ?? 0);
  const wanted = wantedRatio === undefined ? wantedRate && `${wantedRate}/s` : `${wantedRatio} of bare`;
  return [
    name,
    ...[ours, theirs].flatMap(({ rate, p50, p99 }) => [rate.toFixed(0), p50.toFixed(0), p99.toFixed(0)]),
    ratio.toFixed(2),
    wanted ? `${wanted}: ${isMet ? 'met' : 'MISSED'}` : '',
  ];
}

function print(body: readonly string[][]): void {
  const head = ['', 'req/s', 'p50 ms', 'p99 ms', 'bare req/s', 'p50 ms', 'p99 ms', 'ratio', 'first target'];
  process.stdout.write(
    `\n50 connections, ${rounds} runs of ${secondsPerRun} s each by turns with a bare Express 5 route that sends the same bytes; the middle run.\n\n${formatTable(head, body)}\n`,
  );
}

/** Of a service that has done nothing else. */
async function printResident(): Promise<void> {
  process.stderr.write(`${rawGetsBeforeRss} raw GETs …\n`);
  const { service, token, dataDir } = await startWithToken();
  const [raw] = (await prepare(service.url, token)).scenarios;
  const before = service.residentMib();
  if (raw !== undefined) await load(service.url, { ...raw, amount: rawGetsBeforeRss }, 0);
  const after = service.residentMib();
  await service.stop();
  rmSync(dataDir, { recursive: true });
  if (before === null || after === null) {
    process.stdout.write('Resident memory: this system does not tell.\n');
    return;
  }
  const verdict = after <= rssTargetMib ? 'met' : 'MISSED';
  process.stdout.write(
    `Resident memory after ${rawGetsBeforeRss} raw GETs: ${after.toFixed(0)} MiB (${before.toFixed(0)} before); at most ${rssTargetMib}: ${verdict}\n`,
  );
}
