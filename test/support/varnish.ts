import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Watched, watch } from '../bin/command.ts';
import { projectDir, requireProgram } from './programs.ts';
import { makeTempDir } from './temp-dir.ts';
import { until } from './until.ts';

/** The path of varnishd; without one the suite of that hook is skipped, or fails under CI. */
export function requireVarnish(hook: Mocha.Context): string {
  return requireProgram(hook, 'varnishd');
}

/**
 * Varnish at that port with `deploy/varnish.vcl`. @param program varnishd @param token of purges; '': by address
 * @throws Error with the output of varnishd
 */
export async function startVarnish(
  program: string,
  port: number,
  origin: string,
  token = '',
): Promise<Watched> {
  const dir = makeTempDir();
  const vcl = join(dir, 'varnish.vcl');
  writeFileSync(vcl, vclFor(origin));
  const args = ['-F', '-j', 'none', '-n', join(dir, 'work'), '-a', `127.0.0.1:${port}`, '-f', vcl];
  const small = [
    '-s',
    'malloc,100m',
    '-p',
    'vsl_space=4m',
    '-p',
    'thread_pools=1',
    '-p',
    'thread_pool_min=100',
  ];
  const { PATH = '' } = process.env;
  const env = { PATH, ...(token && { EDGE_PURGE_TOKEN: token }) };
  const varnish = watch(spawn(program, [...args, ...small], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  // It passes SIGTERM on to the process that serves, which a SIGKILL of this one would leave behind for a moment.
  process.once('exit', () => varnish.kill('SIGTERM'));
  void varnish.ended().catch(() => undefined); // who waits for it is told
  await varnish.firstMatch(/(Child launched OK|Child \(\d+\) Started)/);
  await until(() => answers(port), 'Varnish answers');
  return varnish;
}

/** As operators do it: the one place that must be changed. */
function vclFor(origin: string): string {
  const { hostname, port } = new URL(origin);
  const vcl = readFileSync(join(projectDir, 'deploy', 'varnish.vcl'), 'utf8');
  const own = vcl
    .replace('.host = "127.0.0.1";', `.host = "${hostname}";`)
    .replace('.port = "3000";', `.port = "${port}";`);
  if (!own.includes(`.port = "${port}";`))
    throw new Error('deploy/varnish.vcl has no backend of the known form');
  return own;
}

async function answers(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/p/none/raw`, { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  }
}
