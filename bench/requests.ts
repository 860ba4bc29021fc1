// The service beside a bare Express 5 app that sends the same bytes, or beside a Dropleaf at another address: the same requests
// to both in turn. Then what 300 publishes cost, beside Express with one durable row for each. The account of the token must be allowed to write that much (docs/performance.md); its new drops are deleted.
// usage: main.js [--seconds 4] [--rounds 3] [--only PATTERN of scenarios] [--engine embedded|scale-out]
//   [--url URL --token TOKEN]
import { rmSync } from 'node:fs';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { formatTable, readOptions } from './harness.ts';
import { load, type Measured, median, type Scenario } from './load.ts';
import { startBareServer, startRowServer } from './processes.ts';
import { measurePublishes, publishes } from './publishes.ts';
import { answersOf, type Prepared, prepare } from './scenarios.ts';
import { listEngines } from './served.ts';

const { values } = readOptions({ seconds: '4', rounds: '3', engine: 'embedded', url: '', token: '' });
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
/** Room and time for 50 bodies of 2 MB at a time, also on a busy machine. */
const settings = { BUFFERED_BYTES: String(256 * 1024 * 1024), ANSWER_MS: '60000' };

/** `ratio`: of the bare app's rate; `rate`: requests a second. */
type Target = { readonly ratio: number } | { readonly rate: number };

const targets: Readonly<Record<string, Target>> = {
  'GET raw, 30 KB': { ratio: 0.8 },
  'GET drop': { ratio: 0.6 },
  'GET list of 50': { ratio: 0.35 },
  'POST 30 KB': { rate: 800 },
};

interface Side {
  readonly url: string;
  readonly scenarios: ReadonlyMap<string, Scenario>;
  close(): Promise<unknown>;
}

const engine = listEngines().find(({ name }) => name === values.engine);
if (engine === undefined) throw new Error(`--engine ${values.engine} needs MONGODB_URI and REDIS_URL`);
const service = await engine.serve(settings);
const ours = await prepare(service);
const other = values.url === '' ? await startBare(ours) : await reach(values.url, values.token);
const rows: string[][] = [];
let costs = '';
try {
  for (const [name, scenario] of ours.scenarios) {
    const theirs = other.scenarios.get(name);
    if (theirs === undefined || !new RegExp(values.only).test(name)) continue;
    rows.push(rowOf(name, await measure(scenario, theirs)));
  }
  if (values.url === '' && new RegExp(values.only).test('publishes')) costs = await measureCosts();
} finally {
  await Promise.all([service.close(), other.close()]);
}
const theirName = values.url === '' ? 'bare' : 'theirs';
const head = ['', 'req/s', 'p50 ms', 'p99 ms', `${theirName} req/s`, 'p50 ms', 'p99 ms', 'ratio', 'target'];
const against = values.url || 'a bare Express 5 app that sends the same bytes';
process.stdout.write(`
50 connections, ${rounds} runs of ${seconds} s each in turn with ${against}; the median run.

${formatTable(head, rows)}
${costs}`);

async function startBare(prepared: Prepared): Promise<Side> {
  const dir = makeTempDir();
  const { answers, scenarios } = await answersOf(prepared);
  const bare = await startBareServer('express', dir, answers);
  return {
    url: bare.url,
    scenarios,
    async close() {
      await bare.stop();
      rmSync(dir, { recursive: true });
    },
  };
}

async function reach(url: string, token: string): Promise<Side> {
  const origin = new URL(url).origin;
  const prepared = await prepare({ url: origin, token });
  return { url: origin, scenarios: prepared.scenarios, close: prepared.remove };
}

/** In turn, so that other work of the machine affects both. */
async function measure(
  scenario: Scenario,
  theirScenario: Scenario,
): Promise<{ ours: Measured; theirs: Measured }> {
  process.stderr.write(`${scenario.name} …\n`);
  const runOurs = (...run: [amount?: number]) => runOf(service.url, scenario, ...run);
  const runTheirs = (...run: [amount?: number]) => runOf(other.url, theirScenario, ...run);
  const warmUp = Math.min(scenario.amount ?? 2_000, 2_000);
  await runTheirs(warmUp);
  await runOurs(warmUp);
  const runs = { ours: [] as Measured[], theirs: [] as Measured[] };
  for (let round = 0; round < rounds; round++) {
    runs.theirs.push(await runTheirs());
    runs.ours.push(await runOurs());
  }
  return { ours: median(runs.ours), theirs: median(runs.theirs) };
}

async function measureCosts(): Promise<string> {
  const dir = makeTempDir();
  const bare = await startRowServer(dir);
  const express = { ...bare, name: 'Express and one row', token: '', wholeCpuSeconds: bare.cpuSeconds };
  try {
    const table = await measurePublishes([{ ...service, name: 'dropleaf' }, express], rounds);
    return `
${publishes} publishes of 30 KB at 20 connections, ${rounds} runs in turn; CPU of all processes; the median run.

${table}
`;
  } finally {
    await bare.stop();
    rmSync(dir, { recursive: true });
  }
}

function runOf(url: string, scenario: Scenario, amount?: number): Promise<Measured> {
  return load(url, amount === undefined ? scenario : { ...scenario, amount }, seconds);
}

function rowOf(name: string, { ours: mine, theirs }: { ours: Measured; theirs: Measured }): string[] {
  const target = values.url === '' ? targets[name] : undefined;
  return [
    name,
    ...figuresOf(mine),
    ...figuresOf(theirs),
    (mine.rate / theirs.rate).toFixed(2),
    target === undefined ? '' : verdictOf(target, mine.rate, theirs.rate),
  ];
}

function figuresOf({ rate, p50, p99 }: Measured): string[] {
  return [rate.toFixed(0), p50.toFixed(0), p99.toFixed(0)];
}

/** The target, and whether it is met. */
function verdictOf(target: Target, rate: number, theirRate: number): string {
  if ('rate' in target) return `${target.rate}/s: ${rate >= target.rate ? 'met' : 'MISSED'}`;
  return `${target.ratio} of bare: ${rate / theirRate >= target.ratio ? 'met' : 'MISSED'}`;
}
