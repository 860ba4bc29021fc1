import { shownText } from '../shared/util/shown-text.ts';

/** The maximum columns of a wrapped line. With the longest prefix it has at most 80. */
const wrapColumns = 66;

/** Text that the terminal wraps could pass for a line of the command. A character outside ASCII counts as two columns. */
function wrapLine(line: string): string[] {
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

/** Puts the label before every line, so that no line of a visitor's text passes for another field. */
export function labelLines(label: string, text: string): string[] {
  const lines = text.split('\n').flatMap((line) => wrapLine(shownText(line)));
  return lines.map((line) => `  ${label.padEnd(7)}  ${line}`);
}

/** `1 token`, `2 tokens`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

/** `35 s`, `4 min`, `3 h`, `2 d`: rounded down. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** `512 bytes`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return countOf(bytes, 'byte');
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** @returns the time since the call, as in `1.5 s` */
export function startTimer(): () => string {
  const startedAt = performance.now();
  return () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}
