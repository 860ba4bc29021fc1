import { readConfig } from '../../shared/config/config.ts';
import { openOperatorServices } from '../../shared/engines/open-operator-services.ts';
import { dropleaf, type RunningService, startDropleaf } from '../bin/command.ts';
import { makeData } from '../bin/home.ts';
import { openOwnServers } from '../bin/own-servers.ts';
import { type Client, createPlainClient } from '../support/client.ts';
import { noLimits } from '../support/no-limits.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

export type Env = Readonly<Record<string, string>>;
export type EngineName = 'embedded' | 'scale-out';

/** A process that answers requests and runs jobs. */
export interface Web {
  readonly name: string;
  readonly client: Client;
  kill(signal: NodeJS.Signals): void;
}

/** A service and an operator who works beside it, in this process. */
export interface Processes {
  readonly webs: readonly Web[];
  /** Rejects if the change was not acknowledged. */
  readonly operator: Readonly<Record<'takedown' | 'restore', (slug: string) => Promise<unknown>>>;
  readonly token: string;
  close(): Promise<void>;
}

/** How the processes are started. */
export interface StartOptions {
  /** Settings of all processes. */
  readonly settings?: Env;
  /** Settings of one web process. @param env its others */
  readonly settingsOf?: (index: number, env: Env) => Env;
  readonly start?: (env: Env) => Promise<RunningService>;
}

/** One process on SQLite, or two on MongoDB and Redis. */
export async function openProcesses(engine: EngineName, options: StartOptions): Promise<Processes> {
  const { settings, settingsOf = () => ({}), start = startDropleaf } = options;
  const place = engine === 'embedded' ? await openDataDir() : await openOwnServers();
  const env: Env = { ...noLimits, LOG_LEVEL: 'warn', ...place.env, ...settings };
  const running: RunningService[] = [];
  for (let index = 0; index < (engine === 'embedded' ? 1 : 2); index++)
    running.push(await start({ ...env, ...settingsOf(index, env) }));
  const webs = running.map(({ url, kill }, index) => {
    return { name: `web ${index + 1}`, client: createPlainClient(url), kill };
  });
  const config = readConfig({ ...env, MONGODB_CONNECTIONS: '5' });
  const services = await openOperatorServices(config, { log: createRecordingLog() });
  return {
    webs,
    operator: {
      takedown: (slug) => services.moderation.takeDown(slug, { by: 'test', reason: 'phishing' }),
      restore: (slug) => services.moderation.restore(slug, { by: 'test', reason: null }),
    },
    token: (await dropleaf(['token', '--user', 'writer'], env)).stdout.trim(),
    async close() {
      await services.close();
      for (const { client } of webs) client.close();
      for (const one of running) one.kill('SIGKILL');
      await Promise.all(running.map((one) => one.ended()));
      await place.remove();
    },
  };
}

async function openDataDir() {
  const dir = makeTempDir(); // removed when this process ends
  await makeData(dir);
  return { env: { DATA_DIR: dir }, remove: async () => undefined };
}
