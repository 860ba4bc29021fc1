import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginxConfig } from '../support/nginx.ts';
import { projectDir } from '../support/programs.ts';

/** As operators do it: addresses and the folder of the cache are what must be changed. @param origins of the web processes */
export function configFor(port: number, origins: readonly string[]): string {
  let site = readFileSync(join(projectDir, 'deploy', 'nginx.conf'), 'utf8');
  const servers = origins.map((origin) => `server ${new URL(origin).host} max_fails=0;`);
  for (const [known, own] of [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['server 127.0.0.1:3000 max_fails=0;', servers.join(' ')],
    ['/var/cache/nginx/dropleaf', 'cache'],
  ] as const) {
    if (!site.includes(known)) throw new Error(`deploy/nginx.conf has no "${known}"`);
    site = site.replace(known, own);
  }
  return nginxConfig(site);
}
