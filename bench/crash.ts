import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createEmbeddedSubject } from '../test/crash/embedded-subject.ts';
import { killAtEveryStep } from '../test/crash/every-step.ts';
import { openJobKills } from '../test/crash/job-kills.ts';
import { runCrashRounds } from '../test/crash/rounds.ts';
import { openScaleOutSubject } from '../test/crash/scale-out-subject.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';

// usage: crash.js [--engine embedded|scale-out] [--only writes|jobs] [rounds]
// What was lost or wrong ends the process with the reason and exit code 1.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'embedded' }, only: { type: 'string' } },
});
const rounds = Number(positionals[0] ?? 20);

if (values.engine === 'scale-out') {
  if (values.only !== 'jobs') await killWebs();
  if (values.only !== 'writes') await killWorkers();
} else await killService();

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

/** Workers, at every command of every kind of job. */
async function killWorkers(): Promise<void> {
  const kills = await openJobKills();
  let done = 0;
  const { places } = await killAtEveryStep(kills, (struck) => {
    done += 1;
    say(
      `kill ${done}: ${struck.map(({ each, server, command }) => `${each.job} at ${server} ${command}`).join(', ')}`,
    );
  }).finally(kills.close);
  say(`${done} kills at ${places} places: all work is done, once`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
