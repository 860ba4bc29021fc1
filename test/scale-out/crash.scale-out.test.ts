import { runCrashRounds } from '../crash/rounds.ts';
import { openScaleOutSubject } from '../crash/scale-out-subject.ts';

describe('kill -9 of one of two web processes during a stream of writes', () => {
  it('3 rounds: the other process continues; every write answered 2xx is stored completely, and quotas are right', async function () {
    this.timeout(240_000);
    const subject = await openScaleOutSubject();
    await runCrashRounds(subject, 3).finally(subject.close);
  });

  it('writes with Idempotency-Key whose first request was cut off, or whose process was killed, are each done once', async function () {
    this.timeout(300_000); // once the lease of a dead process must end
    const subject = await openScaleOutSubject();
    await runCrashRounds(subject, 1, { withKeys: true }).finally(subject.close);
  });
});
