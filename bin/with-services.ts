import type { Config, OptionName } from '../shared/config/config.ts';
import { type OperatorServices, openOperatorServices } from '../shared/open-operator-services.ts';
import { type Env, onlySettings, readSettings } from './env.ts';
import { createLog } from './log.ts';

/** What says where the scale-out engine has its data. */
export const serverSettings = [
  'MONGODB_URI',
  'REDIS_URL',
  'REDIS_PREFIX',
  'REDIS_TLS_REJECT_UNAUTHORIZED',
] as const satisfies OptionName[];

/**
 * The settings of a command that works beside the service: where the data is, and those that are named. A fault in
 * any other is not in the way. Few connections and a quiet log are enough for it.
 * @throws ConfigError naming every fault
 */
export function readDataConfig(env: Env, others: readonly OptionName[] = []): Config {
  const needed: OptionName[] = ['DATA_DIR', ...serverSettings, ...others];
  return readSettings({
    ...onlySettings(env, needed),
    MONGODB_CONNECTIONS: '2',
    LOG_LEVEL: 'error',
  });
}

/**
 * Opens the data of a service that runs or does not, and closes it after use.
 * @throws Error naming DATA_DIR where no service has made any there
 */
export async function withServices(
  config: Config,
  use: (services: OperatorServices) => Promise<void>,
): Promise<void> {
  const services = await openOperatorServices(config, { log: createLog(config.LOG_LEVEL) });
  try {
    await use(services);
  } finally {
    await services.close();
  }
}
