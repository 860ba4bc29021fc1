import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cli } from '../../test/bin/command.ts';

export type Env = Readonly<Record<string, string>>;

export interface CommandRun {
  /** null: it was killed. */
  readonly code: number | null;
  readonly seconds: number;
  /** The most resident memory that it had, in MiB. */
  readonly peakMib: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of bin/dropleaf.js in a process of its own. @param killMs SIGKILL after this time; null: never */
export async function runCommand(
  args: readonly string[],
  env: Env,
  killMs: number | null,
): Promise<CommandRun> {
  const { PATH = '' } = process.env;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  let peakMib = 0;
  const watching = setInterval(() => {
    peakMib = Math.max(peakMib, readPeakMib(child.pid));
  }, 20);
  const killing = killMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs);
  const [code]: (number | null)[] = await once(child, 'close');
  clearInterval(watching);
  clearTimeout(killing);
  return { code: code ?? null, seconds: (performance.now() - startedAt) / 1_000, peakMib, ...output };
}

/** 0: the process has ended, or the system has no /proc. */
function readPeakMib(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
