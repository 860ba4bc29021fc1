export const exitCodes = { done: 0, failed: 1, usage: 2, signIn: 4, interrupted: 130 } as const;

interface CliErrorOptions extends ErrorOptions {
  readonly exitCode?: number;
  /** The HTTP status of the answer; unset: there was none. */
  readonly status?: number | undefined;
  /** `error.code` of the answer. */
  readonly code?: string | undefined;
  /** `error.details` of the answer. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** What the answer's Retry-After says. */
  readonly retryAfterSeconds?: number | undefined;
}

/** An error that the user can act on: `program.ts` prints its message without a stack, and exits with `exitCode`. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options);
    this.name = 'CliError';
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.status = options.status;
    this.code = options.code;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The command line or a setting is wrong. */
export function usageError(message: string): CliError {
  return new CliError(message, { exitCode: exitCodes.usage });
}

/** `code` of an error of Node, such as ENOENT; undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** @param cause what Node threw when the file was read or written */
export function fileError(act: 'read' | 'write', path: string, cause: unknown): CliError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CliError(`cannot ${act} ${path}: ${reason}`, { cause });
}
