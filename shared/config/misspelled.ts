import countEdits from 'damerau-levenshtein';
import { options } from './options.ts';

interface Misspelled {
  readonly name: string;
  readonly meant: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Names of at least this length may differ in two edits. A shorter name with two edits is often another program's. */
const longName = 12;
/** Variables of another program, two edits away from `GITHUB_`. */
const otherPrograms = /^GITLAB_/;

/** Settings of earlier releases and their replacements. */
const retired: ReadonlyMap<string, string> = new Map([
  ['BODIES_IN_FLIGHT_BYTES', 'BUFFERED_BYTES'],
  ['UNREAD_ANSWERS_BYTES', 'BUFFERED_BYTES'],
]);

/** What other programs and platforms call the address of a server. */
const namesOfMongo = /^MONGO(?:DB)?_?(?:UR[IL]|DSN|HOST|CONNECTION_?(?:STRING|UR[IL]))$/;
const namesOfRedis = /^REDIS_?(?:UR[IL]|DSN|HOST|CONNECTION_?(?:STRING|UR[IL]))$/;
const namesOfDatabase = /^(?:DATABASE|DB)_UR[IL]$/;

/** Wrong prefixes, and what stands in their place. */
const prefixes: readonly (readonly [wrong: string, right: string])[] = [
  ['DROPLEAF_', ''],
  ['GH_', 'GITHUB_'],
];

const variables = Object.entries(options).flatMap(([name, option]) =>
  'secret' in option ? [name, `${name}_FILE`] : [name],
);

/**
 * Retired settings, names of other programs for a server that is not set, settings with a wrong prefix or a `_FILE` that they do
 * not have, and variables within one edit of a setting, two for long names (Damerau-Levenshtein, ignoring case).
 */
export function findMisspelled(env: Env): Misspelled[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (value.trim() === '' || variables.includes(name) || otherPrograms.test(name)) return [];
    const meant = findMeant(name.toUpperCase(), value, env);
    return meant === null ? [] : [{ name, meant }];
  });
}

/** @param name in capitals @returns null: probably no setting is meant */
function findMeant(name: string, value: string, env: Env): string | null {
  const base = name.replace(/_FILE$/, '');
  const server = serverOf(base, value);
  if (server !== null) return isGiven(server, env) ? null : server + name.slice(base.length);
  return retired.get(name) ?? nearestSetting(name) ?? withoutPrefix(name) ?? withoutFile(base, name);
}

function serverOf(name: string, value: string): 'MONGODB_URI' | 'REDIS_URL' | null {
  if (namesOfMongo.test(name)) return 'MONGODB_URI';
  if (namesOfRedis.test(name)) return 'REDIS_URL';
  if (!namesOfDatabase.test(name)) return null;
  return value.trim().startsWith('redis') ? 'REDIS_URL' : 'MONGODB_URI';
}

function isGiven(name: string, env: Env): boolean {
  return Boolean(env[name]?.trim() || env[`${name}_FILE`]?.trim());
}

/** A secret alone can be in a file. */
function withoutFile(base: string, name: string): string | null {
  return base !== name && variables.includes(base) ? base : null;
}

function withoutPrefix(name: string): string | null {
  for (const [wrong, right] of prefixes) {
    if (!name.startsWith(wrong)) continue;
    const rest = right + name.slice(wrong.length);
    return variables.includes(rest) ? rest : nearestSetting(rest);
  }
  return null;
}

function nearestSetting(name: string): string | null {
  let nearest: string | null = null;
  let fewest = 3;
  for (const setting of variables) {
    const allowed = setting.length < longName ? 1 : 2;
    if (Math.abs(name.length - setting.length) > allowed) continue; // the difference is a lower bound of the edits
    const edits = countEdits(name, setting).steps;
    if (edits >= fewest || edits > allowed) continue;
    nearest = setting;
    fewest = edits;
  }
  return nearest;
}
