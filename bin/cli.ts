import { ProgramOutput } from '../shared/util/program-output.ts';
import type { ProcessIo } from './process-io.ts';
import { runCommand } from './program.ts';

const args = process.argv.slice(2);
const output = new ProgramOutput(process);
const { stdout, stderr } = output;
const io: ProcessIo = {
  env: process.env,
  stdin: process.stdin,
  stdout,
  stderr,
  cwd: () => process.cwd(),
  on: process.on.bind(process) as ProcessIo['on'], // proof: `process` has these events
  exit: (code) => process.exit(code),
};

const exitCode = await output.finish(await runCommand(args, io));
// An archive whose reader ended is none; of other output, as in `bin/dropleaf.js config | head`, the rest is not wanted.
const isCutArchive = args[0] === 'export' && output.hasLostReader('stdout');
// Without exit() Node may wait forever for a lost connection (Environment::CleanupHandles in Node 20).
process.exit(isCutArchive ? 1 : exitCode);
