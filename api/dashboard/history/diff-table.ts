import { countOf } from '../../html/elements.ts';
import { type Html, html, toText, visible } from '../../html/html.ts';

/** Documents are hostile: a page shows so much of a difference, and the whole can be downloaded. */
const maxLines = 500;
const maxMarkup = 40_000;
const maxLineLength = 400;
/** About that of the first row of a hunk. */
const headLength = 130;

/** A unified diff as a table. */
export interface DiffTable {
  readonly table: Html;
  /** Whether the diff is longer than the table. */
  readonly isCut: boolean;
  /** Lines of the table that only the newer, and only the older version has. */
  readonly added: number;
  readonly removed: number;
}

type Sign = '+' | '-' | ' ';

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Changes that are near each other, with the lines around them. */
interface Hunk {
  /** Which lines of the newer version. */
  readonly lines: string;
  /** How many unchanged lines are before it. */
  readonly unchanged: number;
  readonly rows: Html[];
}

/** Reads a unified diff (diffs/diffs.ts) up to the limits above: the rest costs nothing. @param caption for screen readers */
export function diffTable(diff: string, caption: string): DiffTable {
  const hunks: Hunk[] = [];
  /** The numbers of the next lines. */
  let oldAt = 1;
  let newAt = 1;
  const counts = { '+': 0, '-': 0, ' ': 0 };
  let lines = 0;
  let markup = 0;
  let isCut = false;
  /** Lines that are removed and added at one place. */
  let removed: string[] = [];
  let added: string[] = [];

  const addRow = (row: Html) => {
    hunks.at(-1)?.rows.push(row);
    markup += toText(row).length;
  };
  const addLine = (sign: Sign, parts: Parts) => {
    isCut ||= markup >= maxMarkup;
    if (isCut) return;
    addRow(lineRow(sign, parts, sign === '+' ? null : oldAt++, sign === '-' ? null : newAt++));
    counts[sign]++;
  };
  const endChange = () => {
    for (const [i, text] of removed.entries()) addLine('-', partsOf(text, added[i]));
    for (const [i, text] of added.entries()) addLine('+', partsOf(text, removed[i]));
    removed = [];
    added = [];
  };

  for (const line of linesAfterHead(diff)) {
    if (lines >= maxLines || markup >= maxMarkup) {
      isCut = true;
      break;
    }
    const sign = line[0];
    if (sign !== '+' && sign !== '-') endChange();
    const head = hunkHead.exec(line);
    if (head !== null) {
      const unchanged = firstLine(head[1], head[2]) - oldAt;
      oldAt += unchanged;
      newAt = firstLine(head[3], head[4]);
      hunks.push({ lines: rangeText(newAt, Number(head[4] ?? 1)), unchanged, rows: [] });
      markup += headLength;
      continue;
    }
    if (sign === '\\') addRow(noteRow);
    if (sign !== '+' && sign !== '-' && sign !== ' ') continue;
    if (sign === '-') removed.push(line.slice(1));
    else if (sign === '+') added.push(line.slice(1));
    else addLine(sign, [line.slice(1), '', '']);
    lines++;
  }
  endChange();
  const table = html`<table class="changes">
<caption class="visually-hidden">${caption}</caption>
<colgroup><col class="n"><col class="n"><col class="sign"><col></colgroup>
<thead class="visually-hidden"><tr><th scope="col">Line before</th><th scope="col">Line after</th><th scope="col">Sign</th><th scope="col">Text</th></tr></thead>
${hunks.map((hunk, i) => html`<tbody id="change-${i + 1}">${headRow(hunk, i + 1 < hunks.length ? i + 2 : null)}${hunk.rows}</tbody>`)}</table>`;
  return { table, isCut, added: counts['+'], removed: counts['-'] };
}

/** The lines of the diff after the names of the two files, one at a time. */
function* linesAfterHead(diff: string): Generator<string> {
  let start = diff.indexOf('\n', diff.indexOf('\n') + 1) + 1;
  while (start < diff.length) {
    const end = diff.indexOf('\n', start);
    yield diff.slice(start, end < 0 ? undefined : end);
    if (end < 0) return;
    start = end + 1;
  }
}

/** A hunk without lines of a side names the line before it. */
function firstLine(start = '1', count = '1'): number {
  return Number(start) + (count === '0' ? 1 : 0);
}

function rangeText(first: number, count: number): string {
  return count < 2 ? `Line ${first}` : `Lines ${first} to ${first + count - 1}`;
}

/** @param next the number of the next hunk; null: it is the last */
function headRow({ lines, unchanged }: Hunk, next: number | null): Html {
  const skipped = unchanged > 0 && `, after ${countOf(unchanged, 'unchanged line')}`;
  return html`<tr class="hunk"><th scope="rowgroup" colspan="4">${lines}${skipped}${next !== null && html` <a href="#change-${next}">Next<span class="visually-hidden"> change</span></a>`}`;
}

const noteRow = html`<tr class="note"><td colspan="3"><td>No line feed at the end`;

/** Screen readers say `plus` and `minus`. */
const signs = { '+': ['add', '+'], '-': ['del', '−'], ' ': ['same', null] } as const;

/** The beginning that a line shares with the other one, what it has alone, and the end that they share: whole words. */
type Parts = readonly [start: string, own: string, end: string];

/** The parts of a line would be shown from left to right. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Each with the space after it. */
function wordsOf(text: string): string[] {
  return text.split(/(?<=\s)/);
}

function partsOf(line: string, other = ''): Parts {
  // Two megabytes in one line would take a second.
  if (Math.max(line.length, other.length) > maxLineLength) return [line, '', ''];
  const words = wordsOf(line);
  const others = wordsOf(other);
  const least = Math.min(words.length, others.length);
  let start = 0;
  let end = 0;
  while (start < least && words[start] === others[start]) start++;
  while (end < least - start && words.at(-1 - end) === others.at(-1 - end)) end++;
  const isWhole = start + end === 0 || rightToLeft.test(line);
  if (isWhole) return [line, '', ''];
  const to = words.length - end;
  return [words.slice(0, start).join(''), words.slice(start, to).join(''), words.slice(to).join('')];
}

/** There are many rows: without end tags, which HTML does not need, and line feeds, which cells would show. */
function lineRow(sign: Sign, parts: Parts, oldLine: number | null, newLine: number | null): Html {
  const [name, shown] = signs[sign];
  const [start, own, end] = parts.map((part) => part !== '' && visibleLine(part));
  return html`<tr class="${name}"><td>${oldLine}<td>${newLine}<td>${shown}<td>${start}${own && html`<mark>${own}</mark>`}${end}`;
}

/** Tabs stay, and a carriage return at the end is only marked: else each line of some documents would end with `U+000D`. */
function visibleLine(text: string): Html {
  const isLong = text.length > maxLineLength;
  const [, line = '', end] = /^(.*?)(\r?)$/s.exec(isLong ? text.slice(0, maxLineLength) : text) ?? [];
  const parts = line
    .split('\t')
    .map((part, i) => html`${i > 0 && '\t'}${part === '' ? null : visible(part)}`);
  const mark = end !== '' && html`<span class="mark" title="Carriage return">␍</span>`;
  const rest = isLong && html` <span class="rest">… ${text.length - maxLineLength} more characters</span>`;
  return html`${parts}${mark}${rest}`;
}
