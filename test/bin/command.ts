import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../bin/cli.js', import.meta.url));

type Env = Readonly<Record<string, string>>;

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** null: ended by a signal. */
  readonly code: number | null;
}

interface Watched {
  /** All that it has written so far. */
  readonly output: Outcome;
  kill(signal: NodeJS.Signals): void;
  /** Waits for its end. */
  ended(): Promise<Outcome>;
  /** Waits for the pattern's first group on stdout. @throws Error when the process ends before */
  firstMatch(pattern: RegExp): Promise<string>;
}

/** A `dropleaf start` that answers. */
export interface RunningService extends Watched {
  readonly url: string;
}

/** Runs a command to its end. Settings of whoever runs the tests do not reach it. */
export async function dropleaf(args: readonly string[], env: Env = {}): Promise<Outcome> {
  return watch(spawnCli(args, env)).ended();
}

/** Starts the service on a free port and waits until it says where. @throws Error when it ends instead */
export async function startDropleaf(env: Env): Promise<RunningService> {
  const running = watch(spawnCli(['start'], { PORT: '0', ...env }));
  const url = await running.firstMatch(/runs at (http\S+)/);
  return { ...running, url };
}

function spawnCli(args: readonly string[], env: Env): ChildProcess {
  const { PATH = '', NODE_V8_COVERAGE } = process.env;
  return spawn(process.execPath, [cli, ...args], {
    env: { PATH, ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function watch(child: ChildProcess): Watched {
  const output = { stdout: '', stderr: '', code: null as number | null };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ ...output, code: code ?? null }));
  return {
    output,
    kill: (signal) => void child.kill(signal),
    ended: () => ended,
    firstMatch(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output.stdout)?.[1];
          if (match !== undefined) resolve(match);
        };
        child.stdout?.on('data', look);
        ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`)), reject);
      });
    },
  };
}
