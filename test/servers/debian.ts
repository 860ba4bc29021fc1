import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { contained } from './cache.ts';
import { findFreePorts } from './ports.ts';
import { findProgram, programFolders } from './programs.ts';
import { awaitAnswers, onThisMachine } from './reach.ts';
import { script } from './scripts.ts';
import type { Search, Servers } from './search.ts';

const startMs = 60_000;

/** FerretDB in front of DocumentDB, and Redis, out of the package registries; or why there are none. */
export async function debianServers({ keepers, cache, say }: Search): Promise<Servers | string> {
  const obstacle = findObstacle();
  if (obstacle !== null) return `Debian's packages: ${obstacle}`;

  if (!cache.has('ferretdb') && findProgram('go', programFolders()) === undefined) {
    return 'Debian\'s packages: FerretDB is built with Go, and there is no "go" in PATH';
  }
  if (!cache.has('root') || !cache.has('ferretdb')) {
    say(`Test servers: they are built once, in ${cache.dir}; this takes about two minutes.`);
  }
  const faults = await Promise.all([cache.build('root'), cache.build('ferretdb')]);
  const told = faults.filter((fault) => fault !== null);
  if (told.length > 0) return `Debian's packages: ${told.join('\n')}`;

  const [postgresql, mongodb, redis] = await findFreePorts(3);
  const addresses = onThisMachine(mongodb, redis);
  const command = ['sh', script('debian.sh'), cache.dir, `${postgresql}`, `${mongodb}`, `${redis}`] as const;
  const keeper = keepers.start(command);
  const fault = await awaitAnswers(addresses, keeper, startMs);
  const from = `FerretDB on DocumentDB, and Redis, of ${cache.dir}`;
  if (fault === null) return { kind: 'servers', ...addresses, from, keeper };
  await keeper.stop();
  return `Debian's packages: the servers do not start: ${fault}`;
}

function findObstacle(): string | null {
  if (!isDebian()) return 'this is not Debian';
  if (process.getuid?.() !== 0) return 'only root may unpack and run them';
  const [program, ...options] = contained;
  const { status, stderr, error } = spawnSync(program, [...options, 'true'], { encoding: 'utf8' });
  if (status === 0) return null;
  return `nobody may mount here, as in a container without CAP_SYS_ADMIN (${error?.message ?? stderr.trim()})`;
}

function isDebian(): boolean {
  try {
    return /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false; // no such file: another kind of system
  }
}
