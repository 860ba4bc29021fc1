/** A part of a text that is written anew. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** All other parts stay as they are. @param edits that do not overlap */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: written } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, start), written);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
