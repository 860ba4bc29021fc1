import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program: what its setting names, else where PATH or /usr/sbin have it; null: nowhere. */
export function findProgram(setting: string, name: string): string | null {
  return process.env[setting] || findInPath(name, ['/usr/sbin']);
}

/**
 * The path of a program: what its setting names, else where PATH or /usr/sbin have it. Without one the tests of that hook
 * are skipped, and say so; under CI that is a failure.
 * @param setting such as TEST_NGINX
 */
export function requireProgram(hook: Mocha.Context, setting: string, name: string): string {
  return (
    findProgram(setting, name) ?? skipWithout(hook, name, `Install it, or set ${setting} to where it is.`)
  );
}

/** For commands that a person would type in a shell, which takes it from PATH. */
export function requireInPath(hook: Mocha.Context, name: string): void {
  if (findInPath(name) === null) skipWithout(hook, name, 'Install it.');
}

/** @param cure what the person at the terminal may do about it */
export function skipWithout(hook: Mocha.Context, what: string, cure: string): never {
  if (process.env.CI) throw new Error(`${what} is not there, and CI must not skip these tests`);
  process.stdout.write(`\n  SKIPPED: no ${what}. ${cure}\n\n`);
  return hook.skip();
}

function findInPath(name: string, more: readonly string[] = []): string | null {
  const { PATH = '' } = process.env;
  const places = [...PATH.split(delimiter), ...more].map((folder) => join(folder, name));
  return places.find((place) => existsSync(place)) ?? null;
}
