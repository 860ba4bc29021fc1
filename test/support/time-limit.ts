/**
 * The longest time that a test accepts, in ms: three times `ms` in CI, where two runs share a machine of unknown speed. For
 * bounds that tell an answer in time from one that hangs.
 */
export function timeLimit(ms: number): number {
  return process.env.CI ? 3 * ms : ms;
}
