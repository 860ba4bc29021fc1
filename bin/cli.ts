import { runCommand } from './program.ts';

// The reader of a pipe may end first, as in `bin/dropleaf.js config | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const exitCode = await runCommand(process.argv.slice(2), process);
// Exits when the output is written. Without exit() Node could wait forever for a socket whose connection was lost
// (Environment::CleanupHandles in Node 20).
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
