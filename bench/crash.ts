import { rmSync } from 'node:fs';
import { runCrashRounds } from '../test/crash/rounds.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';

const rounds = Number(process.argv[2] ?? 20);
const dataDir = makeTempDir();
let done = 0;

// What was lost or wrong ends the process with the reason and exit code 1.
await runCrashRounds(dataDir, rounds, ({ accepted, unknown, drops }) => {
  done += 1;
  process.stdout.write(
    `round ${done} of ${rounds}: ${accepted} writes accepted and there, ${unknown} without an answer, ${drops} drops in all\n`,
  );
});
rmSync(dataDir, { recursive: true });
process.stdout.write(`${rounds} kills: nothing that was accepted is lost\n`);
