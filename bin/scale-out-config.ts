import type { Config } from '../shared/config/config.ts';
import { type Env, isSet, readSettings } from './env.ts';
import { UsageError } from './usage-error.ts';

/**
 * The settings of a process that is one of many.
 * @throws UsageError where they choose the engine of one machine
 * @throws ConfigError naming every fault
 */
export function readScaleOutConfig(command: 'web' | 'worker', env: Env): Config {
  const missing = (['MONGODB_URI', 'REDIS_URL'] as const).filter((name) => !isSet(env, name));
  if (missing.length === 0) return readSettings(env);
  throw new UsageError(
    `"dropleaf ${command}" is one of many processes and needs MONGODB_URI and REDIS_URL (unset: ` +
      `${missing.join(', ')}); "npm start" (dropleaf start) serves one machine without them`,
  );
}
