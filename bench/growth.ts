// How requests slow down as a store grows: fills stores of several sizes, and sends the same requests to services over them,
// one at a time and in turn. Measures both engines if MONGODB_URI and REDIS_URL are set.
// usage: main.js --only growth [--engine embedded|scale-out] [--sizes 1000,20000,200000] [--rounds 10] [--seed 1]
//   [--endpoints PATTERN of their names]
import { openCommandProxy } from '../test/scale-out/command-proxy.ts';
import { type Costs, measure } from './growth/measure.ts';
import { runPeriodicJobs } from './growth/periodic-jobs.ts';
import { diskBytesOf, type FilledStore, openFilled, serve } from './growth/service.ts';
import { formatTable, quantile, readOptions } from './harness.ts';
import { listEngines, type Place } from './served.ts';

const { values } = readOptions({
  engine: '',
  sizes: '1000,20000,200000',
  rounds: '10',
  seed: '1',
  endpoints: '',
});
/** The largest ratio of medians, of the largest to the smallest store. */
const target = 1.3;
const storeHead = ['drops', 'versions', 'filled in s', 'MB on disk', 'resident MiB'];
const jobHead = ['job', 'drops', 'ms', 'event loop blocked ms', 'memory grown MiB'];
const sizes = values.sizes.split(',').map(Number);
const options = { rounds: Number(values.rounds), only: new RegExp(values.endpoints) };

for (const { name, openPlace } of listEngines())
  if (name === (values.engine || name)) await measureEngine(name, openPlace);

async function measureEngine(engine: Place['engine'], openPlace: () => Promise<Place>): Promise<void> {
  const stores: FilledStore[] = [];
  for (const size of sizes) stores.push(await openFilled(await openPlace(), size, Number(values.seed)));
  const { costs, residentMib } = await measureTimes(stores);
  const commands = engine === 'scale-out' ? await countCommands(stores) : null;
  const disk = await Promise.all(stores.map(diskBytesOf));
  const storeRows = stores.map(({ size, filled: { versions, seconds } }, n) => {
    const megabytes = ((disk[n] ?? Number.NaN) / 1e6).toFixed(0);
    return [String(size), String(versions), seconds.toFixed(0), megabytes, residentMib[n]?.toFixed(0) ?? ''];
  });
  process.stdout.write(`\n${tableOf(engine, costs, commands)}\n\n${formatTable(storeHead, storeRows)}\n`);
  const jobRows: string[][] = [];
  for (const { size, env } of stores) {
    for (const { name, ms, blockedMs, grownMib } of await runPeriodicJobs(env))
      jobRows.push([name, String(size), ms.toFixed(0), blockedMs.toFixed(0), grownMib.toFixed(0)]);
  }
  for (const store of stores) await store.remove();
  process.stdout.write(`\n${formatTable(jobHead, jobRows)}\n`);
}

async function measureTimes(stores: readonly FilledStore[]) {
  const services = [];
  for (const store of stores) services.push(await serve(store));
  try {
    const scenes = services.map(({ scene }) => scene);
    const costs = await measure(scenes, options, async (call, { mainThreadCpuMs }) => {
      const begun = performance.now();
      const cpuBefore = mainThreadCpuMs();
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
  /** CPU time of the main thread of the process that answers: other work of the machine affects it least. */
  readonly cpuMs: number;
}

function tableOf(engine: string, costs: Costs<Cost>, commands: Costs<number> | null): string {
  const ofSize = (size: number) => [`${size}: ms`, 'p99', 'CPU ms'];
  const head = [engine, ...sizes.flatMap(ofSize), 'ratio', 'of CPU', ...(commands ? ['commands'] : []), ''];
  const rows = [...costs].map(([name, bySize]) => {
    const times = bySize.map((calls) => calls.map(({ ms }) => ms));
    const medians = times.map(medianOf);
    const slow = times.map((each) => quantile(each, 0.99));
    const cpu = bySize.map((calls) => medianOf(calls.map(({ cpuMs }) => cpuMs)));
    const ratio = ratioOf(medians);
    const cpuRatio = ratioOf(cpu);
    const counted = commands?.get(name)?.map(medianOf).filter(isNumber) ?? [];
    return [
      name,
      ...medians.flatMap((value, n) => [value, slow[n], cpu[n]].map(format)),
      format(ratio),
      format(cpuRatio),
      ...(commands ? [[...new Set(counted)].join(' to ')] : []),
      ratio > target && !(cpuRatio <= target) ? `above ${target}` : '',
    ];
  });
  return formatTable(head, rows);
}

function medianOf(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The ratio of the largest store to the smallest that has figures. */
function ratioOf(bySize: readonly number[]): number {
  const [first = Number.NaN, ...others] = bySize.filter(isNumber);
  return (others.at(-1) ?? Number.NaN) / first;
}

function isNumber(value: number): boolean {
  return !Number.isNaN(value);
}

function format(value = Number.NaN): string {
  return isNumber(value) ? value.toFixed(2) : '';
}
