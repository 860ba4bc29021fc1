// How requests slow down as a store grows: fills stores of several sizes, and sends the same requests to services over them,
// one at a time and in turn. Measures both engines if MONGODB_URI and REDIS_URL are set.
// usage: growth.js [--engine embedded|scale-out] [--sizes 1000,20000,200000] [--rounds 10] [--seed 1] [--keep DIR]
//   [--only PATTERN of endpoints] [--json FILE]
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openCommandProxy } from '../test/scale-out/command-proxy.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { type EngineName, type FilledStore, openFilled, serve } from './growth/filled-service.ts';
import { type Costs, measure, quantile } from './growth/measure.ts';
import { runPeriodicJobs } from './growth/periodic-jobs.ts';
import { formatTable } from './table.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    sizes: { type: 'string', default: '1000,20000,200000' },
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
/** The largest ratio of medians, of the largest to the smallest store. */
const target = 1.3;
const storeHead = ['drops', 'versions', 'filled in s', 'MB on disk', 'resident MiB'];
const jobHead = ['job', 'drops', 'ms', 'event loop blocked ms', 'memory grown MiB'];
const sizes = values.sizes.split(',').map(Number);
const options = { rounds: Number(values.rounds), only: new RegExp(values.only) };
const dir = values.keep ?? makeTempDir();
mkdirSync(dir, { recursive: true });

const reports: object[] = [];
for (const engine of listEngines()) reports.push(await measureEngine(engine));
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(reports, null, 2));

function listEngines(): EngineName[] {
  const { MONGODB_URI, REDIS_URL } = process.env;
  const all: EngineName[] = MONGODB_URI && REDIS_URL ? ['embedded', 'scale-out'] : ['embedded'];
  return all.filter((engine) => engine === (values.engine ?? engine));
}

async function measureEngine(engine: EngineName): Promise<object> {
  const stores: FilledStore[] = [];
  for (const size of sizes) stores.push(await openFilled(engine, { size, seed: Number(values.seed), dir }));
  const times = await measureTimes(stores);
  const commands = engine === 'scale-out' ? await countCommands(stores) : null;
  const disk = await Promise.all(stores.map((store) => store.diskBytes()));
  const table = tableOf(engine, times.costs, commands);
  const stored = stores.map(({ size, filled: { versions, seconds } }, n) => {
    return {
      size,
      versions,
      filledInSeconds: seconds,
      diskBytes: disk[n],
      residentMib: times.residentMib[n],
    };
  });
  process.stdout.write(`\n${table.text}\n\n${formatTable(storeHead, stored.map(storeRow))}\n`);
  const jobs = [];
  for (const { size, env } of stores)
    jobs.push(...(await runPeriodicJobs(env)).map((run) => ({ size, ...run })));
  if (values.keep === undefined) for (const store of stores) await store.remove();
  const jobRows = jobs.map(({ name, size, ms, blockedMs, grownMib }) => {
    return [name, String(size), ...[ms, blockedMs, grownMib].map((value) => value.toFixed(0))];
  });
  process.stdout.write(`\n${formatTable(jobHead, jobRows)}\n`);
  return { engine, stored, endpoints: table.rows, jobs };
}

async function measureTimes(stores: readonly FilledStore[]) {
  const services = [];
  for (const store of stores) services.push(await serve(store));
  try {
    const scenes = services.map(({ scene }) => scene);
    const costs = await measure(scenes, options, async (call) => {
      const begun = performance.now();
      await call();
      return performance.now() - begun;
    });
    return { costs, residentMib: services.map((service) => service.residentMib()) };
  } finally {
    await Promise.all(services.map((service) => service.close()));
  }
}

/** The commands to MongoDB between request and answer. Some are background work; the median has none. */
async function countCommands(stores: readonly FilledStore[]): Promise<Costs> {
  const all = new Map<string, (readonly number[])[]>();
  for (const store of stores) {
    const uri = store.env.MONGODB_URI ?? '';
    const proxy = await openCommandProxy(uri);
    let count = 0;
    proxy.loseAnswerIf(() => {
      count += 1;
      return false;
    });
    const service = await serve(store, { MONGODB_URI: proxy.throughProxy(uri) });
    const costs = await measure([service.scene], { ...options, rounds: 1 }, async (call) => {
      count = 0;
      await call();
      return count;
    });
    await service.close();
    await proxy.close();
    for (const [name, [counts = []]] of costs) all.set(name, [...(all.get(name) ?? []), counts]);
  }
  return all;
}

function tableOf(engine: EngineName, times: Costs, commands: Costs | null) {
  const rows = [...times].map(([name, bySize]) => {
    const median = bySize.map((each) => quantile(each, 0.5));
    const p99 = bySize.map((each) => quantile(each, 0.99));
    const filled = median.filter((value) => !Number.isNaN(value));
    const ratio = (filled.at(-1) ?? Number.NaN) / (filled[0] ?? Number.NaN);
    const counted = commands?.get(name)?.map((each) => quantile(each, 0.5));
    return { name, median, p99, ratio, ...(counted && { commands: counted }) };
  });
  const head = [
    engine,
    ...sizes.flatMap((size) => [`${size}: ms`, 'p99']),
    'ratio',
    ...(commands ? ['commands'] : []),
    '',
  ];
  const cells = rows.map(({ name, median, p99, ratio, commands: counted }) => [
    name,
    ...median.flatMap((value, n) => [format(value), format(p99[n] ?? Number.NaN)]),
    ratio.toFixed(2),
    ...(counted ? [[...new Set(counted.filter((value) => !Number.isNaN(value)))].join(' to ')] : []),
    ratio > target ? `above ${target}` : '',
  ]);
  return { rows, text: formatTable(head, cells) };
}

function storeRow(store: {
  size: number;
  versions: number;
  filledInSeconds: number;
  diskBytes: number | undefined;
  residentMib: number | null | undefined;
}): string[] {
  const { size, versions, filledInSeconds, diskBytes = Number.NaN, residentMib } = store;
  const disk = (diskBytes / 1e6).toFixed(0);
  return [String(size), String(versions), filledInSeconds.toFixed(0), disk, residentMib?.toFixed(0) ?? ''];
}

function format(ms: number): string {
  return Number.isNaN(ms) ? '' : ms.toFixed(2);
}
