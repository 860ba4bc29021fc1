/**
 * How long to wait, in words that follow "in" and "wait": `42 seconds`. Rounded up, so that nobody comes too early.
 * @param seconds the `retry_after_seconds` of an error's details
 * @returns null where there is nothing to wait for
 */
export function waitText(seconds: unknown): string | null {
  if (typeof seconds !== 'number') return null;
  if (seconds <= 1) return 'a moment';
  if (seconds < 120) return `${Math.ceil(seconds)} seconds`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / 3_600)} hours`;
}
