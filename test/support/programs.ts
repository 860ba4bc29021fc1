import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { skipBecause, skipOutsideCi } from './skip.ts';

/** The path of a program: what its setting names, else where PATH or /usr/sbin have it; null: nowhere. */
export function findProgram(setting: string, name: string): string | null {
  return process.env[setting] || findInPath(name, ['/usr/sbin']);
}

/**
 * The path of a program: what its setting names, else where PATH or /usr/sbin have it. Without one the tests of that hook
 * are skipped; under CI that is a failure.
 * @param setting such as TEST_NGINX
 */
export function requireProgram(hook: Mocha.Context, setting: string, name: string): string {
  return (
    findProgram(setting, name) ??
    skipOutsideCi(hook, `there is no ${name}: install it, or set ${setting} to where it is`)
  );
}

/** For commands that a person would type in a shell, which takes it from PATH. */
export function requireInPath(hook: Mocha.Context, name: string): void {
  if (findInPath(name) === null) skipOutsideCi(hook, `there is no ${name} in PATH: install it`);
}

/** For tests that connect from several addresses of this machine. */
export function requireManyLoopbacks(hook: Mocha.Context): void {
  if (process.platform === 'linux') return;
  skipBecause(hook, 'only Linux has all addresses from 127.0.0.1 to 127.255.255.254: use Linux');
}

function findInPath(name: string, more: readonly string[] = []): string | null {
  const { PATH = '' } = process.env;
  const places = [...PATH.split(delimiter), ...more].map((folder) => join(folder, name));
  return places.find((place) => existsSync(place)) ?? null;
}
