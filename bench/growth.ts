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
    const costs = await measure(scenes, options, async (call, { mainThreadCpuMs }) => {
      const [begun, cpuBefore] = [performance.now(), mainThreadCpuMs()];
      await call();
      return { ms: performance.now() - begun, cpuMs: mainThreadCpuMs() - cpuBefore };
    });
    return { costs, residentMib: services.map((service) => service.residentMib()) };
  } finally {
    await Promise.all(services.map((service) => service.close()));
  }
}

/** The commands to MongoDB between request and answer. Some are background work; the median has none. */
async function countCommands(stores: readonly FilledStore[]): Promise<Costs<number>> {
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

interface Cost {
  readonly ms: number;
  /** Of the main thread of the process that answers: other work of the machine affects it least. */
  readonly cpuMs: number;
}

function tableOf(engine: EngineName, costs: Costs<Cost>, commands: Costs<number> | null) {
  const rows = [...costs].map(([name, bySize]) => {
    const times = bySize.map((calls) => calls.map(({ ms }) => ms));
    const cpu = bySize.map((calls) =>
      quantile(
        calls.map(({ cpuMs }) => cpuMs),
        0.5,
      ),
    );
    const median = times.map((each) => quantile(each, 0.5));
    const p99 = times.map((each) => quantile(each, 0.99));
    const ratios = { ratio: ratioOf(median), cpuRatio: ratioOf(cpu) };
    const counted = commands?.get(name)?.map((each) => quantile(each, 0.5));
    return { name, median, p99, cpu, ...ratios, ...(counted && { commands: counted }) };
  });
  const ofSize = (size: number) => [`${size}: ms`, 'p99', 'CPU ms'];
  const head = [engine, ...sizes.flatMap(ofSize), 'ratio', 'of CPU', ...(commands ? ['commands'] : []), ''];
  const cells = rows.map(({ name, median, p99, cpu, ratio, cpuRatio, commands: counted }) => [
    name,
    ...median.flatMap((value, n) => [value, p99[n], cpu[n]].map((each = Number.NaN) => format(each))),
    ...[ratio, cpuRatio].map(format),
    ...(counted ? [[...new Set(counted.filter(isNumber))].join(' to ')] : []),
    ratio > target && !(cpuRatio <= target) ? `above ${target}` : '',
  ]);
  return { rows, text: formatTable(head, cells) };
}

/** Of the largest store to the smallest that has figures. */
function ratioOf(bySize: readonly number[]): number {
  const [first = Number.NaN, ...others] = bySize.filter(isNumber);
  return (others.at(-1) ?? Number.NaN) / first;
}

function isNumber(value: number): boolean {
  return !Number.isNaN(value);
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

function format(value: number): string {
  return isNumber(value) ? value.toFixed(2) : '';
}
