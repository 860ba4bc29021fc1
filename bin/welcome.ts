import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, isScaleOut } from '../shared/config/config.ts';
import type { Services } from '../shared/open-services.ts';
import { type Env, variableOf } from './env.ts';
import { nameServers } from './server-names.ts';
import { serverSettings } from './with-services.ts';

const launcher = fileURLToPath(new URL('../../bin/dropleaf.js', import.meta.url));

/**
 * What a newcomer does next. Its commands work as they stand, in any shell of this machine; on MongoDB and Redis
 * where that shell has their addresses, which are secrets and not printed.
 * @param place the folder in which the service runs, and its environment
 * @param isTerminal whether the text goes to a terminal. Elsewhere it may be kept, as in a journal, and holds no secret
 */
export function welcome(
  { config, signInKey, identityProvider }: Pick<Services, 'config' | 'signInKey' | 'identityProvider'>,
  place: { cwd: string; env: Env },
  isTerminal: boolean,
): string {
  const base = config.BASE_URL;
  const { where, terminal, settings } = isScaleOut(config) ? onServers(config, place) : onDisk(config, place);
  const command = settings + quote(fromHere(place.cwd, launcher));
  const key = isTerminal
    ? `this sign-in key:\n\n  ${signInKey}`
    : `the sign-in key, which this command prints:\n\n  ${command} sign-in-key`;
  const how =
    signInKey === null
      ? `by signing in with ${identityProvider?.name}.`
      : `with a name of your choice and ${key}`;
  const warning = isLocal(config)
    ? '\nPages get addresses on localhost: set BASE_URL to the address that other machines use.\n'
    : '';
  return `
Dropleaf runs at ${base} and keeps its data in ${where}. Ctrl+C stops it.
${warning}
To publish a page, open a second terminal${terminal}:

  cd ${quote(place.cwd)}
  TOKEN=$(${command} token --user me)
  curl -sS ${quote(`${base}/api/drops`)} -H "Authorization: Bearer $TOKEN" \\
    -H 'Content-Type: application/json' \\
    -d '{"title":"Hello","html":"<!doctype html><title>Hello</title><h1>Hello, world</h1>"}'

Other programs sign in by themselves, as ${base}/api/onboard tells them, and show you a code.
You approve it at ${base}/sign-in ${how}

`;
}

interface Whereabouts {
  readonly where: string;
  /** What the second terminal must have. */
  readonly terminal: string;
  /** What stands before a command, with the space after it. */
  readonly settings: string;
}

function onDisk(
  { DATA_DIR }: Pick<Config, 'DATA_DIR'>,
  { cwd, env }: { cwd: string; env: Env },
): Whereabouts {
  const dir = resolve(cwd, DATA_DIR);
  return { where: dir, terminal: '', settings: env.DATA_DIR ? `DATA_DIR=${quote(dir)} ` : '' };
}

function onServers(config: Config, { env }: { env: Env }): Whereabouts {
  const { mongodb, redis } = nameServers(config);
  const names = serverSettings.flatMap((name) => variableOf(env, name) ?? []).join(', ');
  return {
    where: `MongoDB (${mongodb}) and Redis (${redis})`,
    terminal: ` in which these are set as they are here: ${names}`,
    settings: '',
  };
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
