/** The maximum columns of a wrapped line. With the longest prefix it has at most 80. */
const wrapColumns = 66;

/** Replaces control and bidirectional characters: text from users must not steer the operator's terminal. */
export function stripControlCharacters(line: string): string {
  return line.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/**
 * Splits a line so that the terminal never wraps it: wrapped text could pass for a line that the command printed.
 * Every character outside ASCII counts as two columns, the width of the widest ones.
 * @param line without control characters
 */
export function wrapLine(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  let width = 0;
  for (const character of line) {
    const columns = character > '\x7e' ? 2 : 1;
    if (width + columns > wrapColumns) {
      lines.push(current);
      current = '';
      width = 0;
    }
    current += character;
    width += columns;
  }
  return [...lines, current];
}

/** `1 token`, `2 tokens`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
