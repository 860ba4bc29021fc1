import { debianServers } from './debian.ts';
import { dockerServers } from './docker.ts';
import { findFault } from './reach.ts';
import type { Found, Search } from './search.ts';

const answerMs = 5_000;

/**
 * The servers of the scale-out engine: those that MONGODB_URI and REDIS_URL name; else containers, where Docker has an
 * engine; else, on Debian as root, what its packages and Go's modules give. Never rejects for want of servers.
 */
export async function findServers(search: Search): Promise<Found> {
  const { MONGODB_URI: mongodbUri, REDIS_URL: redisUrl } = search.env;
  if (mongodbUri && redisUrl) {
    const fault = await findFault({ mongodbUri, redisUrl }, answerMs);
    if (fault !== null) return { kind: 'wrong', reason: fault };
    return { kind: 'servers', mongodbUri, redisUrl, from: 'MONGODB_URI and REDIS_URL' };
  }
  if (mongodbUri || redisUrl) {
    const [set, unset] = mongodbUri ? ['MONGODB_URI', 'REDIS_URL'] : ['REDIS_URL', 'MONGODB_URI'];
    return { kind: 'wrong', reason: `${set} is set, and ${unset} is not: set both, or neither` };
  }
  const reasons = ['MONGODB_URI and REDIS_URL are not set'];
  for (const source of [dockerServers, debianServers]) {
    const found = await source(search);
    if (typeof found !== 'string') return found;
    reasons.push(found);
  }
  return { kind: 'none', reasons };
}
