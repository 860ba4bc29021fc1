import type { Config } from '../config/config.ts';
import { isScaleOut } from '../config/config.ts';

/** What is wrong with the addresses of the servers, found without asking them: a sentence each, which names the setting. */
export async function findServerFaults(config: Pick<Config, 'MONGODB_URI' | 'REDIS_URL'>): Promise<string[]> {
  if (!isScaleOut(config)) return [];
  const { findUriFault } = await import('../mongo/connection.ts'); // not loaded for SQLite
  const { findUrlFault } = await import('../redis/connection.ts');
  const faults = [findUriFault(config.MONGODB_URI), findUrlFault(config.REDIS_URL)];
  return faults.filter((fault) => fault !== null);
}
