import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { mongo as driver } from 'mongoose';
import { type Config, isScaleOut } from '../../shared/config/config.ts';
import { openMongo } from '../../shared/mongo/connection.ts';
import type { Redis } from '../../shared/redis/connection.ts';
import { databaseFile } from '../../shared/sqlite/data-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { between } from './between.ts';
import { openTestRedis } from './redis.ts';
import type { TestService } from './service.ts';
import { makeTempDir } from './temp-dir.ts';

/** Every row or document that the service has stored, by table or collection. Settle the service first. */
export async function readStored(config: Config): Promise<Record<string, unknown[]>> {
  if (!isScaleOut(config)) return readSqlite(config);
  const { web_processes, ...all } = Object.fromEntries(await readMongo(config)); // each process renews its own record
  return all;
}

/** After the tests of the suite the service has stored what it had before. @param but a table that may differ */
export function itChangesNothing(service: TestService, { but = '' }: { but?: string } = {}): void {
  const read = async () => {
    await service.settle();
    const { [but]: _, ...compared } = await readStored(service.config);
    return compared;
  };
  between(before, after, read, async (stored) => {
    expect(await read()).to.deep.equal(stored);
  });
}

/** A copy that another process makes: closing a file in this one would end the service's locks on it. */
function copyOf(dir: string): string {
  const copy = makeTempDir();
  const program = "require('node:fs').cpSync(process.argv[1], process.argv[2], { recursive: true })";
  execFileSync(process.execPath, ['-e', program, dir, copy]);
  return copy;
}

/** On a connection of the service's own SQLite, which keeps the service's locks. */
function readSqlite({ DATA_DIR }: Config): Record<string, unknown[]> {
  const database = new DatabaseSync(databaseFile(DATA_DIR), { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const names = tables.map((table) => String(Reflect.get(Object(table), 'name'))).sort();
    return Object.fromEntries(names.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]));
  } finally {
    database.close();
  }
}

/** Where the service keeps what it must have in plain text: for its user alone, apart from all other data. */
const homesOfSecrets = /^(sign-in-key|signing-secret(\.\d+)?|secrets)$/;

/** Every byte that a service keeps, by the name of the file, collection or key; without the homes of its secrets. */
export async function readAtRest(config: Config): Promise<Map<string, Buffer>> {
  const all = [...readFiles(config.DATA_DIR)];
  if (isScaleOut(config)) {
    // As the driver sends them: text as it is, whatever compression the server has.
    for (const [name, documents] of await readMongo(config))
      all.push([name, Buffer.concat(documents.map((each) => driver.BSON.serialize(each)))]);
    all.push(...(await readRedis(config)));
  }
  return new Map(all.filter(([name]) => !homesOfSecrets.test(name)));
}

function* readFiles(dir: string): Generator<[string, Buffer]> {
  for (const entry of readdirSync(copyOf(dir), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) yield [entry.name, readFileSync(join(entry.parentPath, entry.name))];
}

/** The documents of each collection, in the order of their ids. */
async function readMongo({ MONGODB_URI: uri }: Config): Promise<[name: string, documents: object[]][]> {
  const { connection, close } = await openMongo({ uri, maxConnections: 1, log: createRecordingLog() });
  try {
    const names = (await connection.listCollections()).map(({ name }) => name).sort();
    const read = (name: string) => connection.collection(name).find().sort({ _id: 1 }).toArray();
    return await Promise.all(
      names.map(async (name): Promise<[string, object[]]> => [name, await read(name)]),
    );
  } finally {
    await close();
  }
}

async function readRedis({ REDIS_PREFIX: prefix }: Config): Promise<[string, Buffer][]> {
  const redis = await openTestRedis(prefix);
  try {
    const found: [string, Buffer][] = [];
    for await (const keys of redis.client.scanStream({ match: `${redis.keyPrefix}*` })) {
      for (const key of keys)
        found.push([key, Buffer.from(`${key} ${JSON.stringify(await readKey(redis, key))}`)]);
    }
    return found;
  } finally {
    await redis.close();
  }
}

/** DUMP would do for all, but compresses. */
async function readKey({ client }: Redis, key: string): Promise<unknown> {
  const type = await client.type(key);
  switch (type) {
    case 'none': // gone since it was listed
      return null;
    case 'string':
      return client.get(key);
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      throw new Error(`${key} is a ${type}, which is not read here`);
  }
}
