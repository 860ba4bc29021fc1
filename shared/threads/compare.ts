import sequences from '@jest/diff-sequences';
import { type ComparedDocument, comparedLines, type DiffFormat } from '../html/compared-lines.ts';
import { visibleText } from '../html/visible-text.ts';

// proof: the package's types describe its CommonJS module; index.mjs exports the function itself
const diffSequences = sequences as unknown as typeof sequences.default;

/** Lines around a change, as `diff -u` has them. */
const context = 3;
/** Comparisons of two lines between looks at the clock: at most 0.2 s of CPU. Documents that are almost equal need fewer. */
const comparisonsPerLook = 2_500_000;

export interface Side {
  readonly name: string;
  /** Without line feeds. */
  readonly lines: readonly string[];
}

export interface CompareTask {
  readonly before: ComparedDocument;
  readonly after: ComparedDocument;
  readonly format: DiffFormat;
  readonly budgetMs: number;
}

/** A unified diff of two documents; null: it takes longer than the budget. */
export function compare({ before, after, format, budgetMs }: CompareTask): string | null {
  const end = performance.now() + budgetMs;
  const expired = () => performance.now() >= end;
  function sideOf({ name, html }: ComparedDocument): Side | null {
    const source = new TextDecoder('utf-8', { ignoreBOM: true }).decode(html);
    const text = format === 'source' ? source : visibleText(source, { expired });
    return text === null ? null : { name, lines: comparedLines(text, format) };
  }

  const older = sideOf(before);
  const newer = sideOf(after);
  return older && newer ? unifiedDiff(older, newer, expired) : null;
}

/** A unified diff; '' if the lines are equal; null if `expired` became true. */
export function unifiedDiff(before: Side, after: Side, expired: () => boolean): string | null {
  const changes = findChanges(before.lines, after.lines, expired);
  if (changes === null) return null;
  if (changes.length === 0) return '';
  const text = [`--- ${before.name}`, `+++ ${after.name}`];
  for (const hunk of hunksOf(changes)) addHunk(text, hunk, before.lines, after.lines);
  return `${text.join('\n')}\n`;
}

/** Lines of both sides that differ, from the first to the one after the last; one side may have none. */
interface Change {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

interface Hunk {
  readonly first: Change;
  last: Change;
  readonly changes: Change[];
}

/** In order; the lines between them are equal. null: the time is over. */
function findChanges(
  before: readonly string[],
  after: readonly string[],
  expired: () => boolean,
): Change[] | null {
  const [older, newer] = sharedLines(before, after);
  const changes: Change[] = [];
  let oldStart = 0;
  let newStart = 0;
  function addPair(oldEnd: number, newEnd: number): void {
    if (oldStart < oldEnd || newStart < newEnd) changes.push({ oldStart, oldEnd, newStart, newEnd });
    oldStart = oldEnd + 1;
    newStart = newEnd + 1;
  }

  const tooLong = new Error('the comparison takes too long');
  let comparisons = 0;
  function isCommon(oldIndex: number, newIndex: number): boolean {
    if (++comparisons % comparisonsPerLook === 0 && expired()) throw tooLong;
    return older.numbers[oldIndex] === newer.numbers[newIndex];
  }
  function addPairs(count: number, oldIndex: number, newIndex: number): void {
    for (let i = 0; i < count; i++) addPair(older.places[oldIndex + i] ?? 0, newer.places[newIndex + i] ?? 0);
  }
  try {
    diffSequences(older.numbers.length, newer.numbers.length, isCommon, addPairs);
  } catch (error) {
    if (error === tooLong) return null;
    throw error;
  }
  addPair(before.length, after.length);
  return changes;
}

/**
 * The lines of each side that the other has, and equal numbers for equal ones: the search is quadratic in unmatched lines.
 */
function sharedLines(before: readonly string[], after: readonly string[]) {
  const known = new Set(before);
  const numbers = new Map<string, number>();
  for (const line of after) if (known.has(line) && !numbers.has(line)) numbers.set(line, numbers.size);

  function pick(lines: readonly string[]) {
    const picked = { numbers: [] as number[], places: [] as number[] };
    for (const [place, line] of lines.entries()) {
      const number = numbers.get(line);
      if (number === undefined) continue;
      picked.numbers.push(number);
      picked.places.push(place);
    }
    return picked;
  }
  return [pick(before), pick(after)] as const;
}

function hunksOf(changes: readonly Change[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    if (hunk === undefined || change.oldStart - hunk.last.oldEnd > 2 * context) {
      hunks.push({ first: change, last: change, changes: [change] });
    } else {
      hunk.changes.push(change);
      hunk.last = change;
    }
  }
  return hunks;
}

function addHunk(
  text: string[],
  { first, last, changes }: Hunk,
  before: readonly string[],
  after: readonly string[],
): void {
  const lead = Math.min(context, first.oldStart);
  const trail = Math.min(context, before.length - last.oldEnd);
  const oldEnd = last.oldEnd + trail;
  const oldRange = rangeOf(first.oldStart - lead, oldEnd);
  const newRange = rangeOf(first.newStart - lead, last.newEnd + trail);
  text.push(`@@ -${oldRange} +${newRange} @@`);
  let at = first.oldStart - lead;
  for (const change of changes) {
    for (; at < change.oldStart; at++) text.push(` ${before[at]}`);
    for (; at < change.oldEnd; at++) text.push(`-${before[at]}`);
    for (let i = change.newStart; i < change.newEnd; i++) text.push(`+${after[i]}`);
  }
  for (; at < oldEnd; at++) text.push(` ${before[at]}`);
}

/** The number of the first line, or of the line before if there are none, and how many there are. */
function rangeOf(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`;
}
