// The service beside a bare Express 5 app that sends the same bytes.
// usage: http.js [seconds of each run, default 4]
import { rmSync } from 'node:fs';
import { createPlainClient } from '../test/support/client.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import type { BareAnswers } from './bare-server.ts';
import { load, type Measured, makePage, median, type Scenario } from './load.ts';
import { startBareServer } from './processes.ts';
import { type Served, serveEmbedded } from './served.ts';
import { formatTable } from './table.ts';

const rounds = 3;
const secondsPerRun = Number(process.argv[2] ?? 4);
/** Room for 50 bodies of 2 MB at a time. */
const settings = { BUFFERED_BYTES: String(256 * 1024 * 1024) };

/** `ratio`: of the bare app's rate; `rate`: requests a second. */
const targets: Readonly<Record<string, { ratio?: number; rate?: number }>> = {
  'GET raw, 30 KB': { ratio: 0.8 },
  'GET drop': { ratio: 0.6 },
  'GET list of 50': { ratio: 0.35 },
  'POST 30 KB': { rate: 800 },
};

const service = await serveEmbedded(settings);
const { scenarios, answers } = await prepare(service);
const dir = makeTempDir();
const bare = await startBareServer('express', dir, answers);
const rows: string[][] = [];
for (const scenario of scenarios) rows.push(rowOf(scenario.name, await measure(scenario)));
const head = ['', 'req/s', 'p50 ms', 'p99 ms', 'bare req/s', 'p50 ms', 'p99 ms', 'ratio', 'target'];
process.stdout.write(`
50 connections, ${rounds} runs of ${secondsPerRun} s each in turn with a bare Express 5 app that sends the same bytes; the median run.

${formatTable(head, rows)}
`);
await Promise.all([service.close(), bare.stop()]);
rmSync(dir, { recursive: true });

/** In turn, so that other work of the machine affects both. */
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

async function prepare({ url, token }: Served): Promise<{ scenarios: Scenario[]; answers: BareAnswers }> {
  const client = createPlainClient(url);
  const page = makePage(30_000);
  const metadata = { project: 'bench', run: '1' };
  const create = (title: string) =>
    client.request('POST', '/api/drops', { token, body: { title, html: page, metadata } });
  const { body: drop } = await create('The page that is read');
  for (let n = 1; n < 50; n++) await create(`Page ${n}`);
  const list = (await client.get('/api/drops', { token })).body;
  const raw = await client.get(`/p/${drop.slug}/raw`);
  client.close();
  const headers = { authorization: `Bearer ${token}` };
  const posting = { ...headers, 'content-type': 'application/json' };
  const body = (html: string) => JSON.stringify({ title: 'A page', html });
  const [rawPath, dropPath, listPath] = [`/p/${drop.slug}/raw`, `/api/drops/${drop.slug}`, '/api/drops'];
  const html = { 'content-type': 'text/html; charset=utf-8' };
  return {
    answers: {
      [`GET ${rawPath}`]: { status: 200, headers: html, base64: raw.bytes.toString('base64') },
      [`GET ${dropPath}`]: { status: 200, headers: {}, json: drop },
      [`GET ${listPath}`]: { status: 200, headers: {}, json: list },
      [`POST ${listPath}`]: { status: 201, headers: {}, json: drop },
    },
    scenarios: [
      { name: 'GET raw, 30 KB', method: 'GET', path: rawPath, headers: {} },
      { name: 'GET drop', method: 'GET', path: dropPath, headers },
      { name: 'GET list of 50', method: 'GET', path: listPath, headers },
      { name: 'POST 30 KB', method: 'POST', path: listPath, headers: posting, body: body(page) },
      {
        ...{ name: 'POST 2 MB', path: listPath, headers: posting, amount: 150 },
        method: 'POST',
        body: body(makePage(2 * 1024 * 1024)),
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
