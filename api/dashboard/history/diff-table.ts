import { type Html, html, toText, visible } from '../../html/html.ts';
import { countOf } from '../../html/parts.ts';

/** Documents are hostile: a page shows so much of a difference, and the whole can be downloaded. */
const maxLines = 500;
const maxMarkup = 40_000;
const maxLineLength = 400;

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

/** Reads a unified diff (`Diffs`) up to the limits above: the rest costs nothing. @param caption for screen readers */
export function diffTable(diff: string, caption: string): DiffTable {
  const hunks: Html[] = [];
  let rows: Html[] = [];
  /** The numbers of the next lines. */
  let [oldAt, newAt] = [1, 1];
  const counts = { '+': 0, '-': 0, ' ': 0 };
  let [lines, markup, isCut] = [0, 0, false];

  const addRow = (row: Html) => {
    rows.push(row);
    markup += toText(row).length;
  };
  const endHunk = () => {
    if (rows.length > 0) hunks.push(html`<tbody>${rows}</tbody>`);
    rows = [];
  };

  for (const line of linesAfterHead(diff)) {
    if (lines >= maxLines || markup >= maxMarkup) {
      isCut = true;
      break;
    }
    const head = hunkHead.exec(line);
    if (head !== null) {
      endHunk();
      const [oldStart, newStart] = [firstLine(head[1], head[2]), firstLine(head[3], head[4])];
      addRow(hunkRow(head[0], oldStart - oldAt));
      [oldAt, newAt] = [oldStart, newStart];
      continue;
    }
    const sign = line[0];
    if (sign === '\\') addRow(noteRow);
    if (sign !== '+' && sign !== '-' && sign !== ' ') continue;
    addRow(lineRow(sign, line.slice(1), sign === '+' ? null : oldAt, sign === '-' ? null : newAt));
    if (sign !== '+') oldAt++;
    if (sign !== '-') newAt++;
    counts[sign]++;
    lines++;
  }
  endHunk();
  const table = html`<table class="changes">
<caption class="visually-hidden">${caption}</caption>
<colgroup><col class="n"><col class="n"><col class="sign"><col></colgroup>
<thead class="visually-hidden"><tr><th scope="col">Line before</th><th scope="col">Line after</th><th scope="col">Sign</th><th scope="col">Text</th></tr></thead>
${hunks}</table>`;
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

function hunkRow(head: string, unchanged: number): Html {
  const skipped = unchanged > 0 && html`<span>${countOf(unchanged, 'unchanged line')}</span>`;
  return html`<tr class="hunk"><th scope="rowgroup" colspan="4"><code>${head}</code>${skipped}`;
}

const noteRow = html`<tr class="note"><td colspan="3"><td>No line feed at the end`;

/** Screen readers say `plus` and `minus`. */
const signs = { '+': ['add', '+'], '-': ['del', '−'], ' ': ['same', null] } as const;

/** There are many rows: without end tags, which HTML does not need, and line feeds, which cells would show. */
function lineRow(sign: Sign, text: string, oldLine: number | null, newLine: number | null): Html {
  const [name, shown] = signs[sign];
  return html`<tr class="${name}"><td>${oldLine}<td>${newLine}<td>${shown}<td>${visibleLine(text)}`;
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
