import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createEmbeddedSubject } from '../test/crash/embedded-subject.ts';
import { runCrashRounds } from '../test/crash/rounds.ts';
import { openScaleOutSubject } from '../test/crash/scale-out-subject.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';

// kill -9 in streams of writes: of the service, or of one of two web processes. A lost or wrong write ends the run with
// the reason and exit code 1.
// usage: crash.js [--engine embedded|scale-out] [rounds, default 20]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'embedded' } },
});
const rounds = Number(positionals[0] ?? 20);

if (values.engine === 'scale-out') await killInWrites(await openScaleOutSubject());
else {
  const dataDir = makeTempDir();
  await killInWrites(await createEmbeddedSubject(dataDir));
  rmSync(dataDir, { recursive: true });
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
