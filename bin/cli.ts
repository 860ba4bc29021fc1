import { runCommand } from './program.ts';

const args = process.argv.slice(2);

// The reader of a pipe may exit first, as in `bin/dropleaf.js config | head`, but not while it reads an archive.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(args[0] === 'export' ? 1 : 0);
  throw error;
});

const exitCode = await runCommand(args, process);
// Without exit() Node may wait forever for a lost connection (Environment::CleanupHandles in Node 20).
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
