/** The exit codes of commands, and what it means, for `--help`. */
const table = {
  done: [0, 'done'],
  failed: [1, 'failed for another reason'],
  usage: [2, 'wrong arguments or settings'],
  network: [3, 'the service does not answer, or with 5xx: try later'],
  notSignedIn: [4, 'no valid token: run login, or set DROPLEAF_TOKEN'],
  notFound: [5, 'no such page, version or comment; no new comment in time'],
  conflict: [6, 'the page was changed elsewhere since'],
  refused: [7, 'a page or value that is not accepted; a key in a page'],
  limit: [8, 'too many requests, publishes, pages or versions'],
  interrupted: [130, 'Ctrl+C'],
} as const;

type Ending = keyof typeof table;
export const endings = Object.entries(table).map(([name, [exitCode, meaning]]) => {
  return { name: snakeCase(name), exitCode, meaning };
});
export const exitCodes = Object.fromEntries(
  Object.entries(table).map(([name, [exitCode]]) => [name, exitCode]),
) as Readonly<Record<Ending, number>>; // proof: the same names

/** Refusals of a limit that time does not change, whatever their Retry-After says. */
export const capCodes: readonly (string | undefined)[] = ['quota_exceeded', 'version_limit_reached'];

/** @param status of an answer of the service from 400 on */
export function exitCodeOf(status: number): number {
  if (status === 401) return exitCodes.notSignedIn;
  if (status === 404) return exitCodes.notFound;
  if (status === 409 || status === 412) return exitCodes.conflict;
  if (status === 429) return exitCodes.limit;
  return status >= 500 ? exitCodes.network : exitCodes.refused;
}

interface CliErrorOptions extends ErrorOptions {
  readonly exitCode?: number;
  /** The HTTP status of the answer; unset: there was none. */
  readonly status?: number | undefined;
  /** `error.code` of the answer, or the client's own; unset: that of the exit code. */
  readonly code?: string | undefined;
  /** `error.details` of the answer, or the client's own: people read each in a line. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Details for `--json` alone, because the message says them. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  /** What the answer's Retry-After says. */
  readonly retryAfterSeconds?: number | undefined;
}

/** An error that the user can act on: `program.ts` prints its message without a stack, and exits with `exitCode`. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options);
    this.name = 'CliError';
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.status = options.status;
    this.code = options.code;
    this.details = options.details ?? {};
    this.facts = options.facts ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The message for people, with the code that the service's documents explain. */
  get text(): string {
    return this.status === undefined || this.code === undefined
      ? this.message
      : `${this.message} (${this.code})`;
  }
}

/** What `--json` prints of an error. */
export function presentError({
  code,
  exitCode,
  message,
  details: given,
  facts,
  retryAfterSeconds,
}: CliError): object {
  const ending = endings.find((one) => one.exitCode === exitCode)?.name ?? 'failed';
  const wait = retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds };
  const details = { ...wait, ...facts, ...given };
  return { error: { code: code ?? ending, message, details } };
}

/** `notFound` as `not_found`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The command line or a setting is wrong. */
export function usageError(message: string): CliError {
  return new CliError(message, { exitCode: exitCodes.usage });
}

/** The client does not send this page or value: the service would not accept it, or strangers could read a secret. */
export function refusal(message: string, cause?: unknown): CliError {
  return new CliError(message, { exitCode: exitCodes.refused, cause });
}
