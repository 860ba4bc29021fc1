import { readFileSync } from 'node:fs';
import {
  type Config,
  ConfigError,
  findMisspelled,
  type OptionName,
  optionEntries,
  options,
  readConfig,
  signInWays,
} from '../shared/config/config.ts';
import { findServerFaults } from '../shared/engines/server-faults.ts';
import { hostsOf } from '../shared/util/error-texts.ts';
import type { Env } from './process-io.ts';

/** The value without white space at its ends; '': none. */
export function given(env: Env, name: string): string {
  return env[name]?.trim() ?? '';
}

/**
 * `NAME_FILE`: the secret is in a file, without its last line break. @param listens the process listens on PORT
 * @throws ConfigError: all invalid settings, no contents
 */
export function readSettings(env: Env, { listens = false } = {}): Config {
  const values: Record<string, string | undefined> = { ...env };
  const unread = new Map<OptionName, string>();
  for (const [name] of optionEntries()) {
    if (!isFromFile(env, name)) continue;
    const read = given(env, name)
      ? { fault: `and ${name}_FILE are both set: unset one of them` }
      : readSecret(env, name);
    if ('value' in read) values[name] = read.value;
    else unread.set(name, read.fault);
  }
  return readConfig(values, { unread, listens });
}

/**
 * As `readSettings`, for a process of the service and what must agree with it. @throws ConfigError also for addresses of servers
 * that their drivers refuse
 */
export async function readServiceSettings(env: Env, options?: { listens: boolean }): Promise<Config> {
  const config = readSettings(env, options);
  const faults = await findServerFaults(config);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

export function describeMisspelled(env: Env): string[] {
  return findMisspelled(env).map(
    ({ name, meant }) => `${name} is not a setting and has no effect. Did you mean ${meant}?`,
  );
}

export function describeUnused(config: Config): string[] {
  const { EDGE_PURGER, EDGE_PURGE_URL, OIDC_ALLOWED_GROUPS } = config;
  const warnings: string[] = [];
  if (EDGE_PURGER === 'none' && EDGE_PURGE_URL !== '')
    warnings.push(
      'EDGE_PURGE_URL has no effect, because EDGE_PURGER is none: changed pages are not purged from the cache',
    );
  const others = signInWays(config).filter((way) => way !== 'oidc');
  if (OIDC_ALLOWED_GROUPS !== '' && others.length > 0)
    warnings.push(
      `OIDC_ALLOWED_GROUPS does not limit people who sign in by ${others.join(' or ')}: set SIGN_IN=oidc if nobody else may sign in`,
    );
  return warnings;
}

export function isFromFile(env: Env, name: OptionName): boolean {
  return 'secret' in options[name] && given(env, `${name}_FILE`) !== '';
}

/** The variable that is set, `NAME` or `NAME_FILE`; null: neither. */
export function variableOf(env: Env, name: OptionName): string | null {
  if (given(env, name) !== '') return name;
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
  const path = given(env, `${name}_FILE`);
  const fault = `cannot be read from ${path} (${name}_FILE)`;
  try {
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return value.trim() === '' ? { fault: `${fault}: the file is empty` } : { value };
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
