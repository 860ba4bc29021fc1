import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { describeOutcome, type Outcome, type Skip, sourceOf } from './outcome.ts';
import { reasonOf } from './skip.ts';

/** How long what the tests opened may take to close after the last of them. */
const graceMs = 10_000;

/**
 * Mocha's own report, and after it the outcome: as a plain closing line, or, for the runner (test/run.ts), as JSON in
 * the file that TEST_OUTCOME names. A run that cannot end, because a test left something open, is ended as failed; one
 * whose runner is gone is ended at once.
 */
export default class ClosingLineReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    endWithParent();
    const skipped: Skip[] = [];
    runner.on(Mocha.Runner.constants.EVENT_TEST_PENDING, (test: Mocha.Test) => {
      skipped.push({ reason: reasonOf(test), file: sourceOf(test.file ?? '') });
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes: passed, failures: failed } = this.stats;
      tell({ passed, failed, skipped });
      // After so many broken connections Node's own end may wait for good for one of them (see bin/cli.ts).
      if (process.env.TEST_ENGINE === 'scale-out') process.exit(failed > 0 ? 1 : 0);
      setTimeout(() => {
        const open = process.getActiveResourcesInfo().join(', ');
        process.stdout.write(`The tests are over, but something is still open: ${open}\n`);
        tell({ passed, failed: failed + 1, skipped });
        process.once('exit', () => {
          process.exitCode ||= 1; // after mocha has set it to the number of failures
        });
        process.exit();
      }, graceMs).unref();
    });
  }
}

function tell(outcome: Outcome): void {
  const { TEST_OUTCOME: file } = process.env;
  if (file) writeFileSync(file, JSON.stringify(outcome));
  else process.stdout.write(`${describeOutcome(outcome)}\n`);
}

/** The channel to the runner closes with the runner, even when that is killed. It keeps nothing from ending. */
function endWithParent(): void {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.exit(1));
  process.channel.unref();
}
