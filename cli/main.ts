#!/usr/bin/env node
// Runs first: one module that Node 16 can parse, whose imports have no effect, so an old Node prints the message.
import { homedir } from 'node:os';
import { runClient } from './program.ts';

// scripts/build.js writes both constants at the top of the built file.
/** The service that serves this file fills in its own address (api/service/client-file.ts); null in the npm package. */
declare const DROPLEAF_SERVED_BY: string | null;
declare const DROPLEAF_VERSION: string;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`dropleaf: Node ${process.versions.node} is too old: install Node 20.19 or newer\n`);
  process.exitCode = 1;
} else {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endQuietly);
  // Every file is written in one synchronous step, so none is half-written when this runs.
  process.on('SIGINT', () => process.exit(130));
  const exitCode = await runClient(process.argv.slice(2), {
    env: process.env,
    platform: process.platform,
    homeDir: homedir(),
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    programPath: process.argv[1] ?? '',
    servedBy: DROPLEAF_SERVED_BY,
    version: DROPLEAF_VERSION,
  });
  // Exits when the output is written, whatever connection is still open.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
}

/** The reader of a pipe may exit first, as in `dropleaf list | head`. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}
