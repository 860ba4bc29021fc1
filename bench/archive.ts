// Moves a store through archives: SQLite → MongoDB → SQLite. First undisturbed, with the time and the most memory of each
// step; then each step is killed at random moments, ten times in all, and repeated until it ends. The manifests of all
// archives must be equal, and exports beside writers must be whole. Ends with exit code 1 if not.
// usage: archive.js [--drops 500] [--seed 1] [--keep DIR, whose filled store is used again]; needs MONGODB_URI and REDIS_URL
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../shared/config/config.ts';
import { openStores, systemClock } from '../shared/open-stores.ts';
import { startDropleaf } from '../test/bin/command.ts';
import { openOwnServers } from '../test/bin/own-servers.ts';
import { readManifest } from '../test/support/archives.ts';
import { fillStores } from '../test/support/fill-stores.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { createRandom } from '../test/support/random.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { createRecordingLog } from '../test/worker/recording-log.ts';
import { type CommandRun, type Env, runCommand } from './archive/commands.ts';
import { startWriters } from './archive/writers.ts';
import { formatTable } from './table.ts';

const { values } = parseArgs({
  options: {
    drops: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'string' },
  },
});
const writersAtOnce = 4;
const random = createRandom(Number(values.seed));
const dir = values.keep ?? makeTempDir();
mkdirSync(dir, { recursive: true });
const source = { DATA_DIR: join(dir, 'source') };
const rows: string[][] = [];

if (!existsSync(source.DATA_DIR)) await fill();
const times = await move('undisturbed', [0, 0, 0, 0], null);
await move('killed', [2, 4, 1, 3], times);
await exportBesideWriters('SQLite', source);
const servers = await openOwnServers();
try {
  await run('import', servers.env, join(dir, 'undisturbed-1.tar'));
  await exportBesideWriters('MongoDB', servers.env);
} finally {
  await servers.remove();
}
say(formatTable(['step', 'seconds', 'most memory in MiB', 'kills'], rows));
if (values.keep === undefined) rmSync(dir, { recursive: true });

async function fill(): Promise<void> {
  const deps = { log: createRecordingLog(), role: 'service', clock: systemClock } as const;
  const engine = await openStores(readConfig(source), deps);
  const startedAt = performance.now();
  await fillStores(engine, { drops: Number(values.drops), documentBytes: 3_000, now: Date.now() });
  await engine.secrets.findOrCreate('signing-secret', 'a-secret');
  await engine.close();
  say(`filled SQLite with ${values.drops} drops in ${seconds(performance.now() - startedAt)}`);
}

/**
 * The four steps, into fresh stores.
 * @param kills of each step @param usual the seconds of each step, for the moments of its kills
 * @returns the seconds of each step
 * @throws Error if the manifests differ
 */
async function move(
  name: string,
  kills: readonly number[],
  usual: readonly number[] | null,
): Promise<number[]> {
  const servers = await openOwnServers();
  const last = { DATA_DIR: join(dir, `${name}-last`) };
  const files = [1, 2, 3].map((n) => join(dir, `${name}-${n}.tar`));
  const [first = '', second = '', third = ''] = files;
  const steps: [title: string, command: string, env: Env, file: string][] = [
    ['export from SQLite', 'export', source, first],
    ['import into MongoDB', 'import', servers.env, first],
    ['export from MongoDB', 'export', servers.env, second],
    ['import into SQLite', 'import', last, second],
  ];
  const taken: number[] = [];
  try {
    for (const [n, [title, command, env, file]] of steps.entries()) {
      const moments = Array.from({ length: kills[n] ?? 0 }, () => random() * (usual?.[n] ?? 0) * 1_000);
      let isDone = false;
      for (const moment of moments) isDone ||= await kill(`${title}, killed`, [command, file], env, moment);
      if (!isDone) taken.push((await run(command, env, file, title)).seconds);
    }
    await run('export', last, third, 'export from SQLite again');
    await run('verify', last, third, 'verify against SQLite', '--against-store');
    await run('verify', servers.env, first, 'verify against MongoDB', '--against-store');
    await restore(last);
  } finally {
    await servers.remove();
  }
  const [wanted, ...others] = await Promise.all(files.map(readManifest));
  if (others.some((manifest) => manifest !== wanted)) throw new Error(`${name}: the manifests differ`);
  say(`${name}: the manifests of all three archives are equal`);
  const partial = readdirSync(dir).filter((file) => file.endsWith('.partial'));
  for (const file of partial) rmSync(join(dir, file));
  return taken;
}

/** @returns whether it ended before */
async function kill(title: string, args: readonly string[], env: Env, moment: number): Promise<boolean> {
  const { code, seconds: taken, peakMib } = await runCommand(args, env, moment);
  note(title, { seconds: taken, peakMib }, code === null ? '1' : '0', `at ${seconds(moment)}`);
  return code === 0;
}

/** @throws Error if the command fails */
async function run(
  command: string,
  env: Env,
  file: string,
  title = command,
  ...options: string[]
): Promise<CommandRun> {
  const outcome = await runCommand([command, file, ...options], env, null);
  if (outcome.code !== 0) throw new Error(`${title}: ${outcome.stderr}${outcome.stdout.slice(0, 2_000)}`);
  note(title, outcome, '', outcome.stdout.trim().replaceAll(dir, ''));
  return outcome;
}

/** The time until a service answers on the data. */
async function restore(env: Env): Promise<void> {
  const startedAt = performance.now();
  const service = await startDropleaf(env);
  const { status } = await fetch(`${service.url}/p/drop-0/raw`);
  const taken = performance.now() - startedAt;
  service.kill('SIGTERM');
  await service.ended();
  if (status !== 200) throw new Error(`a page of the restored service answers ${status}`);
  note('start on the imported data', { seconds: taken / 1_000, peakMib: 0 }, '', 'first page answered');
}

/** @throws Error if the archive is not whole */
async function exportBesideWriters(engine: string, env: Env): Promise<void> {
  const service = await startDropleaf({ ...env, ...noLimits });
  const { stdout: token } = await runCommand(['token', '--user', 'writer'], env, null);
  const writers = startWriters(service.url, token.trim(), writersAtOnce);
  const file = join(dir, `${engine}-writers.tar`);
  try {
    await run('export', env, file, `export from ${engine} beside ${writersAtOnce} writers`);
  } finally {
    say(`${engine}: ${await writers.stop()} writes beside the export`);
    service.kill('SIGTERM');
    await service.ended();
  }
  await run('verify', {}, file, `verify that archive`);
}

function note(
  title: string,
  { seconds, peakMib }: Pick<CommandRun, 'seconds' | 'peakMib'>,
  kills: string,
  result: string,
): void {
  rows.push([title, seconds.toFixed(1), peakMib.toFixed(0), kills]);
  say(`${title}: ${seconds.toFixed(1)} s, ${peakMib.toFixed(0)} MiB ${result}`);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
