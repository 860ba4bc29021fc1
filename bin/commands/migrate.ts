import { isScaleOut } from '../../shared/config/config.ts';
import { migrateStores } from '../../shared/open-stores.ts';
import { type Env, readSettings } from '../env.ts';
import { createLog } from '../log.ts';
import { nameServers } from '../server-names.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Makes in MongoDB what the release needs. A fault in any setting stops it: a platform runs it before the release
 * goes out, and a release that could not start should not.
 * @throws UsageError where the settings choose the engine of one machine
 */
export async function migrate(env: Env): Promise<void> {
  const config = readSettings(env);
  if (!isScaleOut(config)) {
    throw new UsageError(
      'MONGODB_URI is unset: there is nothing to migrate, because SQLite is prepared by "dropleaf start"',
    );
  }
  await migrateStores(config, { log: createLog(config.LOG_LEVEL) });
  process.stdout.write(`MongoDB (${nameServers(config).mongodb}) is prepared for this release.\n`);
}
