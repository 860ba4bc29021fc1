/** How many tests went which way. A hook that fails counts as a failed test. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const noTests: Outcome = { passed: 0, failed: 0, skipped: 0 };

export function sum(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    noTests,
  );
}

/** `12 passed, 0 failed`, with `, 3 skipped` where tests are pending: what people and programs read. */
export function describeOutcome({ passed, failed, skipped }: Outcome): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
