import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../shared/config.ts';
import type { Services } from '../shared/open-services.ts';

const launcher = fileURLToPath(new URL('../../bin/dropleaf.js', import.meta.url));

/**
 * What a newcomer does next. Its commands work as they stand, in any shell of this machine.
 * @param dirs the folder in which the service runs, and DATA_DIR where the environment sets it
 */
export function welcome(
  { config, signInKey, identityProvider }: Pick<Services, 'config' | 'signInKey' | 'identityProvider'>,
  dirs: { cwd: string; dataDirSet: string | undefined },
): string {
  const base = config.BASE_URL;
  const dataDir = resolve(dirs.cwd, config.DATA_DIR);
  const setting = dirs.dataDirSet ? `DATA_DIR=${quote(dataDir)} ` : '';
  const command = setting + quote(fromHere(dirs.cwd, launcher));
  const how =
    signInKey === null
      ? `by signing in with ${identityProvider?.name}.`
      : `with a name of your choice and this sign-in key:\n\n  ${signInKey}`;
  const warning = isLocal(config)
    ? '\nPages get addresses on localhost: set BASE_URL to the address that other machines use.\n'
    : '';
  return `
Dropleaf runs at ${base} and keeps its data in ${dataDir}. Ctrl+C stops it.
${warning}
To publish a page, open a second terminal:

  cd ${quote(dirs.cwd)}
  TOKEN=$(${command} token --user me)
  curl -sS ${quote(`${base}/api/drops`)} -H "Authorization: Bearer $TOKEN" \\
    -H 'Content-Type: application/json' \\
    -d '{"title":"Hello","html":"<!doctype html><title>Hello</title><h1>Hello, world</h1>"}'

Other programs sign in by themselves, as ${base}/api/onboard tells them, and show you a code.
You approve it at ${base}/sign-in ${how}

`;
}

/** Whether others can reach the service, but not the addresses that it hands out. */
function isLocal({ HOST, BASE_URL }: Pick<Config, 'HOST' | 'BASE_URL'>): boolean {
  return ['0.0.0.0', '::'].includes(HOST) && new URL(BASE_URL).hostname === 'localhost';
}

/** The path as one types it in that folder, where it lies below; else in full. */
function fromHere(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}

/** As a POSIX shell reads it as one word. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
