import { diffArrays, FILE_HEADERS_ONLY, formatPatch, type StructuredPatchHunk } from 'diff';

/** Lines around a change, as `diff -u` has them. */
const context = 3;
/** jsdiff's time grows with the square of it. */
const maxEditLength = 20_000;

/** One of the two documents. */
export interface Side {
  /** In the head of the diff. */
  readonly name: string;
  /** Without line feeds. */
  readonly lines: readonly string[];
}

/** The part of a side between the lines that both begin and end with, as numbers for jsdiff. */
interface Tokens {
  /** A number for each line that both sides have, and one for all lines in a row that only this side has. */
  readonly ids: number[];
  /** The line at which each begins, and at last that at which the part ends. */
  readonly starts: number[];
}

/**
 * A unified diff; '' if the lines are equal. Lines that only one side has are compared as one, because jsdiff takes seconds for
 * two documents of 2,000 different lines.
 * @param timeoutMs of the comparison
 * @returns null if the two are too different to compare in that time
 */
export function unifiedDiff(before: Side, after: Side, timeoutMs: number): string | null {
  const head = countEqual(before.lines, after.lines, 0, (lines, at) => lines[at]);
  const tail = countEqual(before.lines, after.lines, head, (lines, at) => lines[lines.length - 1 - at]);
  const [older, newer] = tokensOf(before.lines, after.lines, head, tail);
  const changes = diffArrays(older.ids, newer.ids, { timeout: timeoutMs, maxEditLength });
  if (changes === undefined) return null;

  const hunks = createHunks(before.lines, after.lines);
  hunks.keep(head, head);
  let [oldAt, newAt] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (!added) oldAt += count;
    if (!removed) newAt += count;
    const ends = [older.starts[oldAt] ?? 0, newer.starts[newAt] ?? 0] as const;
    if (added || removed) hunks.change(...ends);
    else hunks.keep(...ends);
  }
  hunks.keep(before.lines.length, after.lines.length);
  if (hunks.list.length === 0) return '';
  const names = { oldFileName: before.name, newFileName: after.name };
  const patch = { ...names, oldHeader: undefined, newHeader: undefined, hunks: hunks.list };
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/** How many lines are equal from one end, of those that are not `taken` at the other. */
function countEqual(
  a: readonly string[],
  b: readonly string[],
  taken: number,
  lineAt: (lines: readonly string[], at: number) => string | undefined,
): number {
  const most = Math.min(a.length, b.length) - taken;
  let count = 0;
  while (count < most && lineAt(a, count) === lineAt(b, count)) count++;
  return count;
}

function tokensOf(before: readonly string[], after: readonly string[], head: number, tail: number) {
  const [older, newer] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const known = new Set(newer);
  const ids = new Map<string, number>();
  for (const line of older) if (known.has(line) && !ids.has(line)) ids.set(line, ids.size);

  /** @param own the number of lines that the other side does not have; the other side has no such number */
  function collect(lines: readonly string[], own: number): Tokens {
    const tokens: Tokens = { ids: [], starts: [] };
    for (const [at, line] of lines.entries()) {
      const id = ids.get(line) ?? own;
      if (id === own && tokens.ids.at(-1) === own) continue;
      tokens.ids.push(id);
      tokens.starts.push(head + at);
    }
    tokens.starts.push(head + lines.length);
    return tokens;
  }

  return [collect(older, -1), collect(newer, -2)] as const;
}

/** Builds hunks from runs of equal and of changed lines, in order. The last run must be of equal lines, perhaps none. */
function createHunks(before: readonly string[], after: readonly string[]) {
  const hunks: StructuredPatchHunk[] = [];
  /** How many lines are in finished runs; from there to `changed` the lines are different. */
  let [oldDone, newDone] = [0, 0];
  let changed: readonly [older: number, newer: number] = [0, 0];

  /** Adds lines that both sides have. */
  function addEqual(hunk: StructuredPatchHunk, end: number): void {
    const start = hunk.oldStart - 1 + hunk.oldLines;
    for (const line of before.slice(start, end)) hunk.lines.push(` ${line}`);
    hunk.oldLines += end - start;
    hunk.newLines += end - start;
  }

  /** The hunk for changes at `oldDone`: the last one, if at most the lines of two contexts are between. */
  function hunkOfChanges(): StructuredPatchHunk {
    const last = hunks.at(-1);
    if (last !== undefined && oldDone - (last.oldStart - 1 + last.oldLines) <= context) return last;
    const lead = Math.min(context, oldDone);
    const start = { oldStart: oldDone - lead + 1, newStart: newDone - lead + 1 };
    const hunk: StructuredPatchHunk = { ...start, oldLines: 0, newLines: 0, lines: [] };
    hunks.push(hunk);
    return hunk;
  }

  function addChanges(): void {
    const [oldEnd, newEnd] = changed;
    if (oldEnd === oldDone && newEnd === newDone) return;
    const hunk = hunkOfChanges();
    addEqual(hunk, oldDone);
    for (const line of before.slice(oldDone, oldEnd)) hunk.lines.push(`-${line}`);
    for (const line of after.slice(newDone, newEnd)) hunk.lines.push(`+${line}`);
    hunk.oldLines += oldEnd - oldDone;
    hunk.newLines += newEnd - newDone;
    [oldDone, newDone] = changed;
  }

  return {
    /** The lines up to these are different. */
    change(oldEnd: number, newEnd: number): void {
      changed = [oldEnd, newEnd];
    },
    /** The lines up to these are equal. */
    keep(oldEnd: number, newEnd: number): void {
      addChanges();
      const hunk = hunks.at(-1);
      if (hunk !== undefined) addEqual(hunk, Math.min(oldDone + context, oldEnd));
      [oldDone, newDone] = changed = [oldEnd, newEnd];
    },
    list: hunks,
  };
}
