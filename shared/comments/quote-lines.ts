import { hashOf } from './alike.ts';
import { comparable } from './compared-text.ts';

/** The text of a document: of its source in the worker, of the page in a browser. */
export interface LinedText {
  /** The comparable text (`comparable`). Positions are its UTF-16 units. */
  readonly text: string;
  /** For people: a line for each block, and one space for all white space in it. */
  read(start: number, end: number): string;
}

/** Lines that are longer are not compared with the next one. */
const maxLine = 4_000;

/** How much of the line is before the positions and after them, and what tells the whole line from another one. */
export function lineAt(page: LinedText, start: number, end: number): readonly number[] {
  const { left, right } = readAround(page, start, end);
  const before = comparable(left.at(-1) ?? '').length;
  const after = comparable(right[0] ?? '').length;
  return [before, after, hashOf(page.text.slice(start - before, end + after))];
}

/** Whether the other place has, before it and after it, the lines that this one has after it and before it. */
export function isMirrored(page: LinedText, start: number, other: number, length: number): boolean {
  const one = readAround(page, start, start + length);
  const two = readAround(page, other, other + length);
  return one.left.at(-2) === two.right[1] && one.right[1] === two.left.at(-2);
}

/** Whether the positions are in two lines beside each other. */
export function areBeside(page: LinedText, one: number, two: number): boolean {
  if (Math.abs(one - two) > maxLine) return false;
  return page.read(Math.min(one, two), Math.max(one, two) + 1).split('\n').length === 2;
}

/** The lines that end before the positions, and those that begin after them. */
function readAround(page: LinedText, start: number, end: number) {
  const left = page.read(Math.max(0, start - maxLine), start + 1).slice(0, -1);
  const right = page.read(end - 1, Math.min(page.text.length, end + maxLine)).slice(1);
  return { left: left.split('\n'), right: right.split('\n') };
}

/** Whether the whole line of the text of that length is the one of which `lineAt` says this. */
export function isLineAt(
  page: LinedText,
  [before = 0, after = 0, hash = 0]: readonly number[],
  start: number,
  length: number,
): boolean {
  const from = start - before;
  const to = start + length + after;
  return (
    from >= 0 && hashOf(page.text.slice(from, to)) === hash && ![from, to].some((at) => isInNumber(page, at))
  );
}

/** Whether there are digits of one number before and after the position. */
export function isInNumber(page: LinedText, at: number): boolean {
  return /^\p{Nd}\p{Nd}$/u.test(page.text.slice(at - 1, at + 1)) && !/\s/.test(page.read(at - 1, at + 1));
}
