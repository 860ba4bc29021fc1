#!/usr/bin/env node
// Runs first: one module that Node 16 can parse, whose imports have no effect, so an old Node prints the message.
import { homedir } from 'node:os';
import { ProgramOutput } from '../shared/util/program-output.ts';
import { runClient } from './program.ts';

// scripts/build.js writes both constants at the top of the built file.
/** The service that serves this file fills in its own address (api/service/asset-files.ts); null in the npm package. */
declare const DROPLEAF_SERVED_BY: string | null;
declare const DROPLEAF_VERSION: string;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`dropleaf: Node ${process.versions.node} is too old: install Node 20.19 or newer\n`);
  process.exitCode = 1;
} else {
  // Every file is written in one synchronous step, so none is half-written when this runs.
  process.on('SIGINT', () => process.exit(130));
  const exitCode = await runClient(process.argv.slice(2), {
    env: trimmedEnvironment(),
    platform: process.platform,
    homeDir: homedir(),
    cwd: process.cwd(),
    stdin: process.stdin,
    output: new ProgramOutput(process),
    acts: new Set(),
    programPath: process.argv[1] ?? '',
    servedBy: DROPLEAF_SERVED_BY,
    version: DROPLEAF_VERSION,
  });
  process.exit(exitCode); // whatever connection is still open: the output is written
}

/** White space at an end, as a line break of a file that a variable was read from, belongs to none of the values. */
function trimmedEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).map(([name, value = '']) => [name, value.trim()]));
}
