import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { UsageError } from './usage-error.ts';

const done = 0;
const failed = 1;
const misused = 2;

// `dropleaf config | head` closes the pipe when it has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(done);
  throw error;
});

try {
  process.exitCode = await run(process.argv);
} catch (error) {
  process.exitCode = report(error);
}

/** Reads the command line and does what it says. @returns the exit code */
async function run(argv: readonly string[]): Promise<number> {
  const program = createProgram(process.env, (code) => {
    // All is stopped. Node's own end may wait for good for a socket that a lost connection never answered
    // (Environment::CleanupHandles in Node 20).
    process.exit(code);
  });
  await program.parseAsync(argv);
  return done;
}

/** Says on stderr what went wrong, where commander has not said it yet. @returns the exit code */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? done : misused;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`dropleaf: ${message}\n`);
  if (process.env.LOG_LEVEL === 'debug') process.stderr.write(`${trace(error)}\n`);
  return error instanceof UsageError ? misused : failed;
}

/** Where it comes from. Not the error's other fields: of a database's errors they may hold a password. */
function trace(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${trace(error.cause)}`;
}
