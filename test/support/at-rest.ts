import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mongo as driver } from 'mongoose';
import { openMongo } from '../../shared/adapters/mongo/connection.ts';
import { openRedis, type Redis } from '../../shared/adapters/redis/connection.ts';
import { type Config, isScaleOut } from '../../shared/config/config.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

/** Where the service keeps what it must have in plain text: for its user alone, apart from all other data. */
const homesOfSecrets = /^(sign-in-key|signing-secret(\.\d+)?|secrets)$/;

/** Every byte that a service keeps, by the name of the file, collection or key; without the homes of its secrets. */
export async function readAtRest(config: Config): Promise<Map<string, Buffer>> {
  const all = [...readFiles(config.DATA_DIR)];
  if (isScaleOut(config)) all.push(...(await readMongo(config)), ...(await readRedis(config)));
  return new Map(all.filter(([name]) => !homesOfSecrets.test(name)));
}

/** By another process: closing a file in this one would end its locks on it. */
function* readFiles(dir: string): Generator<[string, Buffer]> {
  for (const { name, parentPath } of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(parentPath, name);
    yield [name, execFileSync('cat', [path], { maxBuffer: 2 ** 30 })];
  }
}

/** As the driver sends them: text as it is, whatever compression the server has. */
async function readMongo({ MONGODB_URI: uri }: Config): Promise<[string, Buffer][]> {
  const { connection, close } = await openMongo({ uri, maxConnections: 1, log: createRecordingLog() });
  try {
    const found: [string, Buffer][] = [];
    for (const { name } of await connection.listCollections()) {
      const documents = await connection.collection(name).find().toArray();
      found.push([name, Buffer.concat(documents.map((each) => driver.BSON.serialize(each)))]);
    }
    return found;
  } finally {
    await close();
  }
}

async function readRedis({ REDIS_URL: url, REDIS_PREFIX: prefix }: Config): Promise<[string, Buffer][]> {
  const log = createRecordingLog();
  const redis = await openRedis({ url, prefix, rejectUnauthorized: true, log });
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
