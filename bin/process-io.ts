export type Env = Readonly<Record<string, string | undefined>>;

interface Output {
  /** @param written is called when the reader has taken the data, or with the error */
  write(data: string | Uint8Array, written?: (error?: Error | null) => void): unknown;
}

/** What a command uses of its process: environment, streams, signals, exit. `process` is a `ProcessIo`; tests pass another. */
export interface ProcessIo {
  readonly env: Env;
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: Output & { readonly isTTY?: boolean };
  /** Without an `fd`, log lines are written by `write`, too. */
  readonly stderr: Output & { readonly fd?: number; readonly isTTY?: boolean };
  cwd(): string;
  on(event: 'SIGTERM' | 'SIGINT' | 'SIGHUP', listener: (signal: NodeJS.Signals) => void): unknown;
  on(event: 'uncaughtException', listener: (error: Error, origin: string) => void): unknown;
  exit(code: number): void;
}

/** Wrong arguments, or a command for the other engine: the exit code is 2, as for an invalid setting. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
