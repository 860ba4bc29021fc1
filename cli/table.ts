import { clean } from './output.ts';

/**
 * Aligned columns, two spaces apart; control characters are replaced. @param columns of the terminal; null: nothing is cut
 */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | null,
) {
  const cells = [header, ...rows].map((row) => row.map((cell) => clean(cell).replace(/[\n\t]/g, ' ')));
  const widths = header.map((_, index) => Math.max(...cells.map((row) => widthOf(row[index] ?? ''))));
  return cells
    .map((row) => {
      const line = row
        .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell)))
        .join('  ');
      return cutTo(line.trimEnd(), columns);
    })
    .join('\n');
}

/** Characters outside Latin alphabets count as two columns, the width of the widest ones. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character > '\u02ff' ? 2 : 1;
  return width;
}

function cutTo(line: string, columns: number | null): string {
  if (columns === null || widthOf(line) <= columns) return line;
  let kept = '';
  let width = 1; // of the mark
  for (const character of line) {
    width += widthOf(character);
    if (width > columns) break;
    kept += character;
  }
  return `${kept}…`;
}

/** A time on the wire, in UTC to the minute; null: never. */
export function formatTime(unixMs: number | null): string {
  return unixMs === null ? 'never' : new Date(unixMs).toISOString().replace('T', ' ').slice(0, 16);
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(2)} MB`;
}
