import Mocha from 'mocha';

/** How long what the tests opened may take to close after the last of them. */
const graceMs = 10_000;

/**
 * Mocha's own report, and after it one plain line that people and programs read the outcome from:
 * `12 passed, 0 failed`, with `, 3 skipped` where tests are pending. A hook that fails counts as failed.
 * A run that cannot end, because a test left something open, is ended as failed.
 */
export default class ClosingLineReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const line = closingLine(this.stats);
      process.stdout.write(line);
      setTimeout(() => {
        const open = process.getActiveResourcesInfo().join(', ');
        process.stdout.write(`The tests are over, but something is still open: ${open}\n${line}`);
        process.once('exit', () => {
          process.exitCode ||= 1; // after mocha has set it to the number of failures
        });
        process.exit();
      }, graceMs).unref();
    });
  }
}

function closingLine({ passes, failures, pending }: Mocha.Stats): string {
  const skipped = pending > 0 ? `, ${pending} skipped` : '';
  return `${passes} passed, ${failures} failed${skipped}\n`;
}
