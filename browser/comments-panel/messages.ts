import type { Standing } from '../../shared/comments/anchor.ts';
import { maxDoubles } from '../../shared/comments/likeness.ts';
import type { Box } from '../viewer/comment-button.ts';

export interface SelectedQuote {
  readonly quote: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly position: number;
  readonly standing: Standing | null;
}

/** What the page in the frame may say. It can be forged: the page is a stranger's. */
export interface PageMessages {
  /**
   * @param quote null: nothing is selected, or what cannot be quoted
   * @param at where it stands; null: the page does not say
   */
  selection(quote: SelectedQuote | null, at: Box | null, isUnquotable: boolean): void;
  /** The numbers of the quotes that are in the page; all others are not. */
  found(ids: readonly number[]): void;
  /** The answer to `show`. @param isHidden the page hides the place, whatever was done to show it */
  shown(id: number, isHidden: boolean): void;
  /** The reader has pressed a quote. */
  pressed(id: number): void;
  /** The reader wants to write a comment. */
  write(): void;
}

/** What the service stores (shared/comments/comment.ts). */
const maxQuote = 1_000;
const maxSide = 64;
const maxThreads = 1_000;

/** Anything of another form is ignored. */
export function read(data: unknown, on: PageMessages): void {
  if (typeof data !== 'object' || data === null) return;
  const { selection, isUnquotable, found, shown, isHidden, pressed, write } = data as Record<string, unknown>; // proof: an object; each field is checked
  if (selection === null) on.selection(null, null, isUnquotable === true);
  else if (isQuote(selection)) on.selection(selection, boxOf(selection), false);
  else if (Array.isArray(found) && found.length <= maxThreads && found.every(Number.isInteger))
    on.found(found);
  else if (typeof shown === 'number') on.shown(shown, isHidden === true);
  else if (typeof pressed === 'number') on.pressed(pressed);
  else if (write === true) on.write();
}

function boxOf(selection: object): Box | null {
  const at: unknown = 'at' in selection ? selection.at : null;
  if (typeof at !== 'object' || at === null) return null;
  const { left, top, right, bottom } = at as Record<keyof Box, unknown>; // proof: an object; each field is checked
  const isBox = [left, top, right, bottom].every(Number.isFinite);
  return isBox ? (at as Box) : null; // proof: it has four numbers
}

function isQuote(value: unknown): value is SelectedQuote {
  if (typeof value !== 'object' || value === null) return false;
  const { quote, prefix, suffix, position, standing } = value as Record<string, unknown>; // proof: an object
  const isText = (text: unknown, most: number) => typeof text === 'string' && text.length <= most;
  return (
    isText(quote, maxQuote) &&
    isText(prefix, maxSide) &&
    isText(suffix, maxSide) &&
    Number.isSafeInteger(position) &&
    (standing == null || isStanding(standing)) // absent: of an older process
  );
}

function isStanding(value: unknown): value is Standing {
  if (typeof value !== 'object' || value === null) return false;
  const { isHeading, times, nth, doubles, line, before, after, ...rest } = value as Record<string, unknown>; // proof: an object
  const areNumbers = (list: unknown) =>
    Array.isArray(list) && list.length <= 2 * maxDoubles && list.every(Number.isSafeInteger);
  return (
    typeof isHeading === 'boolean' &&
    areNumbers(doubles) &&
    areNumbers(line) &&
    areNumbers([times, nth, before, after]) &&
    Object.keys(rest).length === 0
  );
}
