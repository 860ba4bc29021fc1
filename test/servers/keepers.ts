import { type ChildProcess, spawn } from 'node:child_process';

/** Programs that end when they are told to, and at the latest with this process, however that ends. */
export interface Keepers {
  /**
   * Starts a program that promises to stop, and to clean up, when its standard input ends. It gets no signal from
   * the terminal.
   * @param env beside this process's own
   */
  start(command: readonly [string, ...string[]], env?: Readonly<Record<string, string>>): Keeper;
  /** Stops all that run, and lets none start any more. Resolves when they have ended. */
  stopAll(): Promise<void>;
}

export interface Keeper {
  /** The number of its session; undefined for a program that can't be started. */
  readonly pid: number | undefined;
  /** Resolves with the exit code when the program has ended, null for one that was killed or never began. */
  readonly ended: Promise<number | null>;
  isRunning(): boolean;
  /** The last of what it has printed, at most about 4,000 characters. */
  lastWords(): string;
  /** Resolves when it has ended; one that takes longer than 30 s is left to end by itself. */
  stop(): Promise<void>;
}

const patienceMs = 30_000;

export function createKeepers(): Keepers {
  const running = new Set<Keeper>();
  let closed = false;
  return {
    start([program, ...args], env = {}) {
      if (closed) throw new Error('everything is being stopped');
      const child = spawn(program, args, {
        env: { ...process.env, ...env },
        stdio: 'pipe',
        detached: true, // a session of its own, which Ctrl-C does not reach
      });
      const keeper = keep(child);
      running.add(keeper);
      void keeper.ended.then(() => running.delete(keeper));
      return keeper;
    },
    async stopAll() {
      closed = true;
      await Promise.all([...running].map((keeper) => keeper.stop()));
    },
  };
}

function keep(child: ChildProcess): Keeper {
  let words = '';
  let running = true;
  const hear = (text: unknown) => {
    words = `${words}${text}`.slice(-4_000);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.stdin?.on('error', hear); // it ended before we did
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      hear(error.message);
      running = false;
      resolve(null);
    });
    child.once('close', (code) => {
      running = false;
      resolve(code);
    });
  });
  return {
    pid: child.pid,
    ended,
    isRunning: () => running,
    lastWords: () => words.trim(),
    async stop() {
      child.stdin?.end();
      await withinPatience(ended);
    },
  };
}

async function withinPatience(ended: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([ended, patience]);
  clearTimeout(timer);
}
