import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../bin/program.ts';

/** The program, as it is built. */
export const cli = fileURLToPath(new URL('../../bin/cli.js', import.meta.url));

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

/** A `bin/dropleaf.js start` or `bin/dropleaf.js web` that answers. */
export interface RunningService extends Watched {
  readonly url: string;
}

/** How a command is started, such as `launch` and `runHere`. */
export type Run = (args: readonly string[], env: Env) => Watched;

/** Runs a command in this process to its end, with no other settings than `env`. */
export function dropleaf(
  args: readonly string[],
  env: Env = {},
  options: HereOptions = {},
): Promise<Outcome> {
  return runHere(args, env, options).ended();
}

interface HereOptions {
  /** Whether stdout and stderr are terminals. */
  readonly isTTY?: boolean;
  /** What it can read. */
  readonly stdin?: Uint8Array;
}

/** Starts a command in this process; `kill` passes the signal to the command alone. */
export function runHere(
  args: readonly string[],
  env: Env,
  { isTTY = false, stdin }: HereOptions = {},
): Watched {
  const output = { stdout: '', stderr: '', code: null as number | null };
  const written = new EventEmitter();
  const process = Object.assign(new EventEmitter(), {
    env,
    stdin: Readable.from(stdin === undefined ? [] : [stdin]),
    stdout: { isTTY, write: keep('stdout') },
    stderr: { isTTY, write: keep('stderr') },
    cwd: () => '/',
    exit: () => undefined, // the runner of these tests continues
  });
  /** Bytes are kept as latin1, so that they can be had back. */
  function keep(stream: 'stdout' | 'stderr') {
    return (data: string | Uint8Array, onWritten: () => void = () => undefined) => {
      output[stream] += typeof data === 'string' ? data : Buffer.from(data).toString('latin1');
      written.emit('data');
      onWritten();
    };
  }
  const ended = runCommand(args, process).then((code) => ({ ...output, code }));
  return watchOutput(output, written, ended, {
    pid: undefined,
    kill: (signal) => void process.emit(signal, signal),
  });
}

/**
 * Runs a command. @param stdin what it can read, without an end; absent: nothing
 * @param program of another release; absent: this one
 */
export function launch(
  args: readonly string[],
  env: Env = {},
  stdin?: Uint8Array,
  program: string = cli,
): Watched {
  const { PATH = '', NODE_V8_COVERAGE } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE }), ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => undefined); // it may end before it has read all
  child.stdin?.write(stdin);
  return watch(child);
}

/** `bin/dropleaf.js start` in this process, on a free port, once it answers. @throws Error if it does not start */
export function startHere(env: Env, terminal?: { isTTY: boolean }): Promise<RunningService> {
  return startDropleaf(env, (args, all) => runHere(args, all, terminal));
}

/** Starts the service on a free port and waits until it says where. @throws Error when it ends instead */
export async function startDropleaf(env: Env, run: Run = launch): Promise<RunningService> {
  const running = run(['start'], { PORT: '0', ...env });
  const url = await running.firstMatch(/runs at (http\S+)/);
  return { ...running, url };
}

/** Starts the web process alone on a free port and waits until it is ready. @throws Error when it ends */
export async function startWebProcess(env: Env, run: Run = launch): Promise<RunningService> {
  const running = run(['web'], { PORT: '0', ...env });
  const port = await running.firstMatch(/"port":(\d+).*"web process is ready"/);
  return { ...running, url: `http://127.0.0.1:${port}` };
}

/** Starts the worker alone and waits until it is ready. @throws Error when it ends */
export async function startWorkerProcess(env: Env, run: Run = launch): Promise<Watched> {
  const running = run(['worker'], env);
  await running.firstMatch(/"(worker is ready)"/);
  return running;
}

/** Keeps the output of a child process, and waits for its end. */
export function watch(child: ChildProcess): Watched {
  const output = { stdout: '', stderr: '', code: null as number | null };
  const written = new EventEmitter();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      written.emit('data');
    });
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ ...output, code: code ?? null }));
  return watchOutput(output, written, ended, { pid: child.pid, kill: (signal) => void child.kill(signal) });
}

function watchOutput(
  output: Outcome,
  written: EventEmitter,
  ended: Promise<Outcome>,
  process: Pick<Watched, 'pid' | 'kill'>,
): Watched {
  return {
    output,
    ...process,
    ended: () => ended,
    firstMatch(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const match = (pattern.exec(output.stdout) ?? pattern.exec(output.stderr))?.[1];
          if (match === undefined) return;
          written.off('data', look); // a search of ever more output would take time from what is measured
          resolve(match);
        };
        written.on('data', look);
        look();
        ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`)), reject);
      });
    },
  };
}

/** A line that a process has logged. */
interface LoggedLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** What a process has logged on stderr. */
export function logOf({ stderr }: Pick<Outcome, 'stderr'>): LoggedLine[] {
  const lines = stderr.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
