import { rmSync } from 'node:fs';
import { dropleaf } from '../test/bin/command.ts';
import { makeData } from '../test/bin/home.ts';
import { openCluster } from '../test/support/cluster.ts';
import { noLimits } from '../test/support/no-limits.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { startService } from './processes.ts';
import { type OpenStores, openEmbeddedStores, openScaleOutStores } from './stores.ts';

/** A service that runs without limits, over data of its own. */
export interface Served {
  readonly url: string;
  /** Of an account. */
  readonly token: string;
  /** Over a connection of our own, to be closed before the service is. */
  openStores(): Promise<OpenStores>;
  close(): Promise<void>;
}

/** What is set for one of its processes, by the name of that. */
type SettingsOf = (process: string) => Readonly<Record<string, string>>;

interface ServedEngine {
  readonly engine: 'embedded' | 'scale-out';
  serve(settingsOf?: SettingsOf): Promise<Served>;
}

/** The embedded engine; and the other one where MONGODB_URI and REDIS_URL are set. */
export function listEngines(): readonly ServedEngine[] {
  const { MONGODB_URI, REDIS_URL } = process.env;
  const embedded: ServedEngine = { engine: 'embedded', serve: serveEmbedded };
  const scaleOut: ServedEngine = { engine: 'scale-out', serve: serveScaleOut };
  return MONGODB_URI && REDIS_URL ? [embedded, scaleOut] : [embedded];
}

/** One process, `service`. */
async function serveEmbedded(settingsOf: SettingsOf = () => ({})): Promise<Served> {
  const dataDir = makeTempDir();
  await makeData(dataDir);
  const token = (await dropleaf(['token', '--user', 'bench'], { DATA_DIR: dataDir })).stdout.trim();
  const service = await startService({ ...noLimits, ...settingsOf('service'), DATA_DIR: dataDir });
  return {
    url: service.url,
    token,
    openStores: async () => openEmbeddedStores(dataDir),
    async close() {
      await service.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** One process `web` and one `worker`. */
async function serveScaleOut(settingsOf: SettingsOf = () => ({})): Promise<Served> {
  const cluster = await openCluster(noLimits);
  const { url } = await cluster.startWeb(settingsOf('web'));
  await cluster.startWorker(settingsOf('worker'));
  return {
    url,
    token: await cluster.makeToken('bench'),
    openStores: () => openScaleOutStores(cluster.servers.env.MONGODB_URI),
    close: cluster.close,
  };
}
