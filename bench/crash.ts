import { rmSync } from 'node:fs';
import { createEmbeddedSubject } from '../test/crash/embedded-subject.ts';
import { retrySettings, runRetries } from '../test/crash/retry-run.ts';
import { runCrashRounds } from '../test/crash/rounds.ts';
import { openScaleOutSubject } from '../test/crash/scale-out-subject.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';
import { readOptions, say } from './harness.ts';

// kill -9 in streams of writes: of the service, or of one of two web processes. With --retries: writes with an Idempotency-Key
// over a proxy that loses 30 % of the answers, each repeated until it is answered, while the service is killed. A lost, refused,
// wrong or second write ends the run with the reason and exit code 1.
// usage: crash.js [--engine embedded|scale-out] [rounds, default 20]
//   crash.js --retries [--kills 5] [--engine embedded|scale-out] [writes, default 1000]
const { values, positionals } = readOptions({ engine: 'embedded', retries: false, kills: '5' });
const amount = Number(positionals[0] ?? (values.retries ? 1_000 : 20));
const plan = { writes: amount, kills: Number(values.kills) };
const dataDir = makeTempDir();
const subject = await openSubject(values.retries ? retrySettings(plan) : {});
try {
  await (values.retries ? retry() : killInWrites());
} finally {
  await subject.close();
  rmSync(dataDir, { recursive: true, force: true });
}

function openSubject(settings: ReturnType<typeof retrySettings> | Record<string, never>) {
  return values.engine === 'scale-out'
    ? openScaleOutSubject(settings)
    : createEmbeddedSubject(dataDir, settings);
}

async function killInWrites(): Promise<void> {
  let done = 0;
  let total = 0;
  await runCrashRounds(subject, amount, ({ accepted, unknown, drops }) => {
    done += 1;
    total += accepted;
    say(
      `round ${done} of ${amount}: ${accepted} writes accepted and there, ${unknown} without an answer, ${drops} drops in all`,
    );
  });
  say(`${amount} kills: nothing of ${total} accepted writes is lost`);
}

async function retry(): Promise<void> {
  const { outcomes, cuts, seconds, ...others } = await runRetries(subject, plan);
  const lines = { outcomes, kills: plan.kills, seconds: Math.round(seconds), ...cuts, ...others };
  say(`${values.engine}: ${JSON.stringify(lines)}`);
}
