import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  return `
Dropleaf runs at ${base} and keeps its data in ${dataDir}. Ctrl+C stops it.

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

/** The path as one types it in that folder, where it lies below; else in full. */
function fromHere(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}

/** As a POSIX shell reads it as one word. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
