/** Length in Unicode code points, the unit of every character limit (spec section 8). */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Whether the text is longer than `limit` code points, without counting what need not be counted. */
export function isLongerThan(text: string, limit: number): boolean {
  // A code point takes one or two UTF-16 units, so both cheap answers are certain.
  if (text.length <= limit) return false;
  if (text.length > limit * 2) return true;
  return countCharacters(text) > limit;
}

/** Size in UTF-8 bytes, the unit of every size limit. */
export function countBytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
