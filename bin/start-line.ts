import { resolve } from 'node:path';
import { type Config, engineName, isScaleOut } from '../shared/config/config.ts';
import { storeForm } from '../shared/open-stores.ts';
import { readVersion } from '../shared/version.ts';
import { serverHosts } from './environment.ts';
import type { ProcessIo } from './process-io.ts';

export type ProcessName = 'start' | 'web' | 'worker';

const messages: Readonly<Record<ProcessName, string>> = {
  start: 'service is ready',
  web: 'web process is ready',
  worker: 'worker is ready',
};

/** The line that each process logs once it works: the same fields for all three, null for what a worker does not have. */
export function describeStart(
  name: ProcessName,
  config: Config,
  { cwd }: Pick<ProcessIo, 'cwd'>,
): { fields: object; message: string } {
  const listens = name !== 'worker';
  return {
    message: messages[name],
    fields: {
      process: name,
      version: readVersion(),
      engine: engineName(config),
      form: storeForm(engineName(config)),
      address: listens ? config.HOST : null,
      port: listens ? config.PORT : null,
      baseUrl: listens ? config.BASE_URL : null,
      data: describePlace(config, cwd()),
    },
  };
}

/** Where the data is: a folder, or servers without credentials. */
export function describePlace(config: Config, folder: string): string {
  if (!isScaleOut(config)) return resolve(folder, config.DATA_DIR);
  const { mongodb, redis } = serverHosts(config);
  return `MongoDB (${mongodb}) and Redis (${redis})`;
}
