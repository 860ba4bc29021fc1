import { readFileSync } from 'node:fs';
import {
  type Config,
  findMisspelled,
  type OptionName,
  optionEntries,
  options,
  readConfig,
} from '../shared/config/config.ts';
import { hostsOf } from '../shared/util/error-texts.ts';
import type { Env } from './process-io.ts';

/**
 * `NAME_FILE`: the secret is in a file, without its last line break. @throws ConfigError: all invalid settings, no contents
 */
export function readSettings(env: Env): Config {
  const values: Record<string, string | undefined> = { ...env };
  const unread = new Map<OptionName, string>();
  for (const [name] of optionEntries()) {
    if (!isFromFile(env, name)) continue;
    const read = env[name]
      ? { fault: `and ${name}_FILE are both set: unset one of them` }
      : readSecret(env, name);
    if ('value' in read) values[name] = read.value;
    else unread.set(name, read.fault);
  }
  return readConfig(values, unread);
}

export function describeMisspelled(env: Env): string[] {
  return findMisspelled(env).map(
    ({ name, meant }) => `${name} is not a setting and has no effect. Did you mean ${meant}?`,
  );
}

export function describeUnused({ EDGE_PURGER, EDGE_PURGE_URL }: Config): string[] {
  if (EDGE_PURGER !== 'none' || EDGE_PURGE_URL === '') return [];
  return [
    'EDGE_PURGE_URL has no effect, because EDGE_PURGER is none: changed pages are not purged from the cache',
  ];
}

export function isFromFile(env: Env, name: OptionName): boolean {
  return 'secret' in options[name] && Boolean(env[`${name}_FILE`]);
}

/** The variable that is set, `NAME` or `NAME_FILE`; null: neither. */
export function variableOf(env: Env, name: OptionName): string | null {
  if (env[name]) return name;
  return isFromFile(env, name) ? `${name}_FILE` : null;
}

export function onlySettings(env: Env, names: readonly OptionName[]): Env {
  const variables = names.flatMap((name) => [name, `${name}_FILE`]);
  return Object.fromEntries(variables.map((variable) => [variable, env[variable]]));
}

/** The servers of the scale-out engine, without credentials. */
export function serverHosts({ MONGODB_URI, REDIS_URL }: Pick<Config, 'MONGODB_URI' | 'REDIS_URL'>) {
  return { mongodb: hostsOf(MONGODB_URI), redis: hostsOf(REDIS_URL) };
}

function readSecret(env: Env, name: OptionName): { value: string } | { fault: string } {
  const path = env[`${name}_FILE`] ?? '';
  const fault = `cannot be read from ${path} (${name}_FILE)`;
  try {
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return value === '' ? { fault: `${fault}: the file is empty` } : { value };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'reading failed';
    return { fault: `${fault}: ${reasons[code] ?? code}` };
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};
