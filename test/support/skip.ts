/** Why the tests of a suite, or a single one, are skipped. */
const reasons = new WeakMap<Mocha.Runnable | Mocha.Suite, string>();

/** Skips for want of something that every machine of CI has: there it is a failure. */
export function skipOutsideCi(context: Mocha.Context, reason: string): never {
  if (process.env.CI) throw new Error(`CI must not skip these tests: ${reason}`);
  return skipBecause(context, reason);
}

/**
 * Skips the tests of the hook's suite, or the test that calls it; the closing lines of the run say why.
 * @param reason what is missing, and what a person can do about it
 */
export function skipBecause(context: Mocha.Context, reason: string): never {
  const { test } = context;
  const skipped = test !== undefined && 'type' in test && test.type === 'hook' ? test.parent : test;
  if (skipped !== undefined) reasons.set(skipped, reason);
  return context.skip();
}

/** Why this test is skipped: its own reason, or that of a suite that it belongs to. */
export function reasonOf(test: Mocha.Test): string {
  for (let at: Mocha.Test | Mocha.Suite | undefined = test; at !== undefined; at = at.parent) {
    const reason = reasons.get(at);
    if (reason !== undefined) return reason;
  }
  return 'no reason was given';
}
