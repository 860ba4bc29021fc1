import type { Config } from '../shared/config/config.ts';
import { hostsOf } from '../shared/util/server-hosts.ts';

/** Where the data of the scale-out engine is, for people: never a credential. */
export function nameServers({ MONGODB_URI, REDIS_URL }: Pick<Config, 'MONGODB_URI' | 'REDIS_URL'>) {
  return { mongodb: hostsOf(MONGODB_URI), redis: hostsOf(REDIS_URL) };
}
