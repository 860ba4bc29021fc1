/** Whether the text has more than `limit` Unicode code points, the unit of every character limit (spec section 8). */
export function isLongerThan(text: string, limit: number): boolean {
  // A code point has 1 or 2 UTF-16 units, so most texts need no counting.
  if (text.length <= limit) return false;
  if (text.length > limit * 2) return true;
  return countCharacters(text) > limit;
}

/** The length in code points, for error messages; `over 50000` for long texts, because counting megabytes is slow. */
export function describeLength(text: string): string {
  return text.length > 100_000 ? 'over 50000' : String(countCharacters(text));
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
