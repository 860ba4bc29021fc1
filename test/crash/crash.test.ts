import { makeTempDir } from '../support/temp-dir.ts';
import { createEmbeddedSubject } from './embedded-subject.ts';
import { runCrashRounds } from './rounds.ts';

describe('kill -9 during a stream of writes', () => {
  it('3 rounds: every write that was answered 2xx is there whole, and counters and quotas are right', async () => {
    const subject = await createEmbeddedSubject(makeTempDir());
    await runCrashRounds(subject, 3).finally(subject.close);
  });

  it('writes with Idempotency-Key whose first request was cut off, or whose process was killed, are each done once', async function () {
    this.timeout(150_000); // once the lease of a dead process must end
    const subject = await createEmbeddedSubject(makeTempDir());
    await runCrashRounds(subject, 1, { withKeys: true }).finally(subject.close);
  });
});
