/** How many characters before these ends are the same, at most `most`. */
export function sameBefore(a: string, endOfA: number, b: string, endOfB: number): number {
  const most = Math.min(endOfA, endOfB);
  let count = 0;
  while (count < most && a.charCodeAt(endOfA - count - 1) === b.charCodeAt(endOfB - count - 1)) count++;
  return count;
}

/** How many characters from there on are the same as in `b`. */
export function sameAfter(a: string, start: number, b: string): number {
  const most = Math.min(a.length - start, b.length);
  let count = 0;
  while (count < most && a.charCodeAt(start + count) === b.charCodeAt(count)) count++;
  return count;
}

/** 32 bits that tell texts apart (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Whether at most half of the characters of `quote` differ (edit distance). */
export function isLike(text: string, quote: string): boolean {
  const most = quote.length / 2;
  if (Math.abs(text.length - quote.length) > most) return false;
  const start = sameAfter(text, 0, quote);
  const left = text.slice(start);
  const wanted = quote.slice(start);
  const end = sameBefore(left, left.length, wanted, wanted.length);
  return distance(left.slice(0, left.length - end), wanted.slice(0, wanted.length - end)) <= most;
}

/** By the rows of Levenshtein's table. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let at = 0; at < a.length; at++) {
    const next = [at + 1];
    for (let index = 0; index < b.length; index++) {
      const left = next[index] ?? 0;
      const above = row[index + 1] ?? 0;
      const corner = row[index] ?? 0;
      next.push(Math.min(left + 1, above + 1, corner + (a[at] === b[index] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
