import { spawnSync } from 'node:child_process';
import { findFreePorts } from './ports.ts';
import { awaitAnswers, onThisMachine } from './reach.ts';
import { projectDir, script } from './scripts.ts';
import type { Search, Servers } from './search.ts';

/** Images may have to be downloaded first. */
const startMs = 300_000;

/** The containers of compose.yaml, in a project of their own; or why there are none. */
export async function dockerServers({ keepers, say }: Search): Promise<Servers | string> {
  if (!succeeds(['info', '--format', '{{.ServerVersion}}'])) return 'Docker: no engine answers';
  if (!succeeds(['compose', 'version'])) return 'Docker: there is an engine, but no "docker compose"';

  say('Test servers: Docker starts MongoDB and Redis.');
  const [mongodb, redis] = await findFreePorts(2);
  const addresses = onThisMachine(mongodb, redis);
  const command = [
    'sh',
    script('docker.sh'),
    `${projectDir}compose.yaml`,
    `dropleaf-test-${process.pid}`,
  ] as const;
  const keeper = keepers.start(command, { MONGODB_PORT: `${mongodb}`, REDIS_PORT: `${redis}` });
  const fault = await awaitAnswers(addresses, keeper, startMs);
  if (fault === null) return { kind: 'servers', ...addresses, from: 'MongoDB and Redis in Docker', keeper };
  await keeper.stop();
  return `Docker: ${fault}`;
}

function succeeds(args: readonly string[]): boolean {
  return spawnSync('docker', args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}
