import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program: what its setting names, else where PATH or /usr/sbin have it; null: nowhere. */
export function findProgram(setting: string, name: string): string | null {
  const { [setting]: named, PATH = '' } = process.env;
  const places = [...PATH.split(delimiter), '/usr/sbin'].map((folder) => join(folder, name));
  return named || (places.find((place) => existsSync(place)) ?? null);
}

/**
 * The path of a program: what its setting names, else where PATH or /usr/sbin have it. Without one the suite of that hook
 * is skipped, and says so; under CI that is a failure.
 * @param setting such as TEST_NGINX
 */
export function requireProgram(hook: Mocha.Context, setting: string, name: string): string {
  const found = findProgram(setting, name);
  if (found !== null) return found;
  if (process.env.CI) throw new Error(`${name} is not there, and CI must not skip these tests`);
  process.stdout.write(`\n  SKIPPED: no ${name}. Install it, or set ${setting} to where it is.\n\n`);
  return hook.skip();
}
