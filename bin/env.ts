import { readFileSync } from 'node:fs';
import { type Config, type OptionName, optionEntries, readConfig } from '../shared/config/config.ts';
import { findMisspelt } from '../shared/config/names.ts';

/** The environment that a command runs in. */
export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The settings in force. A secret may stand in a file, which NAME_FILE names: its content is the value, without the
 * end of its last line.
 * @throws ConfigError naming every fault, and never what stands in a file
 */
export function readSettings(env: Env): Config {
  const values: Record<string, string | undefined> = { ...env };
  const unread = new Map<OptionName, string>();
  for (const [name, option] of optionEntries()) {
    if (!option.secret || !isFromFile(env, name)) continue;
    const read = env[name]
      ? { fault: `and ${name}_FILE are both set: take one of them` }
      : readSecret(env, name);
    if ('value' in read) values[name] = read.value;
    else unread.set(name, read.fault);
  }
  return readConfig(values, unread);
}

/** A sentence for each variable that resembles a setting and is none. */
export function describeMisspelt(env: Env): string[] {
  return findMisspelt(env).map(
    ({ name, meant }) => `${name} is no setting and has no effect: did you mean ${meant}?`,
  );
}

/** Whether NAME_FILE names a file that the setting is read from. */
export function isFromFile(env: Env, name: OptionName): boolean {
  return isSecret(name) && Boolean(env[fileVariable(name)]);
}

/** Whether the setting has a value of its own, wherever it is. */
export function isSet(env: Env, name: OptionName): boolean {
  return variableOf(env, name) !== null;
}

/** The variable that says what the setting is: NAME or NAME_FILE; null where it is unset. */
export function variableOf(env: Env, name: OptionName): string | null {
  if (env[name]) return name;
  return isFromFile(env, name) ? fileVariable(name) : null;
}

/** What the environment says of these settings. */
export function onlySettings(env: Env, names: readonly OptionName[]): Env {
  const variables = names.flatMap((name) => [name, fileVariable(name)]);
  return Object.fromEntries(variables.map((variable) => [variable, env[variable]]));
}

function readSecret(env: Env, name: OptionName): { value: string } | { fault: string } {
  const path = env[fileVariable(name)] ?? '';
  const where = `cannot be read from ${path} (${fileVariable(name)})`;
  try {
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return value === '' ? { fault: `${where}: the file is empty` } : { value };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it failed';
    return { fault: `${where}: ${reasons[code] ?? code}` };
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a directory',
};

function isSecret(name: OptionName): boolean {
  return optionEntries().some(([each, option]) => each === name && option.secret === true);
}

function fileVariable(name: OptionName): string {
  return `${name}_FILE`;
}
