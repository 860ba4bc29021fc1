import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder; this file is compiled into `dist/test/support/`. */
export const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/** The path of a program in PATH or /usr/sbin, or null. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** The path of a program. Without it the tests of the hook's suite are skipped, and fail if CI is set. */
export function requireProgram(hook: Mocha.Context, name: string): string {
  return findProgram(name) ?? skipOutsideCi(hook, `${name} is not in PATH: install it`);
}

/** For tests that connect from several addresses of this machine. */
export function requireManyLoopbacks(hook: Mocha.Context): void {
  if (process.platform === 'linux') return;
  skipBecause(hook, 'needs Linux, where every address from 127.0.0.1 to 127.255.255.254 is local');
}

/** For tests that mount a file system in a namespace of their own. A container may forbid it even to root. */
export function requireMounts(hook: Mocha.Context): { unshare: string; nsenter: string } {
  const unshare = findProgram('unshare');
  const nsenter = findProgram('nsenter');
  const mayMount =
    unshare !== null && nsenter !== null && spawnSync(unshare, ['--mount', 'true']).status === 0;
  if (mayMount) return { unshare, nsenter };
  return skipBecause(hook, 'needs Linux and root, which may mount a small file system');
}

/** Skips tests that need something that every CI machine has: they fail if CI is set. */
export function skipOutsideCi(context: Mocha.Context, reason: string): never {
  if (process.env.CI) throw new Error(`CI must not skip these tests: ${reason}`);
  return skipBecause(context, reason);
}

/** Skips the hook's suite, or a test. The reason is in the titles, which mocha's parallel processes pass on. */
export function skipBecause(context: Mocha.Context, reason: string): never {
  const { test } = context;
  const give = (one: Mocha.Runnable) => {
    one.title += ` (skipped: ${reason})`;
  };
  if (test !== undefined && 'type' in test && test.type === 'hook') test.parent?.eachTest(give);
  else if (test !== undefined) give(test);
  return context.skip();
}

/** Skips a test that runs. */
export function skipTest(test: Mocha.Test, reason: string): never {
  test.title += ` (skipped: ${reason})`;
  return test.skip();
}

/** The reason that `skipBecause` gave for a test. */
export function skipReasonOf({ title }: Mocha.Test): string {
  return / \(skipped: (.*)\)$/s.exec(title)?.[1] ?? 'no reason given';
}
