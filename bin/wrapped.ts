/** Columns of a line, what stands before it not counted: with that it fits the narrowest usual terminal, 80. */
const columns = 66;

/**
 * One line in pieces that no terminal breaks, so that nothing somebody sent can begin a line of its own there and pass
 * for ours. A character outside ASCII counts as two columns, which the widest have.
 * @param line what shows as one character for each
 */
export function wrapped(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  let width = 0;
  for (const character of line) {
    const wide = character > '\x7e' ? 2 : 1;
    if (width + wide > columns) {
      lines.push(current);
      current = '';
      width = 0;
    }
    current += character;
    width += wide;
  }
  return [...lines, current];
}
