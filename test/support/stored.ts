import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { openMongo } from '../../shared/adapters/mongo/connection.ts';
import { type Config, isScaleOut } from '../../shared/config/config.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { makeTempDir } from './temp-dir.ts';

/** Every row or document that the service has stored, by table or collection. Settle the service first. */
export function readStored(config: Config): Promise<Record<string, unknown[]>> {
  return isScaleOut(config) ? readMongo(config) : Promise.resolve(readSqlite(config));
}

/** From a copy, which another process makes: closing the file in this one would end the service's locks on it. */
function readSqlite({ DATA_DIR }: Config): Record<string, unknown[]> {
  const copy = makeTempDir();
  const files = readdirSync(DATA_DIR).filter((name) => /^dropleaf\.sqlite(-wal)?$/.test(name));
  execFileSync('cp', [...files.map((name) => join(DATA_DIR, name)), copy]);
  const database = new DatabaseSync(join(copy, 'dropleaf.sqlite'));
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const names = tables.map((table) => String(Reflect.get(Object(table), 'name'))).sort();
    return Object.fromEntries(names.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]));
  } finally {
    database.close();
  }
}

async function readMongo({ MONGODB_URI: uri }: Config): Promise<Record<string, unknown[]>> {
  const { connection, close } = await openMongo({ uri, maxConnections: 1, log: createRecordingLog() });
  try {
    const all = (await connection.listCollections()).map(({ name }) => name).sort();
    const names = all.filter((name) => name !== 'web_processes'); // each process renews its own record all the time
    const read = (name: string) => connection.collection(name).find().sort({ _id: 1 }).toArray();
    return Object.fromEntries(
      await Promise.all(names.map(async (name): Promise<[string, unknown[]]> => [name, await read(name)])),
    );
  } finally {
    await close();
  }
}
