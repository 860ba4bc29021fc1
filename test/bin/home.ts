import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { type Env, type RunningService, startDropleaf, startHere } from './command.ts';

/** A data directory of its own for each test. */
export interface Home {
  readonly dir: string;
  readonly env: { readonly DATA_DIR: string };
  /** Runs `bin/dropleaf.js start` in this process until the test ends. */
  start(env?: Env, terminal?: { isTTY: boolean }): Promise<RunningService>;
  /** The same in a process of its own. */
  spawn(env?: Env): Promise<RunningService>;
}

export function useHome(): Home {
  let dir: string;
  let services: RunningService[];

  beforeEach(() => {
    dir = makeTempDir();
    services = [];
  });

  afterEach(async () => {
    for (const service of services) service.kill(service.pid === undefined ? 'SIGTERM' : 'SIGKILL');
    await Promise.all(services.map((service) => service.ended()));
    rmSync(dir, { recursive: true });
  });

  async function keep(starting: Promise<RunningService>): Promise<RunningService> {
    const service = await starting;
    services.push(service);
    return service;
  }

  return {
    get dir() {
      return dir;
    },
    get env() {
      return { DATA_DIR: dir };
    },
    start: (env = {}, terminal) => keep(startHere({ DATA_DIR: dir, ...env }, terminal)),
    spawn: (env = {}) => keep(startDropleaf({ DATA_DIR: dir, ...env })),
  };
}

/** Creates the data that a service leaves in a new directory. */
export async function makeData(dataDir: string): Promise<void> {
  await openDatabase(join(dataDir, 'dropleaf.sqlite')).close();
}

interface Published {
  readonly slug: string;
  readonly url: string;
  readonly raw_url: string;
}

/** Publishes a page titled "A title". */
export async function publish(base: string, token: string, html: string): Promise<Published> {
  const response = await fetch(`${base}/api/drops`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'A title', html }),
  });
  const text = await response.text();
  expect(response.status, text).to.equal(201);
  return JSON.parse(text) as Published; // proof: what is read of it is fetched
}
