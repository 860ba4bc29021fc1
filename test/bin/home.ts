import { rmSync } from 'node:fs';
import { makeTempDir } from '../support/temp-dir.ts';
import { type Env, type RunningService, startDropleaf } from './command.ts';

/** Where the commands of one test are at home, and the services that it starts there. */
export interface Home {
  readonly dir: string;
  /** Says so to a command. */
  readonly env: { readonly DATA_DIR: string };
  /** Runs `dropleaf start` there, which is ended after the test. */
  start(env?: Env): Promise<RunningService>;
}

/**
 * Gives each test a data folder of its own, which is gone after it.
 * @param ending what ends a service that the test leaves running
 */
export function useHome(ending: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Home {
  let dir: string;
  let services: RunningService[];

  beforeEach(() => {
    dir = makeTempDir();
    services = [];
  });

  afterEach(async () => {
    for (const service of services) service.kill(ending);
    await Promise.all(services.map((service) => service.ended()));
    rmSync(dir, { recursive: true });
  });

  return {
    get dir() {
      return dir;
    },
    get env() {
      return { DATA_DIR: dir };
    },
    async start(env = {}) {
      const service = await startDropleaf({ DATA_DIR: dir, ...env });
      services.push(service);
      return service;
    },
  };
}
