// Servers of the scale-out engine in the foreground, for people who develop: found or started as for the tests, with
// empty data, and stopped by Ctrl-C.
import { createCache } from './cache.ts';
import { findServers } from './find.ts';
import { createKeepers } from './keepers.ts';

const keepers = createKeepers();
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.once(signal, () => keepers.stopAll());
const found = await findServers({ env: process.env, keepers, cache: createCache(keepers), say });

if (found.kind === 'servers') {
  say(`${found.from}, until Ctrl-C. In other terminals:\n`);
  say(`export MONGODB_URI=${found.mongodbUri} REDIS_URL=${found.redisUrl}`);
  say('npm start');
  await found.keeper?.ended;
} else {
  say(found.kind === 'wrong' ? found.reason : `No servers can be had:\n- ${found.reasons.join('\n- ')}`);
  process.exitCode = 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
