// What one web process of the scale-out engine takes: requests a second, and CPU time of the process for each, from
// which the number of processes for a load follows. Needs MONGODB_URI and REDIS_URL, and leaves nothing behind.
import { createPlainClient } from '../test/support/client.ts';
import { openCluster } from '../test/support/cluster.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { load, median, type Scenario } from './load.ts';
import { makePage } from './page.ts';
import { cpuSeconds } from './processes.ts';
import { formatTable } from './table.ts';

const rounds = 3;
const secondsPerRun = Number(process.argv[2] ?? 4);

const cluster = await openCluster(noLimits);
try {
  const web = await cluster.startWeb();
  await cluster.startWorker();
  const tokens = { read: await cluster.makeToken('reader'), write: await cluster.makeToken('writer') };
  const scenarios = await prepare(web.url, tokens);
  const rows: string[][] = [];
  for (const scenario of scenarios) rows.push(await measure(web.url, web.pid, scenario));
  const head = ['', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs a request', 'processes for 10,000/s'];
  process.stdout.write(
    `\nOne web process, 50 connections, ${rounds} runs of ${secondsPerRun} s each; the middle run.\n\n${formatTable(head, rows)}\n`,
  );
} finally {
  await cluster.close();
}

async function measure(url: string, pid: number | undefined, scenario: Scenario): Promise<string[]> {
  process.stderr.write(`${scenario.name} …\n`);
  await load(url, { ...scenario, amount: scenario.amount ?? 500 }, 1);
  const runs: { rate: number; p50: number; p99: number; cpuUs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = cpuSeconds(pid);
    const run = await load(url, scenario, secondsPerRun);
    const requests = scenario.amount ?? run.rate * secondsPerRun;
    runs.push({ ...run, cpuUs: ((cpuSeconds(pid) - before) / requests) * 1e6 });
  }
  const { rate, p50, p99 } = median(runs);
  const cpuUs = runs.map((run) => run.cpuUs).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  const processes = Math.ceil((10_000 * cpuUs) / 1e6 / 0.7); // a process at 70 % of a core still answers fast
  return [
    scenario.name,
    rate.toFixed(0),
    p50.toFixed(0),
    p99.toFixed(0),
    cpuUs.toFixed(0),
    String(processes),
  ];
}

async function prepare(
  url: string,
  { read: token, write }: { read: string; write: string },
): Promise<Scenario[]> {
  const client = createPlainClient(url);
  const html = makePage(30_000);
  const create = (title: string, context?: string) =>
    client.request('POST', '/api/drops', {
      token,
      body: { title, html, context, metadata: { project: 'bench' } },
    });
  const { slug } = (await create('The page that is read')).body;
  const { slug: reasoned } = (await create('One with a context', '# Why\n\nBecause.')).body;
  for (let n = 2; n < 50; n++) await create(`Another page, the ${n}th`);
  client.close();
  const authorization = { authorization: `Bearer ${token}` };
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', accept: 'text/html' };
  const posting = { authorization: `Bearer ${write}`, 'content-type': 'application/json' };
  return [
    { name: 'GET raw, 30 KB, in memory', method: 'GET', path: `/p/${slug}/raw`, headers: {} },
    { name: 'GET viewer', method: 'GET', path: `/p/${slug}`, headers: browser },
    { name: 'GET viewer, with context', method: 'GET', path: `/p/${reasoned}`, headers: browser },
    { name: 'GET drop', method: 'GET', path: `/api/drops/${slug}`, headers: authorization },
    { name: 'GET list of 50', method: 'GET', path: '/api/drops', headers: authorization },
    {
      name: 'POST 30 KB',
      method: 'POST',
      path: '/api/drops',
      headers: posting,
      body: JSON.stringify({ title: 'A page', html }),
      amount: 100, // an account of 500 drops has room for all runs
    },
  ];
}
