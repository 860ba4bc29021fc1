import { relative } from 'node:path';
import Mocha from 'mocha';
import { skipReasonOf } from './programs.ts';

/** How many tests went which way. A hook that fails counts as a failed test. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly { readonly reason: string; readonly file: string }[];
  /** A line each: the file, the test, the error, and the value that was not expected. */
  readonly failures: readonly string[];
}

/** How long after the last test everything that tests opened must be closed. */
const closeMs = 10_000;

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;

/** Prints a line for each test or file, and sends the outcome to test/run.ts. A run that does not end fails. */
export default class Reporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const skipped: Outcome['skipped'][number][] = [];
    runner.on(EVENT_TEST_PENDING, (test: Mocha.Test) => {
      skipped.push({ reason: skipReasonOf(test), file: sourceOf(test) });
    });
    const failures: string[] = [];
    runner.on(EVENT_TEST_FAIL, (test: Mocha.Runnable, error: Error) => {
      failures.push(`${sourceOf(test)}: ${test.fullTitle()}: ${describe(error)}`);
    });
    const files = (options as { spec?: string[] }).spec ?? []; // mocha puts the files of its command line there
    if (files.length <= 2) new Mocha.reporters.Spec(runner, options);
    else this.printFiles(runner);
    runner.once(EVENT_RUN_END, () => {
      const { passes: passed, failures: failed } = this.stats;
      const send = (extra: number) =>
        process.send?.({
          ...{ passed, failed: failed + extra, skipped, failures },
        } satisfies Outcome);
      send(0);
      process.once('disconnect', () => process.exit(1));
      process.channel?.unref();
      setTimeout(() => {
        const open = `Tests left these open: ${process.getActiveResourcesInfo().join(', ')}`;
        process.stdout.write(`${open}\n`);
        failures.push(open);
        send(1);
        process.exit(1);
      }, closeMs).unref();
    });
  }

  /** A line for each file once its last test has ended; mocha's list of failures at the end. */
  private printFiles(runner: Mocha.Runner): void {
    let current = { file: '', passed: 0, failed: 0, skipped: 0, startedAt: performance.now() };
    const flush = (next: string) => {
      const { file, passed, failed, skipped, startedAt } = current;
      const parts = [
        `${passed} passed`,
        failed > 0 && `${failed} FAILED`,
        skipped > 0 && `${skipped} skipped`,
      ];
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      if (file !== '') process.stdout.write(`${file}: ${parts.filter(Boolean).join(', ')} (${seconds} s)\n`);
      current = { file: next, passed: 0, failed: 0, skipped: 0, startedAt: performance.now() };
    };
    const count = (key: 'passed' | 'failed' | 'skipped') => (test: Mocha.Runnable) => {
      if (sourceOf(test) !== current.file) flush(sourceOf(test));
      current[key] += 1;
    };
    runner.on(EVENT_TEST_PASS, count('passed'));
    runner.on(EVENT_TEST_FAIL, count('failed'));
    runner.on(EVENT_TEST_PENDING, count('skipped'));
    runner.once(EVENT_RUN_END, () => {
      flush('');
      this.epilogue();
    });
  }
}

/** The source of the test's compiled file, from the project's folder. */
function sourceOf({ file = '' }: Mocha.Runnable): string {
  return relative('.', file).replace(/^dist\/(.*)\.js$/, '$1.ts');
}

/** An assertion names long arrays and objects by their kind alone, so the value, which mocha has as text, follows it. */
function describe({ message, actual }: Error & { actual?: unknown }): string {
  const isNew = typeof actual === 'string' && !message.includes(actual);
  const value = isNew ? ` (got ${actual.replaceAll(/\s+/g, ' ').slice(0, 2_000)})` : '';
  return `${message.slice(0, 1_000)}${value}`;
}
