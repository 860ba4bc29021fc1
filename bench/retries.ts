import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createEmbeddedSubject } from '../test/crash/embedded-subject.ts';
import { retrySettings, runRetries } from '../test/crash/retry-run.ts';
import { openScaleOutSubject } from '../test/crash/scale-out-subject.ts';
import { makeTempDir } from '../test/support/temp-dir.ts';

// Writes with an Idempotency-Key over a proxy that loses 30 % of the answers, each repeated until it is answered, while the
// service is killed. A lost, refused or second write ends the run with the reason and exit code 1.
// usage: retries.js [--engine embedded|scale-out] [--kills 5] [writes, default 1000]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'embedded' }, kills: { type: 'string', default: '5' } },
});
const plan = { writes: Number(positionals[0] ?? 1_000), kills: Number(values.kills) };
const settings = retrySettings(plan);
const dataDir = makeTempDir();
const subject =
  values.engine === 'scale-out'
    ? await openScaleOutSubject(settings)
    : await createEmbeddedSubject(dataDir, settings);
try {
  const { outcomes, cuts, seconds, ...others } = await runRetries(subject, plan);
  const lines = { outcomes, kills: plan.kills, seconds: Math.round(seconds), ...cuts, ...others };
  process.stdout.write(`${values.engine}: ${JSON.stringify(lines)}\n`);
} finally {
  await subject.close();
  rmSync(dataDir, { recursive: true, force: true });
}
