import { rmSync } from 'node:fs';
import { createEmbeddedSubject } from '../test/crash/embedded-subject.ts';
import { runCrashRounds } from '../test/crash/rounds.ts';
import { openScaleOutSubject } from '../test/crash/scale-out-subject.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { readOptions, say } from './harness.ts';

// kill -9 in streams of writes: of the service, or of one of two web processes. With --retries: writes with an Idempotency-Key,
// each of which is sent before over a connection that is cut. A lost, refused, wrong or second write ends the run with the reason
// and exit code 1.
// usage: crash.js [--retries] [--engine embedded|scale-out] [rounds, default 20]
const { values, positionals } = readOptions({ engine: 'embedded', retries: false });
const rounds = Number(positionals[0] ?? 20);
const dataDir = makeTempDir();
const isScaleOut = values.engine === 'scale-out';
const subject = await (isScaleOut ? openScaleOutSubject() : createEmbeddedSubject(dataDir));
let done = 0;
let total = 0;
try {
  await runCrashRounds(subject, rounds, {
    withKeys: values.retries,
    report({ accepted, unknown, drops }) {
      done += 1;
      total += accepted;
      const counts = `${accepted} writes accepted and there, ${unknown} without an answer, ${drops} drops in all`;
      say(`round ${done} of ${rounds}: ${counts}`);
    },
  });
  say(`${rounds} kills: nothing of ${total} accepted writes is lost`);
} finally {
  await subject.close();
  rmSync(dataDir, { recursive: true, force: true });
}
