import { expect } from 'chai';
import { diffTable } from '../../api/dashboard/history/diff-table.ts';
import { toText } from '../../api/html/html.ts';
import { comparedLines } from '../../shared/html/compared-lines.ts';
import { unifiedDiff } from '../../shared/threads/compare.ts';
import { cpuMsOf } from '../support/cpu.ts';
import { parsePage } from '../support/html.ts';

function tableOf(before: string, after: string) {
  const side = (name: string, text: string) => ({ name, lines: comparedLines(text, 'source') });
  const diff = unifiedDiff(side('a', before), side('b', after), () => false);
  return diffTable(diff ?? '', 'Changes');
}

/** Each row as `old|new|sign|text`. */
function rowsOf(before: string, after: string): string[] {
  const { table } = tableOf(before, after);
  const [, ...rows] = toText(table).split(/<tr(?= class)/);
  return rows
    .filter((row) => !row.includes('"note"'))
    .map((row) =>
      row
        .replace(/^[^>]*><(td|th[^>]*)>/, '')
        .replaceAll('<td>', '|')
        .replaceAll(/<[^>]*>/g, ''),
    );
}

describe('The table of a difference', () => {
  it('has the numbers of both versions, signs, and how many lines are unchanged between the changes', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
    const after = lines
      .map((line) => (line === 'line 5' ? 'LINE 5' : line))
      .filter((line) => line !== 'line 20');
    const rows = rowsOf(`${lines.join('\n')}\n`, `${after.join('\n')}\n`);
    expect(rows).to.deep.equal([
      'Lines 2 to 8, after 1 unchanged line Next change',
      '2|2||line 2',
      '3|3||line 3',
      '4|4||line 4',
      '5||−|line 5',
      '|5|+|LINE 5',
      '6|6||line 6',
      '7|7||line 7',
      '8|8||line 8',
      'Lines 17 to 22, after 8 unchanged lines',
      '17|17||line 17',
      '18|18||line 18',
      '19|19||line 19',
      '20||−|line 20',
      '21|20||line 21',
      '22|21||line 22',
      '23|22||line 23',
    ]);
    const { added, removed, isCut } = tableOf('a\n', 'b\nc\n');
    expect({ added, removed, isCut }).to.deep.equal({ added: 2, removed: 1, isCut: false });
  });

  it('marks the words between those that two lines share, unless the text runs from right to left', () => {
    const marked = (before: string, after: string) =>
      toText(tableOf(`${before}\n`, `${after}\n`).table)
        .match(/<mark>.*?<\/mark>/g)
        ?.map((mark) => mark.replaceAll(/<[^>]*>/g, ''));
    expect(marked('the second shift starts', 'the third shift starts')).to.deep.equal(['second ', 'third ']);
    expect(marked('at least 12 of them', 'at least 120 of them')).to.deep.equal(['12 ', '120 ']);
    expect(marked('a long line ', 'a long line with an end')).to.deep.equal(['with an end']);
    expect(marked('smile 😀 here', 'smile 😁 here')).to.deep.equal(['😀 ', '😁 ']);
    expect(marked('one', 'three')).to.equal(undefined);
    expect(marked('שלום לכולם כאן', 'שלום לאחד כאן')).to.equal(undefined);
    expect(marked('x'.repeat(100_000), `${'x'.repeat(100_000)}y`)).to.equal(undefined);
  });

  it('lines that look like a part of the diff are lines', () => {
    const rows = rowsOf('-- a\n++ b\n@@ -1 +1 @@\n\\ no\n', '-- a!\n++ b!\n@@ -9 +9 @@\n\\ yes\n');
    expect(rows.slice(1).map((row) => row.split('|').at(-1))).to.deep.equal([
      '-- a',
      '++ b',
      '@@ -1 +1 @@',
      '\\ no',
      '-- a!',
      '++ b!',
      '@@ -9 +9 @@',
      '\\ yes',
    ]);
  });

  it('shows markup as text, invisible characters by their number, tabs, ends of lines', () => {
    const hostile = '</td></table><script>alert(1)</script>\u202e\0\tx\r';
    const { table } = tableOf('a\n', hostile);
    const text = toText(table);
    expect(text).not.to.include('<script').and.not.to.include('\0').and.not.to.include('\u202e');
    for (const shown of ['U+202E', 'U+0000', '\t', '␍', 'No line feed at the end'])
      expect(text).to.include(shown);
    expect(parsePage(text).find('script', {})).to.equal(undefined);
  });

  it('a line of two megabytes is not taken apart', () => {
    const words = ' a'.repeat(1_000_000);
    const diff = `--- a\n+++ b\n@@ -1 +1 @@\n-${words}b\n+${words}c\n`;
    expect(cpuMsOf(() => diffTable(diff, 'Changes'), 250)).to.be.below(250);
  });

  it('is bounded, whatever is compared', () => {
    const cases = [
      tableOf('', 'x\n'.repeat(100_000)),
      tableOf('x'.repeat(2_000_000), 'y'.repeat(2_000_000)),
      tableOf('', '\u202e'.repeat(700_000)),
      tableOf('', `${'"'.repeat(299)}\n`.repeat(7_000)),
    ];
    for (const { table } of cases) expect(toText(table).length).to.be.at.most(60_000);
    expect(cases.map(({ isCut }) => isCut)).to.deep.equal([true, false, false, true]);
    expect(
      cases
        .map(({ table }) => toText(table))
        .join('')
        .match(/1999600 more characters/g),
    ).to.have.length(2);
  });
});
