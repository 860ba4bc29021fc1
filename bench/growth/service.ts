import { rmSync, statSync } from 'node:fs';
import { openMongo } from '../../shared/mongo/connection.ts';
import { databaseFile } from '../../shared/sqlite/data-dir.ts';
import { dropleaf, startWebProcess, startWorkerProcess } from '../../test/bin/command.ts';
import { openOwnServers } from '../../test/bin/own-servers.ts';
import { createPlainClient } from '../../test/support/client.ts';
import { makeTempDir } from '../../test/support/temp-dir.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import { mainThreadCpuMs, residentMib, startService } from '../processes.ts';
import { type Served, signIn } from '../served.ts';
import type { Scene } from './endpoints.ts';
import { type Filled, fill } from './fill.ts';

type Env = Readonly<Record<string, string>>;

/** A store filled with `size` drops. */
export interface FilledStore {
  readonly engine: Served['engine'];
  readonly size: number;
  readonly filled: Filled;
  readonly env: Env;
  /** Bytes: of the file, or of data and indexes. */
  diskBytes(): Promise<number>;
  remove(): Promise<void>;
}

const unlimited = '1000000000';
/** The caps stay; requests a minute are not limited. */
const settings = {
  WRITES_PER_MINUTE: unlimited,
  WRITES_PER_DAY: unlimited,
  CHANGES_PER_MINUTE: unlimited,
  SIGN_IN_STARTS_PER_MINUTE: unlimited,
  SIGN_INS_PER_ACCOUNT: unlimited,
  CODE_TRIES: unlimited,
};

export async function openFilled(
  engine: Served['engine'],
  { size, seed }: { size: number; seed: number },
): Promise<FilledStore> {
  process.stderr.write(`${engine}: filling with ${size} drops …\n`);
  const { env, ...store } = engine === 'embedded' ? newDataDir() : await newServers();
  return { engine, size, env, filled: await fill(env, { size, seed }), ...store };
}

function newDataDir() {
  const dir = makeTempDir();
  return {
    env: { DATA_DIR: dir },
    diskBytes: async () => statSync(databaseFile(dir)).size,
    remove: async () => rmSync(dir, { recursive: true }),
  };
}

async function newServers() {
  const { env, remove } = await openOwnServers();
  return {
    env,
    remove,
    async diskBytes() {
      const log = createRecordingLog();
      const { connection, close } = await openMongo({ uri: env.MONGODB_URI, maxConnections: 1, log });
      const { storageSize, indexSize } = (await connection.db?.stats()) ?? {};
      await close();
      return Number(storageSize) + Number(indexSize);
    },
  };
}

/** A service over a filled store. */
export interface FilledService {
  readonly scene: Scene;
  /** MiB of the process that answers, or null. */
  residentMib(): number | null;
  close(): Promise<void>;
}

/** One process, or a web process and a worker. @param env in place of the store's own */
export async function serve(
  { engine, filled, env: own }: FilledStore,
  env: Env = {},
): Promise<FilledService> {
  const all = { ...settings, ...own, ...env };
  const service = engine === 'embedded' ? await startService(all) : await startProcesses(all);
  const { url } = service;
  const asBrowser = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' };
  const client = createPlainClient(url, asBrowser);
  return {
    scene: {
      ...{ filled, client, fresh: [], pollToken: '' },
      cookie: await signIn({ url, env: own }, filled.writer.name),
      signInKey: (await dropleaf(['sign-in-key'], own)).stdout.trim(),
      unread: filled.typical.flatMap(({ slugs }) => slugs),
      mainThreadCpuMs: service.mainThreadCpuMs,
    },
    residentMib: service.residentMib,
    async close() {
      client.close();
      await service.stop();
    },
  };
}

async function startProcesses(env: Env) {
  const web = await startWebProcess({ HOST: '127.0.0.1', ...env });
  const worker = await startWorkerProcess(env);
  return {
    url: web.url,
    residentMib: () => residentMib(web.pid),
    mainThreadCpuMs: () => mainThreadCpuMs(web.pid),
    async stop() {
      for (const each of [web, worker]) each.kill('SIGTERM');
      await Promise.all([web.ended(), worker.ended()]);
    },
  };
}
