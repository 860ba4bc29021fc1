import {
  launch,
  type Run,
  type RunningService,
  startDropleaf,
  startWebProcess,
  startWorkerProcess,
  type Watched,
} from '../../test/bin/command.ts';

export type Env = Readonly<Record<string, string>>;

/** A built release. */
export interface Release {
  readonly name: string;
  readonly cli: string;
}

export function launchRelease({ cli }: Release, args: readonly string[], env: Env): Watched {
  const running = launch(args, env, undefined, cli);
  const killWithUs = () => running.kill('SIGKILL');
  process.once('exit', killWithUs);
  void running.ended().finally(() => process.off('exit', killWithUs));
  return running;
}

/** Runs a command to its end. @returns stdout */
export async function finish(release: Release, args: readonly string[], env: Env): Promise<string> {
  const { stdout, stderr, code } = await launchRelease(release, args, env).ended();
  if (code !== 0) throw new Error(`${release.name}: ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Waits until the process is ready. A worker has no address. */
export async function startRelease(
  release: Release,
  command: 'start' | 'web' | 'worker',
  env: Env,
): Promise<RunningService> {
  const run: Run = (args, all) => launchRelease(release, args, all);
  if (command === 'worker') return { ...(await startWorkerProcess(env, run)), url: '' };
  return command === 'web' ? startWebProcess(env, run) : startDropleaf(env, run);
}

/** SIGTERM. @throws Error unless it ends with 0 */
export async function stop(running: Watched): Promise<void> {
  running.kill('SIGTERM');
  const { code, stderr } = await running.ended();
  if (code !== 0) throw new Error(`a process ended with ${code}: ${stderr.slice(-2_000)}`);
}
