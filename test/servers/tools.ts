import { join } from 'node:path';
import { findProgram, programFolders } from './programs.ts';
import type { Search } from './search.ts';

/** Programs that tests start by themselves: the setting that names each, and its file. */
const tools = {
  TEST_NGINX: 'nginx',
  TEST_REDIS_SERVER: 'redis-server',
  TEST_TOXIPROXY: 'toxiproxy-server',
  TEST_VARNISH: 'varnishd',
} as const;

/**
 * Where they are, by setting: what the environment names, else what the cache has, else what the machine has. Toxiproxy
 * is built first where Go is, and Varnish where apt is. One that can't be had is left out.
 */
export async function findTools(search: Search): Promise<Record<string, string>> {
  const folders = foldersOf(search);
  if (locate(search, 'TEST_TOXIPROXY') === undefined && findProgram('go', folders) !== undefined) {
    const fault = await search.cache.build('toxiproxy');
    if (fault !== null) search.say(`Test servers: there is no Toxiproxy: ${fault}`);
  }
  const found: Record<string, string> = await findVarnish(search);
  for (const setting of ['TEST_NGINX', 'TEST_REDIS_SERVER', 'TEST_TOXIPROXY'] as const) {
    const path = locate(search, setting);
    if (path !== undefined) found[setting] = path;
  }
  return found;
}

/** The one of them that tests of the embedded engine start, too; a matter of seconds where it is to be had first. */
export async function findVarnish(search: Search): Promise<Record<string, string>> {
  const folders = foldersOf(search);
  if (locate(search, 'TEST_VARNISH') === undefined && findProgram('apt-get', folders) !== undefined) {
    const fault = await search.cache.build('varnish');
    if (fault !== null) search.say(`Test servers: there is no Varnish: ${fault}`);
  }
  const path = locate(search, 'TEST_VARNISH');
  return path === undefined ? {} : { TEST_VARNISH: path };
}

function locate(search: Search, setting: keyof typeof tools): string | undefined {
  return search.env[setting] || findProgram(tools[setting], foldersOf(search));
}

function foldersOf({ cache }: Search): string[] {
  return [join(cache.dir, 'bin'), ...programFolders()];
}
