import { runCrashRounds } from '../crash/rounds.ts';
import { openScaleOutSubject } from '../crash/scale-out-subject.ts';

describe('kill -9 of one of two web processes during a stream of writes', () => {
  it('3 rounds: the other goes on; every write that was answered 2xx is there whole, and quotas are right', async function () {
    this.timeout(120_000);
    const subject = await openScaleOutSubject();
    await runCrashRounds(subject, 3).finally(subject.close);
  });
});
