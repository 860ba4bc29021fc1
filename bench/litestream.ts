import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dropleaf, type RunningService, startDropleaf } from '../test/bin/command.ts';
import { makeData, publish } from '../test/bin/home.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { findProgram, projectDir } from '../test/support/programs.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';

// A lost machine: Litestream copies the database of a service that is written to, both are killed with kill -9, and a
// service is started on what is restored; acknowledged drops that it lacks are counted. The same for a backup that
// `bin/dropleaf.js backup` made under the same load. Needs litestream in PATH.
// usage: litestream.js [seconds, default 60] [writers, default 4] [bytes of a document, default 30000]
const [seconds = 60, writers = 4, bytes = 30_000] = process.argv.slice(2).map(Number);
const litestream = findProgram('litestream');
if (litestream === null) throw new Error('litestream is not in PATH');

interface Written {
  readonly slug: string;
  readonly at: number;
}

const dir = makeTempDir();
const dataDir = join(dir, 'data');
const files = {
  database: join(dataDir, 'dropleaf.sqlite'),
  replica: join(dir, 'replica'),
  backups: join(dir, 'backups'),
};
const env = { ...noLimits, DATA_DIR: dataDir, SQLITE_CHECKPOINTS: 'external' };

try {
  await makeData(dataDir);
  const token = (await dropleaf(['token', '--user', 'me'], env)).stdout.trim();
  const service = await startDropleaf(env);
  const replication = startLitestream(['replicate']);
  await sleep(2_000);
  const { written, killedAt, backup, longestWal, slowestMs } = await writeUntilKilled(
    service,
    replication,
    token,
  );
  say(`${written.length} drops acknowledged in ${seconds} s, ${megabytes(files.database)} MB of database`);
  say(`longest WAL ${Math.round(longestWal / 1_000_000)} MB, slowest publish ${Math.round(slowestMs)} ms`);
  say(`backup under load: ${backup.line}`);

  renameSync(dataDir, join(dir, 'lost'));
  const begun = performance.now();
  mkdirSync(dataDir, { mode: 0o700 });
  const [code] = await once(startLitestream(['restore', '-o', files.database, files.database]), 'exit');
  if (code !== 0) throw new Error(`litestream restore exited with ${code}`);
  await compare('Litestream', begun, written, killedAt);

  rmSync(dataDir, { recursive: true });
  const copied = performance.now();
  cpSync(
    join(files.backups, readdirSync(files.backups).filter((name) => !name.startsWith('.'))[0] ?? ''),
    dataDir,
    {
      recursive: true,
    },
  );
  await compare(
    'backup',
    copied,
    written.filter(({ at }) => at < backup.begunAt),
    backup.begunAt,
  );
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** Half way through, a backup is made. */
async function writeUntilKilled(service: RunningService, replication: ChildProcess, token: string) {
  const written: Written[] = [];
  let isOver = false;
  let longestWal = 0;
  let slowestMs = 0;
  const watch = setInterval(() => {
    longestWal = Math.max(longestWal, statSync(`${files.database}-wal`).size);
  }, 200);
  const write = async (writer: number) => {
    for (let n = 0; !isOver; n++) {
      try {
        const html = `<h1>${writer}/${n}</h1>${'x'.repeat(bytes)}`;
        const sentAt = performance.now();
        const { slug } = await publish(service.url, token, html);
        slowestMs = Math.max(slowestMs, performance.now() - sentAt);
        written.push({ slug, at: Date.now() });
      } catch (error) {
        if (!isOver) throw error; // its service was killed
      }
    }
  };
  const all = Promise.all(Array.from({ length: writers }, (_, n) => write(n)));
  await sleep((seconds * 1_000) / 2);
  const begunAt = Date.now();
  const { stdout, stderr } = await dropleaf(['backup', files.backups], env);
  await sleep((seconds * 1_000) / 2);
  isOver = true;
  const killedAt = Date.now();
  service.kill('SIGKILL');
  replication.kill('SIGKILL');
  await Promise.all([service.ended(), all]);
  clearInterval(watch);
  return {
    written,
    killedAt,
    longestWal,
    slowestMs,
    backup: { begunAt, line: (stdout.split('\n')[1] ?? stderr).trim() },
  };
}

/** @param until acknowledged drops from before this time should be there */
async function compare(
  name: string,
  begun: number,
  written: readonly Written[],
  until: number,
): Promise<void> {
  const restored = await startDropleaf(env);
  const took = ((performance.now() - begun) / 1_000).toFixed(1);
  const lost: Written[] = [];
  for (const one of written) {
    const response = await fetch(`${restored.url}/p/${one.slug}/raw`);
    if ((await response.text()).length < bytes) lost.push(one);
  }
  restored.kill('SIGTERM');
  await restored.ended();
  const check = await dropleaf(['backup', join(dir, `check of ${name}`)], env); // checks the integrity of its copy
  if (check.code !== 0) throw new Error(check.stderr);
  const oldest = lost.length === 0 ? 0 : until - Math.min(...lost.map(({ at }) => at));
  say(
    `${name}: restored and answering after ${took} s; ${lost.length} of ${written.length} acknowledged drops are lost`,
  );
  if (lost.length > 0) say(`${name}: the oldest lost drop was acknowledged ${oldest} ms before the kill`);
}

function startLitestream([command = '', ...args]: string[]): ChildProcess {
  return spawn(litestream ?? '', [command, '-config', join(projectDir, 'deploy/litestream.yml'), ...args], {
    env: { DROPLEAF_DATABASE: files.database, DROPLEAF_REPLICA: `file://${files.replica}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function megabytes(path: string): string {
  return (statSync(path).size / 1_000_000).toFixed(0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
