import { dirname, relative } from 'node:path';

/** A test that did not run. */
export interface Skip {
  /** Why, and what a person can do about it. */
  readonly reason: string;
  /** Its source, from the project's folder. */
  readonly file: string;
}

/** How many tests went which way. A hook that fails counts as a failed test. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skip[];
}

export const noTests: Outcome = { passed: 0, failed: 0, skipped: [] };

export function sum(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: [...total.skipped, ...skipped],
    }),
    noTests,
  );
}

/** `12 passed, 0 failed`, with `, 3 skipped` where tests were skipped: what people and programs read. */
export function describeOutcome({ passed, failed, skipped }: Outcome): string {
  return `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`;
}

/** For each reason how many tests it kept from running, and the command that runs them once it is gone. */
export function describeSkips(engine: string, skipped: readonly Skip[]): string[] {
  return [...new Set(skipped.map(({ reason }) => reason))].flatMap((reason) => {
    const skips = skipped.filter((skip) => skip.reason === reason);
    const count = skips.length === 1 ? '1 test' : `${skips.length} tests`;
    const files = nameFiles(skips.map(({ file }) => file)).join(' ');
    return [
      `SKIPPED: ${engine} engine, ${count}: ${reason}`,
      `  To run: npm test -- --engine ${engine} ${files}`,
    ];
  });
}

/** The source of a compiled test file, from the project's folder. */
export function sourceOf(compiled: string): string {
  return relative('.', compiled).replace(/^dist\/(.*)\.js$/, '$1.ts');
}

/** A few by their names, more by their folders: a shell fills in the rest. */
function nameFiles(files: readonly string[]): string[] {
  const names = [...new Set(files)];
  return names.length <= 3 ? names : [...new Set(names.map((file) => `${dirname(file)}/*.test.ts`))];
}
