// Writes of this checkout beside those of another one, which is built: both engines, in turn, each run with fresh data.
// usage: against.js DIR [rounds, default 5] [seconds of each run, default 4]
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load, type Measured, makePage, median } from './load.ts';
import { listEngines, type Served } from './served.ts';
import { formatTable } from './table.ts';

const [dir = '', rounds = '5', seconds = '4'] = process.argv.slice(2);
if (dir === '') throw new Error('usage: against.js DIR [rounds] [seconds]');
const other = pathToFileURL(resolve(dir, 'dist/bench/served.js')).href;
// proof: the other checkout has the same file; only what both have is called
const theirs = ((await import(other)) as { listEngines: typeof listEngines }).listEngines();

const target = 1.4;
const settings = { BUFFERED_BYTES: String(256 * 1024 * 1024) };
const body = JSON.stringify({ title: 'A page', html: makePage(30_000) });
const rows: string[][] = [];
for (const [index, ours] of listEngines().entries()) {
  const theirEngine = theirs[index];
  if (theirEngine === undefined) throw new Error(`${dir} has fewer engines`);
  const before: Measured[] = [];
  const now: Measured[] = [];
  let engine = '';
  for (let round = 0; round < Number(rounds); round++) {
    process.stderr.write(`round ${round + 1} …\n`);
    before.push(await measure(await theirEngine.serve(settings)));
    const served = await ours.serve(settings);
    engine = served.engine;
    now.push(await measure(served));
  }
  rows.push(rowOf(`POST 30 KB, ${engine}`, median(before), median(now)));
}
const head = ['', 'before req/s', 'p50 ms', 'p99 ms', 'now req/s', 'p50 ms', 'p99 ms', 'ratio', 'target'];
process.stdout.write(`
50 connections, ${rounds} runs of ${seconds} s each in turn with ${dir}; the median run.

${formatTable(head, rows)}
`);

async function measure(served: Served): Promise<Measured> {
  const headers = { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' };
  const post = { name: 'POST 30 KB', method: 'POST', path: '/api/drops', headers, body } as const;
  try {
    await load(served.url, { ...post, amount: 500 }, 0);
    return await load(served.url, post, Number(seconds));
  } finally {
    await served.close();
  }
}

function rowOf(name: string, before: Measured, now: Measured): string[] {
  const ratio = now.rate / before.rate;
  const figures = [before, now].flatMap(({ rate, p50, p99 }) => [
    rate.toFixed(0),
    p50.toFixed(0),
    p99.toFixed(0),
  ]);
  return [name, ...figures, ratio.toFixed(2), `${target}: ${ratio >= target ? 'met' : 'MISSED'}`];
}
