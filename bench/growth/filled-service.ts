import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMongo } from '../../shared/adapters/mongo/connection.ts';
import { openRedis } from '../../shared/adapters/redis/connection.ts';
import { databaseFile } from '../../shared/adapters/sqlite/data-dir.ts';
import { readConfig } from '../../shared/config/config.ts';
import { migrateStores } from '../../shared/open-stores.ts';
import { dropleaf, startWebProcess, startWorkerProcess, type Watched } from '../../test/bin/command.ts';
import { createPlainClient } from '../../test/support/client.ts';
import { emptyRedis } from '../../test/support/redis.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import { mainThreadCpuMs, residentMib, startService } from '../processes.ts';
import { type Scene, signIn } from './endpoints.ts';
import { type Filled, fill } from './fill.ts';

export type EngineName = 'embedded' | 'scale-out';
type Env = Readonly<Record<string, string>>;

/** A store filled with `size` drops. */
export interface FilledStore {
  readonly engine: EngineName;
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

/** What is kept of a store beside its data. */
interface Kept {
  readonly env: Env;
  readonly filled: Filled;
}

/** Fills a store, unless one of this size and seed is in the folder. */
export async function openFilled(
  engine: EngineName,
  { size, seed, dir }: { size: number; seed: number; dir: string },
): Promise<FilledStore> {
  const name = `growth-${engine}-${size}-${seed}`;
  const file = join(dir, `${name}.json`);
  if (!existsSync(file)) {
    const env = engine === 'embedded' ? { DATA_DIR: join(dir, name) } : serversOf(name);
    await removeData(env); // of a fill that was interrupted
    const filled = await fill(env, { size, seed }, (line) => process.stderr.write(`${name}: ${line}\n`));
    writeFileSync(file, JSON.stringify({ env, filled } satisfies Kept), { mode: 0o600 });
  }
  const { env, filled } = JSON.parse(readFileSync(file, 'utf8')) as Kept; // proof: written by this function
  await migrateStores(readConfig(env), { log: createRecordingLog() }); // a kept store may be of an earlier release
  return {
    ...{ engine, size, env, filled },
    diskBytes: () => diskBytes(env),
    async remove() {
      await removeData(env);
      rmSync(file);
    },
  };
}

/** A database and a Redis prefix that nobody has. */
function serversOf(name: string): Env {
  const { MONGODB_URI = '', REDIS_URL = '' } = process.env;
  const own = `${name}-${randomBytes(4).toString('hex')}`;
  const uri = MONGODB_URI.replace(/^([^/]*\/\/[^/?]*)(\/[^?]*)?/, `$1/dropleaf_${own.replaceAll('-', '_')}`);
  return { MONGODB_URI: uri, REDIS_URL, REDIS_PREFIX: own };
}

async function withServers<T>(
  { MONGODB_URI = '', REDIS_URL = '', REDIS_PREFIX = '' }: Env,
  work: (servers: {
    mongo: Awaited<ReturnType<typeof openMongo>>;
    redis: Awaited<ReturnType<typeof openRedis>>;
  }) => Promise<T>,
): Promise<T> {
  const log = createRecordingLog();
  const mongo = await openMongo({ uri: MONGODB_URI, maxConnections: 1, log, isMigration: true });
  const redis = await openRedis({ url: REDIS_URL, prefix: REDIS_PREFIX, rejectUnauthorized: true, log });
  try {
    return await work({ mongo, redis });
  } finally {
    await Promise.all([mongo.close(), redis.close()]);
  }
}

async function removeData(env: Env): Promise<void> {
  if (env.DATA_DIR !== undefined) return rmSync(env.DATA_DIR, { recursive: true, force: true });
  await withServers(env, async ({ mongo, redis }) => {
    await mongo.connection.dropDatabase();
    await emptyRedis(redis);
  });
}

async function diskBytes(env: Env): Promise<number> {
  if (env.DATA_DIR !== undefined) return statSync(databaseFile(env.DATA_DIR)).size;
  return withServers(env, async ({ mongo: { connection } }) => {
    const { storageSize, indexSize } = (await connection.db?.stats()) ?? {};
    return Number(storageSize) + Number(indexSize);
  });
}

/** A service over a filled store. */
export interface FilledService {
  readonly scene: Scene;
  /** MiB of the process that answers, or null. */
  residentMib(): number | null;
  close(): Promise<void>;
}

/** One process, or a web process and a worker. @param env in place of the store's own */
export async function serve(store: FilledStore, env: Env = {}): Promise<FilledService> {
  const all = { ...settings, ...store.env, ...env };
  const service = store.engine === 'embedded' ? await startService(all) : await startProcesses(all);
  const client = createPlainClient(service.url, {
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'same-origin',
  });
  const signInKey = (await dropleaf(['sign-in-key'], store.env)).stdout.trim();
  const cookies = new Map<string, string>();
  for (const { name } of [store.filled.writer, ...(store.filled.large ? [store.filled.large] : [])]) {
    const { cookies: set, status } = await signIn(client, name, signInKey);
    const [cookie = ''] = set[0]?.split(';') ?? [];
    if (cookie === '') throw new Error(`The sign-in was answered ${status}`);
    cookies.set(name, cookie);
  }
  const unread = store.filled.typical.flatMap(({ slugs }) => slugs);
  return {
    scene: {
      filled: store.filled,
      client,
      cookies,
      signInKey,
      fresh: [],
      unread,
      pollToken: '',
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
      for (const each of [web, worker] satisfies Watched[]) each.kill('SIGTERM');
      await Promise.all([web.ended(), worker.ended()]);
    },
  };
}
