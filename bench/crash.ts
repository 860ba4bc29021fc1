import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createEmbeddedSubject } from '../test/crash/embedded-subject.ts';
import { runCrashRounds } from '../test/crash/rounds.ts';
import { openScaleOutSubject } from '../test/crash/scale-out-subject.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';

// usage: crash.js [--engine embedded|scale-out] [rounds]
// What was lost or wrong ends the process with the reason and exit code 1.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'embedded' } },
});
const rounds = Number(positionals[0] ?? 20);

if (values.engine === 'scale-out') await killWebs();
else await killService();

/** The embedded engine's one process, in streams of writes. */
async function killService(): Promise<void> {
  const dataDir = makeTempDir();
  await killInWrites(await createEmbeddedSubject(dataDir));
  rmSync(dataDir, { recursive: true });
}

/** One of two web processes of the scale-out engine. */
async function killWebs(): Promise<void> {
  await killInWrites(await openScaleOutSubject());
}

async function killInWrites(subject: Awaited<ReturnType<typeof openScaleOutSubject>>): Promise<void> {
  let done = 0;
  let total = 0;
  const report: Parameters<typeof runCrashRounds>[2] = ({ accepted, unknown, drops }) => {
    done += 1;
    total += accepted;
    say(
      `round ${done} of ${rounds}: ${accepted} writes accepted and there, ${unknown} without an answer, ${drops} drops in all`,
    );
  };
  await runCrashRounds(subject, rounds, report).finally(subject.close);
  say(`${rounds} kills: nothing of ${total} accepted writes is lost`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
