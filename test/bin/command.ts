import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../bin/cli.js', import.meta.url));

export type Env = Readonly<Record<string, string>>;

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** null: ended by a signal. */
  readonly code: number | null;
}

export interface Watched {
  /** All that it has written so far. */
  readonly output: Outcome;
  /** Its process, as the system names it; undefined: it could not be started. */
  readonly pid: number | undefined;
  kill(signal: NodeJS.Signals): void;
  /** Waits for its end. */
  ended(): Promise<Outcome>;
  /** Waits for the pattern's first group on stdout or stderr. @throws Error when the process ends before */
  firstMatch(pattern: RegExp): Promise<string>;
}

/** A `dropleaf start` or `dropleaf web` that answers. */
export interface RunningService extends Watched {
  readonly url: string;
}

/** Runs a command to its end. Settings of whoever runs the tests do not reach it. */
export async function dropleaf(args: readonly string[], env: Env = {}): Promise<Outcome> {
  return launch(args, env).ended();
}

/** The same, to be watched while it runs. */
export function launch(args: readonly string[], env: Env = {}): Watched {
  return watch(spawnCli(args, env));
}

/** Starts the service on a free port and waits until it says where. @throws Error when it ends instead */
export async function startDropleaf(env: Env): Promise<RunningService> {
  const running = launch(['start'], { PORT: '0', ...env });
  const url = await running.firstMatch(/runs at (http\S+)/);
  return { ...running, url };
}

/** Starts the web process alone on a free port and waits until it logs that it answers. @throws Error when it ends */
export async function startWebProcess(env: Env): Promise<RunningService> {
  const running = launch(['web'], { PORT: '0', ...env });
  const port = await running.firstMatch(/"port":(\d+).*"web answers"/);
  return { ...running, url: `http://127.0.0.1:${port}` };
}

/** Starts the worker alone and waits until it logs that it runs jobs. @throws Error when it ends */
export async function startWorkerProcess(env: Env): Promise<Watched> {
  const running = launch(['worker'], env);
  await running.firstMatch(/"(worker runs jobs)"/);
  return running;
}

function spawnCli(args: readonly string[], env: Env): ChildProcess {
  const { PATH = '', NODE_V8_COVERAGE } = process.env;
  return spawn(process.execPath, [cli, ...args], {
    env: { PATH, ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Keeps what a child process writes, and waits for its end. */
export function watch(child: ChildProcess): Watched {
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
    pid: child.pid,
    kill: (signal) => void child.kill(signal),
    ended: () => ended,
    firstMatch(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const match = (pattern.exec(output.stdout) ?? pattern.exec(output.stderr))?.[1];
          if (match !== undefined) resolve(match);
        };
        child.stdout?.on('data', look);
        child.stderr?.on('data', look);
        look();
        ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`)), reject);
      });
    },
  };
}
