import Mocha from 'mocha';

/**
 * Mocha's own report, and after it one plain line that people and programs read the outcome from:
 * `12 passed, 0 failed`, with `, 3 skipped` where tests are pending. A hook that fails counts as failed.
 */
export default class ClosingLineReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const skipped = pending > 0 ? `, ${pending} skipped` : '';
      process.stdout.write(`${passes} passed, ${failures} failed${skipped}\n`);
    });
  }
}
