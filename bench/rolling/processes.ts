import { spawn } from 'node:child_process';
import { type RunningService, type Watched, watch } from '../../test/bin/command.ts';

export type Env = Readonly<Record<string, string>>;

/** A built release. */
export interface Release {
  readonly name: string;
  readonly cli: string;
}

export function launchRelease({ cli }: Release, args: readonly string[], env: Env): Watched {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));
  return watch(child);
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
  const running = launchRelease(release, [command], { PORT: '0', ...env });
  if (command === 'start') return { ...running, url: await running.firstMatch(/runs at (http\S+)/) };
  if (command === 'web') {
    const port = await running.firstMatch(/"port":(\d+).*"web process is ready"/);
    return { ...running, url: `http://127.0.0.1:${port}` };
  }
  await running.firstMatch(/"(worker is ready)"/);
  return { ...running, url: '' };
}

/** SIGTERM. @throws Error unless it ends with 0 */
export async function stop(running: Watched): Promise<void> {
  running.kill('SIGTERM');
  const { code, stderr } = await running.ended();
  if (code !== 0) throw new Error(`a process ended with ${code}: ${stderr.slice(-2_000)}`);
}
