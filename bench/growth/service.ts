import { statSync } from 'node:fs';
import { openMongo } from '../../shared/mongo/connection.ts';
import { databaseFile } from '../../shared/sqlite/data-dir.ts';
import { dropleaf } from '../../test/bin/command.ts';
import { createPlainClient } from '../../test/support/client.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import { type Place, serveAt, signIn } from '../served.ts';
import type { Scene } from './endpoints.ts';
import { type Filled, fill } from './fill.ts';

/** A store filled with `size` drops. */
export interface FilledStore extends Place {
  readonly size: number;
  readonly filled: Filled;
}

const unlimited = '1000000000';
/** The caps stay; requests a minute are not limited. */
const settings = {
  DROPS_PER_ACCOUNT: '500',
  SIGN_IN_STARTS_PER_MINUTE: unlimited,
  SIGN_INS_PER_ACCOUNT: unlimited,
  CODE_TRIES: unlimited,
};

export async function openFilled(place: Place, size: number, seed: number): Promise<FilledStore> {
  process.stderr.write(`${place.engine}: filling with ${size} drops …\n`);
  return { ...place, size, filled: await fill(place.env, { size, seed }) };
}

/** Bytes: of the file, or of data and indexes. */
export async function diskBytesOf({ env: { DATA_DIR, MONGODB_URI: uri } }: Place): Promise<number> {
  if (uri === undefined) return statSync(databaseFile(DATA_DIR ?? '')).size;
  const { connection, close } = await openMongo({ uri, maxConnections: 1, log: createRecordingLog() });
  const { storageSize, indexSize } = (await connection.db?.stats()) ?? {};
  await close();
  return Number(storageSize) + Number(indexSize);
}

/** A service over a filled store. */
export interface FilledService {
  readonly scene: Scene;
  /** MiB of the process that answers, or null. */
  residentMib(): number | null;
  close(): Promise<void>;
}

/** @param env in place of the store's own */
export async function serve(store: FilledStore, env: Place['env'] = {}): Promise<FilledService> {
  const service = await serveAt(store, { ...settings, ...env });
  const { filled, env: own } = store;
  const { url, residentMib, mainThreadCpuMs } = service;
  const client = createPlainClient(url, { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' });
  return {
    scene: {
      filled,
      client,
      fresh: [],
      pollToken: '',
      mainThreadCpuMs,
      cookie: await signIn({ url, env: own }, filled.writer.name),
      signInKey: (await dropleaf(['sign-in-key'], own)).stdout.trim(),
      unread: filled.typical.flatMap(({ slugs }) => slugs),
    },
    residentMib,
    async close() {
      client.close();
      await service.close();
    },
  };
}
