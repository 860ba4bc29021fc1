/** Where a place in a text is. */
export interface Position {
  /** Both from 1; the column in UTF-16 units. */
  readonly line: number;
  readonly column: number;
}

/** The 1-based line of an offset. Of several offsets: `createPositions`. */
export function lineOf(text: string, offset: number): number {
  return createPositions(text)(offset).line;
}

/** @returns the position of an offset, which must not be before that of the call before: all calls together read the text once */
export function createPositions(text: string): (offset: number) => Position {
  let line = 1;
  let lineStart = 0;
  let lineEnd = text.indexOf('\n');
  return (offset) => {
    while (lineEnd !== -1 && lineEnd < offset) {
      line++;
      lineStart = lineEnd + 1;
      lineEnd = text.indexOf('\n', lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  };
}
